import { newId } from '../../../../src/1-platform/common/ids';
import {
  CHECKPOINT_STATUSES,
  type CheckpointStatus,
} from '../../../../src/3-checkpointing/checkpoints/checkpoint.states';
import { Service, type Answer, type Organisation } from '../../../support/service';
import {
  askSlurmCheckpoint,
  deprecateSlurm,
  flatJob,
  putSlurmInfo,
  putSlurmUploaded,
  takeUpSlurm,
} from '../../../support/slurm-checkpoints';
import { slurmCluster, syncJobs } from '../../../support/slurm-builders';
import { ok, readyCheckpoint, buildCluster, buildPod, takeUp, askCheckpoint } from '../../../support/workloads';

const DUMP = { freezing_time: 100, frozen_time: 900, pages_written: 1_000, pages_skipped_parent: 500 };

describe('changes of a checkpoint of a Slurm job', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await slurmCluster(org);
    ok(await syncJobs(org.controller, clusterId, [flatJob(7), flatJob(8)]));
  });
  afterAll(() => service.close());

  const checkpoint = async (id: string) => (await org.viewer.get(`/v1/slurm/checkpoints?ids=${id}`)).body[0];
  const action = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;
  const fact = async (id: string) => (await org.viewer.get(`/v1/operations/${id}`)).body;

  async function inStatus(status: CheckpointStatus): Promise<{ actionId: string; id: string }> {
    const actionId = await askSlurmCheckpoint(org, clusterId, 7);
    const id = await takeUpSlurm(org, actionId);
    if (status === 'deprecated') ok(await deprecateSlurm(org, id));
    if (status === 'updated_info' || status === 'possibly_uploaded') ok(await putSlurmInfo(org, id, DUMP));
    if (status === 'possibly_uploaded') {
      await service.db.query("update actions set ended_at = clock_timestamp() - interval '11 minutes' where id = $1", [
        actionId,
      ]);
      await service.sweep('presumed uploads');
    }
    if (status === 'ready') ok(await putSlurmUploaded(org, id, '/path'));
    expect((await checkpoint(id)).status).toBe(status);
    return { actionId, id };
  }

  const everything = async (id: string, actionId: string) => ({
    checkpoint: await checkpoint(id),
    action: await action(actionId),
    fact: await fact(id),
    audit: (await service.db.query('select count(*) from audit_entries')).rows,
  });

  const MOVES: Record<
    string,
    { send: (id: string) => Promise<Answer>; to: CheckpointStatus; from: CheckpointStatus[] }
  > = {
    info: {
      send: (id) => putSlurmInfo(org, id, { ...DUMP, frozen_time: 901 }),
      to: 'updated_info',
      from: ['initializing', 'updated_info'],
    },
    uploaded: {
      send: (id) => putSlurmUploaded(org, id, '/path'),
      to: 'ready',
      from: ['initializing', 'updated_info', 'possibly_uploaded', 'ready'],
    },
    deprecate: { send: (id) => deprecateSlurm(org, id), to: 'deprecated', from: [...CHECKPOINT_STATUSES] },
    failure: {
      send: (id) => putSlurmInfo(org, id, DUMP, { error: 'it broke' }),
      to: 'deprecated',
      from: ['initializing', 'updated_info', 'possibly_uploaded', 'deprecated'],
    },
  };
  const CASES = Object.keys(MOVES).flatMap((move) => CHECKPOINT_STATUSES.map((from) => [move, from] as const));

  it.each(CASES)('follow the transition table: %s of one that is %s', async (name, from) => {
    const move = MOVES[name];
    const { actionId, id } = await inStatus(from);
    const before = await everything(id, actionId);
    const answer = await move?.send(id);
    if (move?.from.includes(from)) {
      expect(answer).toMatchObject({ status: 200, text: id });
      expect((await checkpoint(id)).status).toBe(move.to);
    } else {
      expect(answer).toMatchObject({ status: 409, body: { code: 'checkpoint_state_conflict' } });
      expect(await everything(id, actionId)).toEqual(before);
    }
  });

  it('move its action along, and create a fact of a Slurm workload', async () => {
    const { actionId, id } = await inStatus('initializing');
    expect((await action(actionId)).status).toBe('processing');
    ok(await putSlurmInfo(org, id, { ...DUMP, checksum: 'sha256:1' }));
    expect((await action(actionId)).status).toBe('checkpoint_created');
    ok(await putSlurmUploaded(org, id, '/scratch/7'));
    expect(await action(actionId)).toMatchObject({
      status: 'ready',
      platform: 'slurm',
      gpu: 'NVIDIA H100',
      restore_path: '/scratch/7',
      checkpoint_size: 1_000 * 4_096,
    });
    expect((await org.viewer.get(`/v1/checkpoint/status/${actionId}`)).body.status).toBe('ready');
    expect(await fact(id)).toMatchObject({
      op_type: 'checkpoint',
      result: 'succeeded',
      workload_type: 'slurm',
      action_id: actionId,
      cluster_id: clusterId,
      name: 'job-7',
      namespace: 'gpu',
      node_name: 'n[1-2]',
      physical_bytes: 1_000 * 4_096,
    });
    expect(await checkpoint(id)).toEqual({
      id,
      status: 'ready',
      gpu: 'NVIDIA H100',
      checksum: 'sha256:1',
      name: 'job-7',
      info: { ...DUMP, checksum: 'sha256:1' },
      action_id: actionId,
      job_id: 7,
      cluster_id: clusterId,
      created_at: expect.stringMatching(/Z$/),
      bytes_removed_at: null,
    });
    const summary = (workload: string) => org.viewer.get(`/v1/metrics/operations/summary?workload=${workload}`);
    expect((await summary('slurm')).body.succeeded).toBeGreaterThan(0);
    expect((await summary('kubernetes')).body.attempts).toBe(0);
  });

  it.each(['put', 'post', 'patch'] as const)(
    'answer 404 if it is unknown or of another organisation, 400 for a malformed id (%s)',
    async (method) => {
      const path = { put: 'info', post: 'uploaded', patch: 'deprecate' }[method];
      const body = method === 'put' ? { gpu: '', platform: '' } : {};
      const { id } = await inStatus('updated_info');
      expect((await org.operator[method](`/v1/slurm/checkpoints/${path}/${newId()}`, body)).status).toBe(404);
      expect((await other.operator[method](`/v1/slurm/checkpoints/${path}/${id}`, body)).status).toBe(404);
      expect((await org.operator[method](`/v1/slurm/checkpoints/${path}/x`, body)).status).toBe(400);
      expect((await org.viewer[method](`/v1/slurm/checkpoints/${path}/${id}`, body)).status).toBe(403);
      expect((await checkpoint(id)).status).toBe('updated_info');
    },
  );

  it('answer 404 here for a checkpoint of a pod', async () => {
    const pod = await buildPod(other, await buildCluster(other));
    const actionId = await askCheckpoint(other, pod.uid);
    const id = await takeUp(other, actionId);
    expect((await putSlurmInfo(other, id, DUMP)).body.code).toBe('checkpoint_not_found');
    expect((await putSlurmUploaded(other, id)).body.code).toBe('checkpoint_not_found');
    expect((await deprecateSlurm(other, id)).body.code).toBe('checkpoint_not_found');
    expect((await other.viewer.get(`/v1/slurm/checkpoints?ids=${id}`)).body).toEqual([]);
    const made = await other.controller.post('/v1/slurm/checkpoints', { action_id: actionId });
    expect([made.status, made.body.code]).toEqual([409, 'workload_type_conflict']);
    expect((await other.viewer.get(`/v1/checkpoints?ids=${id}`)).body[0].status).toBe('initializing');
  });

  it('may be reported through the operations of checkpoints too', async () => {
    const actionId = await askSlurmCheckpoint(org, clusterId, 7);
    const id = await takeUp(org, actionId);
    ok(await org.controller.put(`/v1/checkpoints/info/${id}`, { gpu: 'A', platform: 'p', info: DUMP }));
    ok(await org.controller.post(`/v1/checkpoints/uploaded/${id}`, {}));
    expect(await checkpoint(id)).toMatchObject({ status: 'ready', job_id: 7, action_id: actionId });
    expect((await fact(id)).workload_type).toBe('slurm');
  });

  it('work without an action too', async () => {
    const id = ok(await org.controller.post('/v1/slurm/checkpoints')).text;
    const named = ok(await org.controller.post('/v1/slurm/checkpoints', { name: 'alone' })).text;
    ok(await putSlurmInfo(org, id, DUMP));
    ok(await putSlurmUploaded(org, id));
    expect(await checkpoint(id)).toMatchObject({
      status: 'ready',
      action_id: null,
      job_id: null,
      name: null,
      cluster_id: null,
    });
    expect(await checkpoint(named)).toMatchObject({ status: 'initializing', name: 'alone' });
    expect(await fact(id)).toMatchObject({ result: 'succeeded', workload_type: 'slurm', action_id: '' });
  });

  it('work on one checkpoint for each task that requests one', async () => {
    const actionId = await askSlurmCheckpoint(org, clusterId, 8);
    const [a, b] = [
      await takeUpSlurm(org, actionId, { container_name: 'n1' }),
      await takeUpSlurm(org, actionId, { container_name: 'n2' }),
    ];
    expect(await takeUpSlurm(org, actionId, { container_name: 'n1' })).toBe(a);
    expect((await action(actionId)).checkpoint_ids).toEqual([a, b]);
    expect(await checkpoint(b)).toMatchObject({ job_id: 8, name: 'job-8', action_id: actionId });
    ok(await putSlurmUploaded(org, a));
    expect((await action(actionId)).status).toBe('processing');
    ok(await putSlurmUploaded(org, b));
    expect((await action(actionId)).status).toBe('ready');
  });

  it('return the path of the newest ready checkpoint of a job, of Slurm only', async () => {
    const path = (name: string, of = org) => of.viewer.get(`/v1/slurm/checkpoint/path?name=${name}`);
    const name = `job-${newId()}`;
    expect((await path(name)).body.code).toBe('checkpoint_not_found');
    for (const at of ['/1', '/2']) {
      service.clock.advance(1);
      const id = await takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 7), { name });
      ok(await putSlurmUploaded(org, id, at));
    }
    service.clock.advance(1);
    await readyCheckpoint(org, (await buildPod(org, await buildCluster(org))).uid, { name, path: '/of-a-pod' });
    expect(await path(name)).toMatchObject({ status: 200, text: '/2' });
    expect((await path(name, other)).status).toBe(404);
    expect((await org.viewer.get('/v1/slurm/checkpoint/path')).status).toBe(400);
  });
});
