import { newId } from '../../../../src/1-platform/common/ids';
import { buildJob, ownedBy } from '../../../support/builders';
import { syncObjects } from '../../../support/inventory';
import {
  beat,
  checkpoint,
  endActions,
  heartbeat,
  maintenance,
  ofJobs,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
  podsAsked,
  type Filter,
  type Trigger,
} from '../../../support/policies';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, buildPod, nodeResource, ok, podResource } from '../../../support/workloads';

describe('the preview of a policy', () => {
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

  const bodyOf = (filter: Filter, trigger: Trigger = heartbeat()) => ({
    pipeline: { trigger, filter, action: checkpoint() },
  });
  const ask = (filter: Filter, trigger?: Trigger): Promise<Answer> =>
    org.viewer.post('/v1/policy/pipeline/preview', bodyOf(filter, trigger));
  const preview = async (filter: Filter, trigger?: Trigger) => ok(await ask(filter, trigger)).body;
  const codesOf = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
  const stored = async () => (await service.db.query('select from policies where org_id = $1', [org.id])).rowCount;

  it('shows what the policy then acts on, for every kind of filter, and changes nothing', async () => {
    const train = buildJob('train', { metadata: { namespace: 'training' } });
    const owned = podResource({ name: 'train-0' });
    await syncObjects(org.controller, clusterId, train, {
      ...owned,
      metadata: { ...owned.metadata, ...ownedBy(train) },
    });
    const alone = await buildPod(org, clusterId, { name: 'alone' });
    await buildPod(org, clusterId, { name: 'waiting', phase: 'Pending' });
    await buildPod(org, clusterId, { name: 'elsewhere', namespace: 'other' });
    for (const [filter, pods, jobs] of [
      [ofNamespace(clusterId), ['alone', 'train-0'], ['train']],
      [ofPods(clusterId, [alone.uid]), ['alone'], []],
      [ofJobs(clusterId, 'training'), ['train-0'], ['train']],
      [ofJobs(clusterId, null, 3), [], []],
    ] as const) {
      const shown = await preview(filter);
      expect([names(shown.pods), names(shown.jobs)]).toEqual([pods, jobs]);
      expect(shown).toMatchObject({
        pod_count: pods.length,
        job_count: jobs.length,
        workload_count: pods.length,
        cluster_id: clusterId,
        cluster_status: 'active',
      });
      expect(await stored()).toBe(0);
      const id = ok(await org.operator.post('/v1/policy/pipeline/create', bodyOf(filter))).text;
      await beat(service, id);
      expect(await podsAsked(service, id)).toEqual(pods);
      await endActions(service);
      ok(await org.operator.delete('/v1/policy/delete', { id }));
    }
  });

  it('counts the Slurm jobs that run, and lists those that wait too', async () => {
    const hpc = await slurmCluster(org);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1), slurmJob(2, { job_state: ['PENDING'] }), slurmJob(3)]));
    const shown = await preview(ofSlurmJobs(hpc, 1, 2, 99));
    expect(shown).toMatchObject({ workload_count: 1, pod_count: 0, job_count: 2, warnings: [] });
    expect(shown.jobs.map(({ id }: { id: string }) => id)).toEqual(['1', '2']);
    const waiting = await preview(ofSlurmJobs(hpc, 2));
    expect(waiting.warnings).toEqual([{ code: 'nothing_matches', message: expect.stringMatching(/do not run now/) }]);
  });

  it('shows the first 20 of many, and counts all', async () => {
    await Promise.all(
      Array.from({ length: 25 }, (_, place) =>
        buildPod(org, clusterId, { name: `p-${String(place).padStart(2, '0')}` }),
      ),
    );
    const { pods, pod_count: count } = await preview(ofNamespace(clusterId));
    expect([pods.length, pods[0].name, pods[19].name, count]).toEqual([20, 'p-00', 'p-19', 25]);
  });

  it('says when it would fire: a heartbeat from its first interval on, a window at its start', async () => {
    const { rows } = await service.db.query('select clock_timestamp() as at');
    const shown = await preview(ofNamespace(clusterId), heartbeat(600));
    const first = Date.parse(shown.first_at);
    expect(first - (rows[0].at as Date).getTime() - 600_000).toBeLessThan(10_000);
    expect(first - (rows[0].at as Date).getTime()).toBeGreaterThanOrEqual(599_990);
    expect(shown.next_firings.map((at: string) => Date.parse(at) - first)).toEqual(
      Array.from({ length: 10 }, (_, place) => place * 600_000),
    );
    const window = maintenance(3_600, 7_200);
    const { start_time: start } = window.config as { start_time: string };
    const planned = await preview(ofNamespace(clusterId), window);
    expect([planned.first_at, planned.next_firings, codesOf(planned)]).toEqual([start, [start], ['nothing_matches']]);
    expect(codesOf(await preview(ofNamespace(clusterId), maintenance(-60, 60)))).toContain('window_open');
  });

  it('warns of a window on how many nodes its pods run, which agents empty', async () => {
    await syncObjects(org.controller, clusterId, nodeResource('node-2'));
    const warning = async (filter: Filter, trigger = maintenance()) =>
      (await preview(filter, trigger)).warnings.find(({ code }: { code: string }) => code === 'empties_nodes')?.message;
    expect(await warning(ofNamespace(clusterId))).toBeUndefined();
    for (const name of ['a', 'b']) await buildPod(org, clusterId, { name });
    expect(await warning(ofNamespace(clusterId))).toMatch(/empties the node on which these pods run: .* onto it,/);
    await buildPod(org, clusterId, { name: 'c', node: 'node-2' });
    await buildPod(org, clusterId, { name: 'd', node: 'node-2', namespace: 'other' });
    expect(await warning(ofNamespace(clusterId))).toMatch(
      /empties up to 2 nodes on which these pods run: .* onto them,/,
    );
    expect(await warning(ofNamespace(clusterId), heartbeat(600))).toBeUndefined();
    const hpc = await slurmCluster(org);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1)]));
    expect(await warning(ofSlurmJobs(hpc, 1))).toMatch(/agent of Slurm empties the nodes on which these jobs run/);
  });

  it('shows fewer firings if the limit of checkpoints ends the policy before, by what matches now', async () => {
    await buildPod(org, clusterId, { name: 'a' });
    await buildPod(org, clusterId, { name: 'b' });
    const firings = async (most: number | null, namespace?: string) =>
      (await preview(ofNamespace(clusterId, namespace), heartbeat(600, most))).next_firings.length;
    expect([await firings(5), await firings(4), await firings(1), await firings(100), await firings(null)]).toEqual([
      3, 2, 1, 10, 10,
    ]);
    expect(await firings(5, 'empty')).toBe(10);
  });

  it('warns of a silent cluster, of another kind of cluster, and of a filter without a match', async () => {
    expect((await preview(ofNamespace(clusterId))).warnings).toEqual([
      { code: 'nothing_matches', message: expect.stringMatching(/^Nothing that runs now matches/) },
    ]);
    expect(codesOf(await preview(ofSlurmJobs(clusterId, 1)))).toEqual(['wrong_cluster_kind']);
    expect(codesOf(await preview(ofNamespace(await slurmCluster(org))))).toContain('wrong_cluster_kind');
    await service.db.query("update clusters set last_sync = now() - interval '10 minutes' where id = $1", [clusterId]);
    const silent = await preview(ofNamespace(clusterId));
    expect(silent).toMatchObject({ cluster_status: 'inactive', warnings: [{ code: 'cluster_silent' }] });
  });

  it('warns of an interval that is shorter than the last checkpoint of a workload took', async () => {
    const [slow, quick] = [
      await buildPod(org, clusterId, { name: 'slow' }),
      await buildPod(org, clusterId, { name: 'quick' }),
    ];
    const took = async (pod: { id: string; uid: string }, seconds: number, more = 'ready') => {
      await service.db.query(
        `insert into actions (org_id, id, cluster_id, type, status, reason, kind, platform, checkpoint_id, pod_id, pod_uid,
           pod_name, namespace, node_name, details, created_at, answer_by, ended_at)
         values ($1, $2, $3, 'checkpoint_pod', $7, 'manual', 'simple', 'kubernetes', $2, $4, $5, '', '', '', '{}', now(), now(),
           now() + make_interval(secs => $6))`,
        [org.id, newId(), clusterId, pod.id, pod.uid, seconds, more],
      );
    };
    await took(slow, 500);
    await took(slow, 125);
    await took(slow, 900, 'error');
    await took(quick, 30);
    const shown = await preview(ofNamespace(clusterId), heartbeat(60));
    expect(shown.warnings).toEqual([
      {
        code: 'interval_too_short',
        message:
          'The last checkpoint of slow took 125 s, but the interval is 60 s. A beat skips a workload while its last checkpoint is open.',
      },
    ]);
    expect(codesOf(await preview(ofNamespace(clusterId), heartbeat(130)))).toEqual([]);
    expect((await preview(ofNamespace(clusterId), heartbeat(10))).warnings[0].message).toMatch(/those of 1 more/);
    const other = await service.organisation();
    const foreign = await other.viewer.post(
      '/v1/policy/pipeline/preview',
      bodyOf(ofNamespace(await buildCluster(other)), heartbeat(10)),
    );
    expect(codesOf(foreign.body)).toEqual(['nothing_matches']);
  });

  it('is refused for the same reasons as the creation', async () => {
    const other = await service.organisation();
    const foreign = await buildPod(other, await buildCluster(other));
    const faults: [Filter, Trigger][] = [
      [ofNamespace(newId()), heartbeat()],
      [ofNamespace(foreign.clusterId), heartbeat()],
      [ofNamespace(clusterId, ''), heartbeat()],
      [ofNamespace(clusterId), heartbeat(9)],
      [ofPods(clusterId, []), heartbeat()],
      [ofPods(clusterId, [foreign.id]), heartbeat()],
      [ofSlurmJobs(clusterId), heartbeat()],
      [ofNamespace(clusterId), maintenance(-60, -1)],
      [ofNamespace(clusterId), maintenance(60, 30)],
    ];
    for (const [filter, trigger] of faults) {
      const [previewed, created] = [
        await ask(filter, trigger),
        await org.operator.post('/v1/policy/pipeline/create', bodyOf(filter, trigger)),
      ];
      const { code, detail, errors } = created.body;
      expect(created.status).toBeGreaterThanOrEqual(400);
      expect(previewed).toMatchObject({ status: created.status, body: { code, detail } });
      expect(previewed.body.errors).toEqual(errors);
    }
    expect(await stored()).toBe(0);
  });
});
