import { buildJob, ownedBy } from '../../../support/builders';
import { syncObjects } from '../../../support/inventory';
import {
  actionsOf,
  beat,
  endActions,
  buildPolicy,
  ofJobs,
  ofNamespace,
  ofPods,
  ofSlurmJobs,
  type Filter,
} from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, ok, podResource, putInfo, putUploaded, syncAll, takeUp } from '../../../support/workloads';

const DUMP = {
  freezing_time: 100,
  frozen_time: 900,
  pages_written: 1_000,
  pages_skipped_parent: 500,
};

describe('activity and workloads of a policy', () => {
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

  const look = async (id: string, at: string) => ok(await org.viewer.get(`/v1/policy/${id}/${at}`)).body;

  describe('activity', () => {
    it('has counts, and shows the newest actions first with their reports', async () => {
      await syncAll(
        org.controller,
        clusterId,
        ['a', 'b', 'c', 'd'].map((name) => podResource({ name })),
      );
      const id = await buildPolicy(org, ofNamespace(clusterId));
      expect(await look(id, 'activity')).toEqual({
        policy_id: id,
        total_checkpoints: 0,
        successful_checkpoints: 0,
        failed_checkpoints: 0,
        recent_checkpoints: [],
        last_checkpoint_at: null,
      });
      await beat(service, id);
      const asked = new Map((await actionsOf(service, id)).map((action) => [action.pod_name, action.id]));
      const first = async (name: string) => takeUp(org, asked.get(name) ?? '');
      const [a, b, c] = [await first('a'), await first('b'), await first('c')];
      ok(await putInfo(org, a, DUMP));
      ok(await putUploaded(org, a));
      ok(await putInfo(org, b, {}, { error: 'broke' }));
      ok(await putInfo(org, c, DUMP));

      service.clock.advance(1);
      await beat(service, id);
      const { recent_checkpoints: recent, ...counts } = await look(id, 'activity');
      expect(counts).toEqual({
        policy_id: id,
        // Workloads with an open action are not requested again.
        total_checkpoints: 6,
        successful_checkpoints: 1,
        failed_checkpoints: 1,
        last_checkpoint_at: service.clock.now().toISOString(),
      });
      expect(recent.length).toBe(6);
      const newer = (recent as { action_id: string }[]).slice(0, 2).map(({ action_id }) => action_id);
      expect(newer.filter((actionId) => [...asked.values()].includes(actionId))).toEqual([]);
      const shown = (name: string) =>
        (recent as { action_id: string }[]).find(({ action_id }) => action_id === asked.get(name));
      expect(shown('a')).toEqual({
        checkpoint_id: a,
        action_id: asked.get('a'),
        pod_name: 'a',
        namespace: 'training',
        status: 'ready',
        completed_at: expect.stringMatching(/Z$/),
        duration_ms: 1,
        size_bytes: 1_000 * 4_096,
      });
      expect(shown('b')).toMatchObject({ status: 'error', completed_at: expect.any(String) });
      expect(shown('c')).toMatchObject({ status: 'checkpoint_created', completed_at: null, checkpoint_id: c });
      expect(shown('d')).toMatchObject({ status: 'initialized', duration_ms: null, size_bytes: null });
    });

    it('shows the newest 50 actions, and counts all', async () => {
      await syncAll(
        org.controller,
        clusterId,
        Array.from({ length: 30 }, () => podResource()),
      );
      const id = await buildPolicy(org, ofNamespace(clusterId));
      const other = await buildPolicy(org, ofNamespace(clusterId));
      for (const policy of [id, other, id, other]) {
        await beat(service, policy);
        await endActions(service);
      }
      const { recent_checkpoints: recent, total_checkpoints: total } = await look(id, 'activity');
      expect([recent.length, total]).toEqual([50, 60]);
      const own = new Set((await actionsOf(service, id)).map((action) => action.id));
      expect((recent as { action_id: string }[]).every(({ action_id }) => own.has(action_id))).toBe(true);
    });

    it('covers Slurm jobs too', async () => {
      const hpc = await slurmCluster(org);
      ok(await syncJobs(org.controller, hpc, [slurmJob(7)]));
      const id = await buildPolicy(org, ofSlurmJobs(hpc, 7));
      await beat(service, id);
      const { recent_checkpoints: recent } = await look(id, 'activity');
      expect(recent).toEqual([expect.objectContaining({ pod_name: 'job-7', namespace: 'gpu', status: 'initialized' })]);
    });
  });

  describe('pods and jobs', () => {
    let trainId: string;
    let otherId: string;
    let podIds: Record<string, string>;
    let hpc: string;

    beforeEach(async () => {
      const train = buildJob('train', { spec: { template: { spec: { priority: 7 } } } });
      const other = buildJob('other', {
        metadata: { namespace: 'else' },
        status: { conditions: [{ type: 'Suspended', status: 'True' }] },
      });
      const ended = buildJob('ended', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
      const of = (name: string, job: typeof train, more: object = {}) => {
        const pod = podResource({ name, ...more });
        return { ...pod, metadata: { ...pod.metadata, ...ownedBy(job) } };
      };
      await syncObjects(
        org.controller,
        clusterId,
        train,
        other,
        ended,
        of('a', train),
        of('b', train),
        of('waits', train, { phase: 'Pending' }),
        of('c', other, { namespace: 'else' }),
        podResource({ name: 'alone' }),
      );
      const rows = async (table: string) =>
        Object.fromEntries(
          (await service.db.query(`select id, name from ${table} where org_id = $1`, [org.id])).rows.map(
            ({ id, name }) => [name as string, id as string],
          ),
        );
      const jobs = await rows('jobs');
      [trainId, otherId] = [jobs.train ?? '', jobs.other ?? ''];
      podIds = await rows('pods');
      hpc = await slurmCluster(org);
      const pending = slurmJob(8, { job_state: ['PENDING'], priority: 2 ** 40, partition: 'cpu' });
      ok(await syncJobs(org.controller, hpc, [slurmJob(7), pending, slurmJob(9, { job_state: ['TIMEOUT'] })]));
    });

    const TRAIN = () => ({
      id: trainId,
      name: 'train',
      namespace: 'default',
      status: 'Running',
      pod_count: 2,
      priority: 7,
    });
    const OTHER = () => ({
      id: otherId,
      name: 'other',
      namespace: 'else',
      status: 'Suspended',
      pod_count: 1,
      priority: null,
    });
    const SLURM = [
      { id: '8', name: 'job-8', namespace: 'cpu', status: 'PENDING', pod_count: 0, priority: null },
      { id: '7', name: 'job-7', namespace: 'gpu', status: 'RUNNING', pod_count: 0, priority: 1 },
    ];
    const FILTERS: [string, () => Filter, string[], () => { id: string; status: string }[], boolean][] = [
      ['a namespace', () => ofNamespace(clusterId), ['a', 'alone', 'b'], () => [TRAIN()], false],
      ['pods', () => ofPods(clusterId, [podIds.c ?? '', podIds.alone ?? '']), ['c', 'alone'], () => [OTHER()], false],
      ['all jobs', () => ofJobs(clusterId), ['c', 'a', 'b'], () => [TRAIN(), OTHER()], true],
      ['jobs of a namespace', () => ofJobs(clusterId, 'else'), ['c'], () => [OTHER()], true],
      ['jobs of a priority', () => ofJobs(clusterId, null, 7), ['a', 'b'], () => [TRAIN()], true],
      ['no jobs', () => ofJobs(clusterId, 'none'), [], () => [], true],
      ['Slurm jobs', () => ofSlurmJobs(hpc, 7, 8, 9, 10), [], () => SLURM, true],
    ];

    it.each(FILTERS)('are those of %s', async (_of, filter, podNames, jobs, isOfJobs) => {
      const id = await buildPolicy(org, filter());
      const pods = await look(id, 'pods');
      const namespaceOf = (name: string) => (name === 'c' ? 'else' : 'training');
      expect(pods).toEqual(
        podNames.map((name) => ({ id: podIds[name], name, namespace: namespaceOf(name), status: 'Running' })),
      );
      expect(await look(id, 'job-status')).toEqual({
        policy_id: id,
        job_ids: jobs().map((job) => job.id),
        tracked_pods: podNames.map((name) => podIds[name]),
        pod_count: podNames.length,
        job_status: [...new Set(jobs().map(({ status }) => status))].sort().join(',') || null,
        last_updated: null,
      });
      if (isOfJobs) {
        expect(await look(id, 'jobs')).toEqual({ policy_id: id, count: jobs().length, affected_jobs: jobs() });
      } else {
        const answer = await org.viewer.get(`/v1/policy/${id}/jobs`);
        expect([answer.status, answer.body.code]).toEqual([404, 'policy_not_of_jobs']);
      }
    });

    it('are counted beyond those that one answer holds', async () => {
      await service.db.query(
        `insert into jobs select (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid(), 'uid', 'uid-' || i))).*
         from jobs j, generate_series(1, 1000) i where j.id = $1`,
        [trainId],
      );
      const id = await buildPolicy(org, ofJobs(clusterId));
      const { count, affected_jobs: affected } = await look(id, 'jobs');
      expect([count, affected.length]).toEqual([1_002, 1_000]);
      const listed = ok(await org.viewer.get('/v1/policy/list')).body.policies[0];
      expect([listed.job_count, listed.resource_list.length]).toEqual([1_002, 1_000]);
    });

    it('are returned page by page', async () => {
      const id = await buildPolicy(org, ofNamespace(clusterId));
      const first = await org.viewer.get(`/v1/policy/${id}/pods?limit=2`);
      expect((first.body as { name: string }[]).map(({ name }) => name)).toEqual(['a', 'alone']);
      expect(first.headers.link).toContain('offset=2');
      expect(((await look(id, 'pods?limit=2&offset=2')) as object[]).length).toBe(1);
      expect((await org.viewer.get(`/v1/policy/${id}/pods?limit=0`)).status).toBe(400);
    });

    it('are matched again on demand, which returns their number and records the time', async () => {
      const [jobs, namespace, slurm, disabled] = [
        await buildPolicy(org, ofJobs(clusterId)),
        await buildPolicy(org, ofNamespace(clusterId)),
        await buildPolicy(org, ofSlurmJobs(hpc, 7, 8)),
        await buildPolicy(org, ofNamespace(clusterId)),
      ];
      await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [disabled]);
      const other = await service.organisation();
      expect((await other.operator.post('/v1/policy/sync-jobs')).text).toBe('matched 0 jobs and 0 pods of 0 policies');
      const updated = async (id: string) => (await look(id, 'job-status')).last_updated as string | null;
      expect(await updated(jobs)).toBeNull();
      const answer = await org.operator.post('/v1/policy/sync-jobs');
      expect([answer.status, answer.text]).toEqual([200, 'matched 5 jobs and 6 pods of 3 policies']);
      const { rows } = await service.db.query('select clock_timestamp() as now');
      for (const id of [jobs, namespace, slurm]) {
        const at = new Date((await updated(id)) ?? 0).getTime();
        expect(Math.abs((rows[0].now as Date).getTime() - at)).toBeLessThan(10_000);
      }
      expect(await updated(disabled)).toBeNull();
      expect((await actionsOf(service, jobs, namespace, slurm)).length).toBe(0);
      const audit = await service.db.query(
        "select details from audit_entries where org_id = $1 and action = 'sync_job_policies'",
        [org.id],
      );
      expect(audit.rows).toEqual([{ details: { policies: 3, jobs: 5, pods: 6 } }]);

      // A beat matches them too.
      const before = await updated(jobs);
      await beat(service, jobs);
      expect(Date.parse((await updated(jobs)) ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
    });
  });
});
