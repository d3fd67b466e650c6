import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import {
  askSlurmCheckpoint,
  deprecateSlurm,
  flatJob,
  putSlurmInfo,
  putSlurmUploaded,
  takeUpSlurm,
} from '../../../support/slurm-checkpoints';
import { slurmCluster, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, buildPod, ok, readyCheckpoint, reportRestore } from '../../../support/workloads';

describe('checkpoints of Slurm jobs', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    other = await service.organisation();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await slurmCluster(org);
    ok(await syncJobs(org.controller, clusterId, [flatJob(7), flatJob(8)]));
  });
  afterAll(() => service.close());

  async function ready(jobId = 7, info?: unknown): Promise<{ actionId: string; id: string }> {
    const actionId = await askSlurmCheckpoint(org, clusterId, jobId);
    const id = await takeUpSlurm(org, actionId);
    ok(await putSlurmInfo(org, id, info));
    ok(await putSlurmUploaded(org, id, '/scratch/7'));
    return { actionId, id };
  }

  describe('are listed', () => {
    const list = async (query = '') =>
      ok(await org.viewer.get(`/v1/slurm/checkpoints${query}`)).body as { id: string }[];
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

    it('are listed newest first, by id, job and cluster', async () => {
      const second = await slurmCluster(org, 'second');
      ok(await syncJobs(org.controller, second, [flatJob(7)]));
      const made: string[] = [];
      for (const [cluster, job] of [
        [clusterId, 7],
        [clusterId, 8],
        [second, 7],
      ] as const) {
        service.clock.advance(1);
        made.unshift(await takeUpSlurm(org, await askSlurmCheckpoint(org, cluster, job)));
      }
      service.clock.advance(1);
      const alone = ok(await org.controller.post('/v1/slurm/checkpoints')).text;
      await readyCheckpoint(org, (await buildPod(org, await buildCluster(org))).uid);
      const [third = '', eighth = '', first = ''] = made;
      expect(idsOf(await list())).toEqual([alone, third, eighth, first]);
      expect(idsOf(await list('?job_id=7'))).toEqual([third, first]);
      expect(idsOf(await list(`?job_id=7&cluster_id=${clusterId.toUpperCase()}`))).toEqual([first]);
      expect(idsOf(await list(`?cluster_id=${clusterId}`))).toEqual([eighth, first]);
      expect(idsOf(await list(`?ids=${first},%20${alone}`))).toEqual([alone, first]);
      expect(idsOf(await list(`?ids=${first}&job_id=8`))).toEqual([]);
      expect(await list(`?cluster_id=${newId()}`)).toEqual([]);
      expect(await list('?cluster_id=hpc')).toEqual([]);
      expect(await list('?job_id=99')).toEqual([]);
      expect((await other.viewer.get(`/v1/slurm/checkpoints?ids=${first}`)).body).toEqual([]);
      // The list of all checkpoints contains them too, without Slurm's own members.
      const all = (await org.viewer.get(`/v1/checkpoints?ids=${first}`)).body;
      expect(all).toEqual([expect.objectContaining({ id: first, pod_name: 'job-7', namespace: 'gpu' })]);
      expect(all[0]).not.toHaveProperty('slurm_job_id');
    });

    it('page by page', async () => {
      const made: string[] = [];
      for (let i = 0; i < 3; i++) {
        service.clock.advance(1);
        made.unshift(await takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 7)));
      }
      const first = await org.viewer.get('/v1/slurm/checkpoints?job_id=7&limit=2');
      expect(idsOf(first.body)).toEqual(made.slice(0, 2));
      expect(first.headers.link).toMatch(/job_id=7.*offset=2|offset=2.*job_id=7/);
      expect(idsOf(await list('?job_id=7&limit=2&offset=2'))).toEqual(made.slice(2));
    });

    it('are listed by status, and by part of a name', async () => {
      const seventh = await takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 7));
      service.clock.advance(1);
      const eighth = await takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 8));
      ok(await org.operator.patch(`/v1/slurm/checkpoints/deprecate/${seventh}`));
      expect(idsOf(await list('?status=deprecated'))).toEqual([seventh]);
      expect(idsOf(await list('?status=initializing'))).toEqual([eighth]);
      expect(idsOf(await list('?status=ready'))).toEqual([]);
      expect(idsOf(await list('?name=B-8'))).toEqual([eighth]);
      expect(idsOf(await list('?name=job'))).toEqual([eighth, seventh]);
      expect(idsOf(await list('?name=job&status=deprecated'))).toEqual([seventh]);
      expect(idsOf(await list('?name=j%25'))).toEqual([]);
    });

    it.each(['status=done', 'job_id=x', 'job_id=0', 'job_id=7,8', 'ids=x', 'limit=0'])(
      'answers 400 for the list with %s',
      async (query) => {
        expect((await org.viewer.get(`/v1/slurm/checkpoints?${query}`)).status).toBe(400);
      },
    );
  });

  describe('are restored', () => {
    const restore = (body: object, caller = org.operator) => caller.post('/v1/slurm/restore/job', body);
    const action = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;

    it('are restored by a new action, with an event for the cluster', async () => {
      const { actionId, id } = await ready();
      const answer = await restore({ action_id: actionId, reason: 'nodeTermination' });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(answer.text).not.toBe(actionId);
      expect(await action(answer.text)).toMatchObject({
        type: 'restore_pod',
        status: 'initialized',
        reason: 'nodeTermination',
        platform: 'slurm',
        checkpoint_id: id,
        restore_path: '/scratch/7',
        node_name: null,
        details: { action_id: actionId, reason: 'nodeTermination' },
      });
      const { rows } = await service.db.query('select * from outbox_events where aggregate_id = $1', [answer.text]);
      expect(rows).toEqual([
        expect.objectContaining({
          event_type: 'slurm.restore_requested',
          cluster_id: clusterId,
          payload: {
            action_id: answer.text,
            checkpoint_id: id,
            checkpoint_action_id: actionId,
            cluster_id: clusterId,
            job_id: expect.any(Number),
          },
        }),
      ]);
      const audit = await service.db.query('select action, details from audit_entries where resource_id = $1', [
        answer.text,
      ]);
      expect(audit.rows).toEqual([
        { action: 'restore_slurm_job', details: { checkpoint_action_id: actionId, reason: 'nodeTermination' } },
      ]);
      expect((await action(actionId)).status).toBe('ready');
    });

    it('are restored manually by default, and on another cluster if one is named', async () => {
      const { actionId } = await ready();
      const second = await slurmCluster(org, 'second');
      const id = ok(await restore({ action_id: actionId, cluster_id: second })).text;
      const { rows } = await service.db.query('select cluster_id, reason, slurm_job_id from actions where id = $1', [
        id,
      ]);
      expect(rows).toEqual([{ cluster_id: second, reason: 'manual', slurm_job_id: '7' }]);
      const same = ok(await restore({ action_id: actionId, cluster_id: null })).text;
      expect((await service.db.query('select cluster_id from actions where id = $1', [same])).rows).toEqual([
        { cluster_id: clusterId },
      ]);
    });

    it('are not restored on a Kubernetes cluster, whose controller knows no jobs', async () => {
      const { actionId } = await ready();
      const pods = ok(await org.operator.post('/v1/cluster', { cluster_name: newId(), kind: 'kubernetes' })).text;
      const answer = await restore({ action_id: actionId, cluster_id: pods.toUpperCase() });
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        [{ field: 'cluster_id', message: 'must be the id of a Slurm cluster' }],
      ]);
    });

    it('are not restored if nothing is ready, nor if the action is unknown or of another organisation', async () => {
      const waiting = await askSlurmCheckpoint(org, clusterId, 7);
      const { actionId, id } = await ready();
      expect((await restore({ action_id: waiting })).body.code).toBe('checkpoint_not_ready');
      for (const action_id of [newId(), 'x']) expect((await restore({ action_id })).body.code).toBe('action_not_found');
      expect((await restore({ action_id: actionId }, other.operator)).body.code).toBe('action_not_found');
      for (const cluster_id of [newId(), await slurmCluster(other, newId()), 'hpc'])
        expect((await restore({ action_id: actionId, cluster_id })).body.code).toBe('cluster_not_found');
      ok(await deprecateSlurm(org, id));
      expect(await restore({ action_id: actionId })).toMatchObject({ status: 409 });
    });

    it.each<[string, object]>([
      ['no action', {}],
      ['an action that is null', { action_id: null }],
      ['an empty reason', { action_id: newId(), reason: '' }],
      ['an unknown member', { action_id: newId(), overrides: {} }],
    ])('are not restored with %s, which answers 400', async (_what, body) => {
      expect((await restore(body)).status).toBe(400);
    });

    it('only by the operation for their kind: others answer 409', async () => {
      const { actionId } = await ready();
      const pod = await readyCheckpoint(org, (await buildPod(org, await buildCluster(org))).uid);
      const wrong = [
        await restore({ action_id: pod.actionId }),
        await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' }),
      ];
      for (const answer of wrong) expect([answer.status, answer.body.code]).toEqual([409, 'workload_type_conflict']);
      const restoring = ok(await restore({ action_id: actionId })).text;
      expect((await restore({ action_id: restoring })).body.code).toBe('not_a_checkpoint_action');
      const again = await org.controller.post('/v1/slurm/checkpoints', { action_id: restoring });
      expect([again.status, again.body.code]).toEqual([409, 'not_a_checkpoint_action']);
    });

    it('are restored by events, which move the action and create a fact of a Slurm workload', async () => {
      const { actionId, id } = await ready();
      const restoring = ok(await restore({ action_id: actionId })).text;
      const event = { restore_uuid: newId(), action_id: restoring };
      ok(await reportRestore(org, 'restore_start', event));
      expect((await action(restoring)).status).toBe('processing');
      ok(await reportRestore(org, 'restore_success', event));
      expect((await action(restoring)).status).toBe('ready');
      expect((await org.viewer.get(`/v1/operations/${event.restore_uuid}`)).body).toMatchObject({
        op_type: 'restore',
        result: 'succeeded',
        workload_type: 'slurm',
        checkpoint_id: id,
        cluster_id: clusterId,
        name: 'job-7',
      });
      const failing = ok(await restore({ action_id: actionId })).text;
      ok(
        await reportRestore(org, 'restore_error', {
          restore_uuid: newId(),
          action_id: failing,
          error_message: 'no such node',
        }),
      );
      expect(await action(failing)).toMatchObject({ status: 'error', error: 'no such node' });
      const restores = (await org.viewer.get(`/v1/operations/${id}`)).body.restores;
      expect(restores.length).toBe(2);
    });
  });
});
