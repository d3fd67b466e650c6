import { buildJob, newer, ownedBy } from '../../../support/builders';
import { syncObjects } from '../../../support/inventory';
import { beat, buildPolicy, maintenance, ofJobs, ofNamespace, ofPods } from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, ok, podResource } from '../../../support/workloads';

const LISTS = ['/v1/policy/list', '/v1/policy/pipeline/list'];

describe('automatic restores and policies of pods and jobs', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
  });
  afterAll(() => service.close());

  const list = async (query = '', path = '/v1/policy/list') => ok(await org.viewer.get(`${path}${query}`)).body;
  const idsOf = ({ policies }: { policies: { id: string }[] }) => policies.map(({ id }) => id);

  it('list the pods and jobs of every status that ask to be restored', async () => {
    const named = {
      spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'SVC_CHECKPOINT', value: 'c' }] }] } } },
    };
    const ended = (type: string) => ({ ...named, status: { conditions: [{ type, status: 'True' }] } });
    const jobs = {
      running: buildJob('running', named),
      suspended: buildJob('suspended', ended('Suspended')),
      complete: buildJob('complete', ended('Complete')),
      failed: buildJob('failed', ended('Failed')),
      removed: buildJob('removed', named),
    };
    await syncObjects(org.controller, clusterId, ...Object.values(jobs), buildJob('plain'));
    const byPhase = async (phase: string, name = phase) =>
      (await buildPod(org, clusterId, { phase, name, checkpoint: 'p' })).id;
    const pods: Record<string, string> = {};
    for (const phase of ['Running', 'Pending', 'Unknown', 'Succeeded', 'Failed']) pods[phase] = await byPhase(phase);
    pods.removed = await byPhase('Running', 'removed');
    pods['removed when done'] = await byPhase('Succeeded', 'removed when done');
    await buildPod(org, clusterId, { name: 'plain' });
    const child = podResource({ name: 'child' });
    await syncObjects(org.controller, clusterId, {
      ...child,
      metadata: { ...child.metadata, ...ownedBy(jobs.running) },
    });
    await service.db.query("update pods set deleted = true where org_id = $1 and name like 'removed%'", [org.id]);
    await service.db.query("update jobs set deleted = true where org_id = $1 and name = 'removed'", [org.id]);

    interface Automatic {
      id: string;
      name: string;
      resource_type: string;
      policy_status: string;
      created_at: string;
    }
    const policy = await buildPolicy(org, ofNamespace(clusterId));
    const { policies, total_count: total, automatic_policies: found } = await list('?include_automatic=true');
    expect([idsOf({ policies }), total]).toEqual([[policy], 1]);
    const statusOf = (type: string) =>
      Object.fromEntries(
        (found as Automatic[])
          .filter(({ resource_type }) => resource_type === type)
          .map(({ name, policy_status }) => [name, policy_status]),
      );
    expect(statusOf('pod')).toEqual({
      Running: 'active',
      Pending: 'active',
      Unknown: 'active',
      Succeeded: 'completed',
      Failed: 'disabled',
      removed: 'disabled',
      'removed when done': 'completed',
    });
    expect(statusOf('job')).toEqual({
      running: 'active',
      suspended: 'active',
      complete: 'completed',
      failed: 'disabled',
      removed: 'disabled',
    });
    expect((found as Automatic[]).find(({ name }) => name === 'Running')).toEqual({
      id: `auto-restore-pod-${pods.Running}`,
      name: 'Running',
      namespace: 'training',
      cluster_id: clusterId,
      resource_type: 'pod',
      checkpoint_id: 'p',
      pod_count: 1,
      status: 'Running',
      policy_status: 'active',
      created_at: '2026-06-01T10:00:00.000Z',
    });
    expect((found as Automatic[]).find(({ name }) => name === 'running')).toMatchObject({
      id: expect.stringMatching(/^auto-restore-job-/),
      checkpoint_id: 'c',
      pod_count: 1,
      created_at: '2026-01-02T03:04:05.000Z',
    });
    const times = (found as Automatic[]).map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());

    const names = async (query: string, path = LISTS[0]) =>
      ((await list(`?include_automatic=true&${query}`, path)).automatic_policies as Automatic[]).map(
        ({ name }) => name,
      );
    expect((await names('', LISTS[1])).length).toBe(12);
    expect((await names('resource=jobs')).sort()).toEqual(Object.keys(jobs).sort());
    expect((await names('resource=pods&status=disabled')).sort()).toEqual(['Failed', 'removed']);
    expect((await names('status=completed')).sort()).toEqual(['Succeeded', 'complete', 'removed when done']);
    expect(await names('resource=namespace')).toEqual([]);
    expect((await list('?include_automatic=false')).automatic_policies).toBeUndefined();
    const other = await service.organisation();
    expect((await other.viewer.get('/v1/policy/list?include_automatic=true')).body).toEqual({
      policies: [],
      total_count: 0,
      automatic_policies: [],
    });
  });

  it('list the active policies that act on them', async () => {
    const job = buildJob('train', { metadata: { namespace: 'training' } });
    const worker = podResource({ name: 'worker' });
    await syncObjects(org.controller, clusterId, job, { ...worker, metadata: { ...worker.metadata, ...ownedBy(job) } });
    await buildPod(org, clusterId, { name: 'waiting', phase: 'Pending' });
    const alone = await buildPod(org, clusterId, { name: 'alone', namespace: 'elsewhere' });
    const [byNamespace, byPods, byJobs, stopped] = [
      await buildPolicy(org, ofNamespace(clusterId)),
      await buildPolicy(org, ofPods(clusterId, [alone.id])),
      await buildPolicy(org, ofJobs(clusterId)),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(-10, 3_600)),
    ];
    await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [stopped]);
    const pods = { alone: [byPods], waiting: [], worker: [byNamespace, byJobs] };
    const monitored = (rows: { name: string; monitored_by_policies: string[] }[]) =>
      Object.fromEntries(rows.map(({ name, monitored_by_policies }) => [name, monitored_by_policies]));
    expect(monitored((await org.viewer.get('/v1/pods')).body)).toEqual(pods);
    expect(monitored((await org.viewer.get('/v1/pods/paginated')).body.pods)).toEqual(pods);
    const row = { name: 'train', monitored_by_policies: [byNamespace, byJobs], policy_count: 2 };
    expect((await org.viewer.get('/v1/jobs')).body).toEqual([expect.objectContaining(row)]);
    expect((await org.viewer.get('/v1/jobs/paginated')).body.jobs).toEqual([expect.objectContaining(row)]);

    // Ended workloads have no policies.
    await syncObjects(
      org.controller,
      clusterId,
      newer(job, { status: { conditions: [{ type: 'Complete', status: 'True' }] } }),
    );
    await beat(service, byJobs);
    expect(monitored((await org.viewer.get('/v1/pods')).body).worker).toEqual([byNamespace]);
  });
});
