import { buildJob, ownedBy } from '../../../support/builders';
import { syncObjects } from '../../../support/inventory';
import {
  buildPolicy,
  heartbeat,
  maintenance,
  ofJobs,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, buildPod, ok, podResource } from '../../../support/workloads';

const LISTS = ['/v1/policy/list', '/v1/policy/pipeline/list'];

describe('listing policies', () => {
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
  const insertMany = (count: number) =>
    service.db.query(
      `insert into policies (org_id, id, cluster_id, status, trigger, interval_seconds, resource, kind, next_at)
       select $1, gen_random_uuid(), $2, 'active', 'heartbeat', 3600, 'jobs', 'simple', clock_timestamp() + interval '1 hour'
       from generate_series(1, $3)`,
      [org.id, clusterId, count],
    );

  describe.each(LISTS)('GET %s', (path) => {
    it('returns 50 per page by default, at most 100, newest first', async () => {
      await insertMany(120);
      const newest = await buildPolicy(org, ofJobs(clusterId));
      const first = await list('', path);
      expect([first.policies.length, first.total_count, first.automatic_policies]).toEqual([50, 121, undefined]);
      expect(first.policies[0].id).toBe(newest);
      const all = [...idsOf(await list('?limit=1000', path)), ...idsOf(await list('?limit=100&offset=100', path))];
      expect([all.length, new Set(all).size]).toEqual([121, 121]);
      expect(all.slice(0, 50)).toEqual(idsOf(first));
      expect(await list('?offset=121', path)).toMatchObject({ policies: [], total_count: 121 });
    });

    it.each(['limit=0', 'limit=x', 'offset=-1', 'include_automatic=yes'])('answers 400 for %s', async (query) => {
      expect((await org.viewer.get(`${path}?${query}`)).status).toBe(400);
    });

    it('filters by status and resource', async () => {
      const pod = await buildPod(org, clusterId);
      const [a, b, c] = [
        await buildPolicy(org, ofNamespace(clusterId), heartbeat(), { name: 'Training, hourly' }),
        await buildPolicy(org, ofPods(clusterId, [pod.id])),
        await buildPolicy(org, ofSlurmJobs(clusterId, 1), heartbeat(), { name: '100 % of hpc' }),
      ];
      await service.db.query("update policies set status = 'disabled', next_at = null where id = any($1)", [[a, c]]);
      const found = async (query: string) => {
        const answer = await list(query, path);
        expect(answer.total_count).toBe(answer.policies.length);
        return idsOf(answer);
      };
      expect(await found('')).toEqual([c, b, a]);
      expect(await found('?status=disabled')).toEqual([c, a]);
      expect(await found('?status=active')).toEqual([b]);
      expect(await found('?resource=namespace')).toEqual([a]);
      expect(await found('?resource=slurm_jobs&status=disabled')).toEqual([c]);
      expect(await found('?resource=pods&status=disabled')).toEqual([]);
      expect(await found('?status=creating')).toEqual([]);
      expect(await found('?name=HOURLY')).toEqual([a]);
      expect(await found('?name=%25')).toEqual([c]);
      expect(await found('?name=training&status=active')).toEqual([]);
    });
  });

  it('shows the scope of each policy and how many workloads it acts on', async () => {
    const [uid, gone] = [buildJob('train', { spec: { template: { spec: { priority: 7 } } } }), buildJob('gone')];
    const done = buildJob('done', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
    await syncObjects(
      org.controller,
      clusterId,
      uid,
      gone,
      done,
      buildJob('other', { metadata: { namespace: 'other' } }),
    );
    const owned = (name: string, of = uid) => {
      const pod = podResource({ name });
      return { ...pod, metadata: { ...pod.metadata, ...ownedBy(of) } };
    };
    await syncObjects(
      org.controller,
      clusterId,
      owned('a'),
      owned('b'),
      owned('c', done),
      podResource({ phase: 'Pending' }),
    );
    await service.db.query("update jobs set deleted = true where name = 'gone'");
    const single = await buildPod(org, clusterId, { namespace: 'single' });
    const hpc = await slurmCluster(org);
    ok(await syncJobs(org.controller, hpc, [slurmJob(1), slurmJob(2, { job_state: ['PENDING'] })]));
    ok(await syncJobs(org.controller, hpc, [slurmJob(3, { job_state: ['COMPLETED'] }), slurmJob(4)]));
    await service.db.query(
      "update slurm_jobs set synced_at = clock_timestamp() - interval '6 minutes' where org_id = $1 and job_id = 4",
      [org.id],
    );
    const { rows } = await service.db.query("select id from jobs where org_id = $1 and name = 'train'", [org.id]);
    const trainId = rows[0].id as string;

    const expected: [string, object][] = [];
    const make = async (filter: Parameters<typeof buildPolicy>[1], shown: object, trigger = heartbeat(60)) =>
      expected.unshift([await buildPolicy(org, filter, trigger), shown]);
    await make(ofNamespace(clusterId), {
      resource: 'namespace',
      resource_list: ['training'],
      namespace: 'training',
      pod_count: 3,
      job_count: null,
      policy_type: 'heartbeat',
      input: 60,
      cluster_id: clusterId,
      start_time: null,
      end_time: null,
    });
    await make(ofNamespace(clusterId, 'nobody'), { pod_count: 0 });
    await make(ofPods(clusterId, [single.id]), {
      resource_list: [single.id],
      namespace: null,
      pod_count: 1,
      job_count: null,
    });
    await make(ofJobs(clusterId, 'default'), {
      resource_list: [trainId],
      namespace: 'default',
      pod_count: 2,
      job_count: 1,
    });
    await make(ofJobs(clusterId, null, 7), { resource_list: [trainId], namespace: null, pod_count: 2, job_count: 1 });
    await make(ofJobs(clusterId), { pod_count: 2, job_count: 2 });
    await make(ofJobs(clusterId, null, 8), { resource_list: [], pod_count: 0, job_count: 0 });
    // Ended workloads, and those that are no longer reported, do not count.
    await make(ofSlurmJobs(hpc, 1, 2, 3, 4, 99), {
      resource: 'slurm_jobs',
      resource_list: ['1', '2', '3', '4', '99'],
      cluster_id: hpc,
      pod_count: 0,
      job_count: 2,
    });
    const window = maintenance(3_600, 7_200);
    await make(ofNamespace(clusterId), { policy_type: 'maintenance', input: 3_600, ...window.config }, window);

    const { policies } = await list();
    expect(policies).toEqual(
      expected.map(([id, shown]) => expect.objectContaining({ id, status: 'active', ...shown })),
    );
    const counts = (rows: { id: string; pod_count: number; job_count: number | null }[]) =>
      rows.map(({ id, pod_count, job_count }) => [id, pod_count, job_count]);
    expect(counts((await list('', '/v1/policy/pipeline/list')).policies)).toEqual(counts(policies));
    const [newest] = policies as { id: string; timestamp: string }[];
    expect((await org.viewer.get(`/v1/policy/pipeline/${newest?.id}`)).body).toMatchObject({
      id: newest?.id,
      pod_count: 3,
      job_count: null,
      timestamp: newest?.timestamp,
      pipeline: { trigger: window },
    });
  });

  it('counts nothing of a silent cluster or node', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId));
    await buildPod(org, clusterId);
    const count = async () => (await org.viewer.get(`/v1/policy/pipeline/${id}`)).body.pod_count;
    expect(await count()).toBe(1);
    for (const [table, column] of [
      ['nodes', 'synced_at'],
      ['clusters', 'last_sync'],
    ]) {
      const move = (by: string) =>
        service.db.query(`update ${table} set ${column} = ${column} + interval '${by}' where org_id = $1`, [org.id]);
      await move('-6 minutes');
      expect(await count()).toBe(0);
      await move('6 minutes');
      expect(await count()).toBe(1);
    }
  });
});
