import { newId } from '../../../../src/1-platform/common/ids';
import {
  CHECKPOINT_STATUSES,
  type CheckpointStatus,
} from '../../../../src/3-checkpointing/checkpoints/checkpoint.states';
import { inParallel } from '../../../support/random';
import { Service, type Answer, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  samplesOf,
  takeUp,
  type RunningPod,
} from '../../../support/workloads';

const DUMP = { freezing_time: 100, frozen_time: 900, pages_written: 1_000, pages_skipped_parent: 500 };

describe('changes of a checkpoint', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    pod = await buildPod(org, await buildCluster(org));
  });
  afterAll(() => service.close());

  const statusOf = async (actionId: string) => (await org.viewer.get(`/v1/checkpoint/status/${actionId}`)).body;
  const checkpoint = async (id: string) => (await org.viewer.get(`/v1/checkpoints?ids=${id}`)).body[0];
  const fact = async (id: string) => (await org.viewer.get(`/v1/operations/${id}`)).body;
  const deprecate = (id: string) => org.operator.patch(`/v1/checkpoints/deprecate/${id}`);

  const presume = async (actionId: string, minutesAgo: number) => {
    await service.db.query(
      `update actions set ended_at = clock_timestamp() - make_interval(mins => $2) where id = $1`,
      [actionId, minutesAgo],
    );
    await service.sweep('presumed uploads');
  };

  /** A checkpoint of an action of its own, in a status that the API brought it to. */
  async function inStatus(status: CheckpointStatus): Promise<{ actionId: string; id: string }> {
    const actionId = await askCheckpoint(org, pod.uid);
    const id = await takeUp(org, actionId);
    if (status === 'deprecated') ok(await deprecate(id));
    if (status === 'updated_info' || status === 'possibly_uploaded') ok(await putInfo(org, id, DUMP));
    if (status === 'possibly_uploaded') await presume(actionId, 11);
    if (status === 'ready') ok(await putUploaded(org, id, '/path'));
    expect((await checkpoint(id)).status).toBe(status);
    return { actionId, id };
  }

  /** Everything that a refused change must leave as it was. */
  const everything = async (id: string, actionId: string) => ({
    checkpoint: await checkpoint(id),
    action: (await org.viewer.get(`/v1/actions/${actionId}`)).body,
    fact: await fact(id),
    audit: (await service.db.query('select count(*) from audit_entries')).rows,
    export: (await org.viewer.get('/v1/metrics/export')).text,
  });

  const MOVES: Record<
    string,
    { send: (id: string) => Promise<Answer>; to: CheckpointStatus; from: CheckpointStatus[] }
  > = {
    info: {
      send: (id) => putInfo(org, id, { ...DUMP, frozen_time: 901 }),
      to: 'updated_info',
      from: ['initializing', 'updated_info'],
    },
    uploaded: {
      send: (id) => putUploaded(org, id, '/path'),
      to: 'ready',
      from: ['initializing', 'updated_info', 'possibly_uploaded', 'ready'],
    },
    deprecate: { send: (id) => deprecate(id), to: 'deprecated', from: [...CHECKPOINT_STATUSES] },
    failure: {
      send: (id) => putInfo(org, id, DUMP, { error: 'it broke' }),
      to: 'deprecated',
      // Deprecated before it was ready, so it counts as failed.
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

  it('change nothing when a node that was killed repeats its facts, until the checkpoint is given up', async () => {
    const { actionId, id } = await inStatus('possibly_uploaded');
    const repeated = async () => {
      const { audit: _one, ...before } = await everything(id, actionId);
      expect(await putInfo(org, id, DUMP)).toMatchObject({ status: 200, text: id });
      const { audit: _other, ...after } = await everything(id, actionId);
      expect(after).toEqual(before);
    };
    await repeated();
    ok(await putUploaded(org, id, '/path'));
    await repeated();
    for (const other of [{ gpu: '' }, { platform: 'linux/arm64' }])
      expect((await putInfo(org, id, DUMP, other)).status).toBe(409);
    ok(await deprecate(id));
    expect((await putInfo(org, id, DUMP)).status).toBe(409);
  });

  it('refuses a report of a failure after the ready checkpoint was deprecated', async () => {
    const { id, actionId } = await inStatus('ready');
    ok(await deprecate(id));
    const before = await everything(id, actionId);
    expect((await putInfo(org, id, DUMP, { error: 'late' })).status).toBe(409);
    expect(await everything(id, actionId)).toEqual(before);
  });

  it.each(['put', 'post', 'patch'] as const)(
    'answer 404 if it is unknown or of another organisation, and 400 for a malformed id (%s)',
    async (method) => {
      const path = { put: 'info', post: 'uploaded', patch: 'deprecate' }[method];
      const body = method === 'put' ? { gpu: '', platform: '' } : {};
      const { id } = await inStatus('updated_info');
      expect((await org.operator[method](`/v1/checkpoints/${path}/${newId()}`, body)).status).toBe(404);
      expect((await other.operator[method](`/v1/checkpoints/${path}/${id}`, body)).status).toBe(404);
      expect((await org.operator[method](`/v1/checkpoints/${path}/x`, body)).status).toBe(400);
      expect((await org.viewer[method](`/v1/checkpoints/${path}/${id}`, body)).status).toBe(403);
      expect((await checkpoint(id)).status).toBe('updated_info');
    },
  );

  describe('affect its action, which', () => {
    it('is ready when all are, in any order', async () => {
      const actionId = await askCheckpoint(org, pod.uid);
      const [a, b, c] = [await takeUp(org, actionId), await takeUp(org, actionId), await takeUp(org, actionId)] as [
        string,
        string,
        string,
      ];
      ok(await putUploaded(org, c));
      expect(await statusOf(actionId)).toEqual({ status: 'processing', details: null });
      ok(await putInfo(org, a, DUMP));
      expect((await statusOf(actionId)).status).toBe('processing');
      ok(await putInfo(org, b, DUMP));
      expect((await statusOf(actionId)).status).toBe('checkpoint_created');
      ok(await putUploaded(org, b));
      expect((await statusOf(actionId)).status).toBe('checkpoint_created');
      ok(await putUploaded(org, a));
      expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
    });

    it('is in error when one fails, while the others continue', async () => {
      const actionId = await askCheckpoint(org, pod.uid);
      const [a, b] = [await takeUp(org, actionId), await takeUp(org, actionId)] as [string, string];
      ok(await putInfo(org, a, { ...DUMP, failure_stage: 'memdump' }, { error: 'CUDA: out of memory' }));
      expect(await statusOf(actionId)).toEqual({ status: 'error', details: 'CUDA: out of memory' });
      expect(await checkpoint(a)).toMatchObject({ status: 'deprecated', gpu: 'NVIDIA H100' });
      expect(await fact(a)).toMatchObject({
        result: 'failed',
        failure_reason: 'CUDA: out of memory',
        failure_stage: 'memdump',
      });
      ok(await putInfo(org, b, DUMP));
      ok(await putUploaded(org, b, '/b'));
      expect(await checkpoint(b)).toMatchObject({ status: 'ready' });
      expect((await fact(b)).result).toBe('succeeded');
      expect(await statusOf(actionId)).toEqual({ status: 'error', details: 'CUDA: out of memory' });
    });

    it('is ready when two containers become ready concurrently', async () => {
      const ends: string[] = [];
      const pair = await buildPod(org, pod.clusterId, { containers: ['a', 'b'] });
      await inParallel(Array(20).fill(pair.uid), 4, async (uid: string) => {
        const actionId = await askCheckpoint(org, uid);
        const [a, b] = [
          await takeUp(org, actionId, { container_name: 'a' }),
          await takeUp(org, actionId, { container_name: 'b' }),
        ];
        await Promise.all([putInfo(org, a, DUMP).then(ok), putInfo(org, b, DUMP).then(ok)]);
        expect((await statusOf(actionId)).status).toBe('checkpoint_created');
        await Promise.all([putUploaded(org, a).then(ok), putUploaded(org, b).then(ok)]);
        ends.push((await statusOf(actionId)).status as string);
      });
      expect(ends).toEqual(Array(20).fill('ready'));
    });

    it('is in error when one fails while the other becomes ready', async () => {
      const ends: string[] = [];
      await inParallel(Array(10).fill(pod.uid), 4, async (uid: string) => {
        const actionId = await askCheckpoint(org, uid);
        const [a, b] = [await takeUp(org, actionId), await takeUp(org, actionId)];
        await Promise.all([putUploaded(org, a).then(ok), putInfo(org, b, null, { error: 'broke' }).then(ok)]);
        ends.push((await statusOf(actionId)).status as string);
      });
      expect(ends).toEqual(Array(10).fill('error'));
    });

    it('stays ready when its checkpoint is deprecated later', async () => {
      const { actionId, checkpointId } = await readyCheckpoint(org, pod.uid);
      ok(await deprecate(checkpointId));
      expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
    });
  });

  describe('by reports', () => {
    it('replace the info, and keep every digit of big integers', async () => {
      const { id } = await inStatus('updated_info');
      const raw =
        '{"gpu":"A","platform":"p","info":{"big":123456789012345678901234567890,"checksum":"sha256:1","page_size":16384,"pages_written":3,"frozen_time":2}}';
      ok(await org.controller.put(`/v1/checkpoints/info/${id}`, raw));
      const listed = await org.viewer.get(`/v1/checkpoints?ids=${id}`);
      expect(listed.text).toContain('123456789012345678901234567890');
      expect(listed.body[0]).toMatchObject({ gpu: 'A', platform: 'p', checksum: 'sha256:1' });
      expect(await fact(id)).toMatchObject({
        result: 'running',
        physical_bytes: 3 * 16_384,
        pause_ns: 2_000,
        gpu_model: 'A',
      });
    });

    it('keep earlier measurements when they report a failure', async () => {
      const { id } = await inStatus('updated_info');
      ok(await org.controller.put(`/v1/checkpoints/info/${id}`, { gpu: 'A', platform: 'p', error: 'upload failed' }));
      expect((await checkpoint(id)).info).toEqual(DUMP);
      expect(await fact(id)).toMatchObject({
        result: 'failed',
        duration_ns: 1_000_000,
        pause_ns: 900_000,
        physical_bytes: 1_000 * 4_096,
      });
    });

    it('report a failure once', async () => {
      const count = async () =>
        samplesOf((await org.viewer.get('/v1/metrics/export')).text).get(
          'checkpoint_operations_total{operation="checkpoint",result="failed"}',
        );
      const { id, actionId } = await inStatus('updated_info');
      const before = await count();
      for (let i = 0; i < 3; i++)
        expect(await putInfo(org, id, DUMP, { error: `try ${i}` })).toMatchObject({ status: 200, text: id });
      expect(await count()).toBe((before ?? 0) + 1);
      expect(await statusOf(actionId)).toEqual({ status: 'error', details: 'try 0' });
      expect((await fact(id)).failure_reason).toBe('try 0');
    });

    it('provide the duration if none was measured', async () => {
      const actionId = await askCheckpoint(org, pod.uid);
      const id = await takeUp(org, actionId);
      service.clock.advance(42);
      ok(await putUploaded(org, id));
      expect(await fact(id)).toMatchObject({
        result: 'succeeded',
        duration_ns: 42_000_000_000,
        source: '',
        stages: [],
      });
    });

    it('work after more than a year', async () => {
      const actionId = await askCheckpoint(org, pod.uid);
      const id = await takeUp(org, actionId);
      const now = service.clock.now();
      service.clock.advance(366 * 86_400);
      ok(await putUploaded(org, id));
      service.clock.set(now);
      expect((await fact(id)).duration_ns).toBe(Number.MAX_SAFE_INTEGER);
      expect((await org.viewer.get(`/v1/actions/${actionId}`)).body.total_duration).toBe(Number.MAX_SAFE_INTEGER);
    });

    it.each<[string, object]>([
      ['a gpu that is not a string', { gpu: 1, platform: '' }],
      ['no platform', { gpu: '' }],
      ['an empty error', { gpu: '', platform: '', error: '' }],
      ['info that PostgreSQL cannot store', { gpu: '', platform: '', info: { a: '\0' } }],
      ['info above its limit', { gpu: '', platform: '', info: 'x'.repeat(300_000) }],
    ])('answer 400 with %s', async (_what, body) => {
      const { id } = await inStatus('initializing');
      expect((await org.controller.put(`/v1/checkpoints/info/${id}`, body)).status).toBe(400);
      expect((await checkpoint(id)).status).toBe('initializing');
    });
  });

  describe('deprecation', () => {
    it('keeps the fact of a ready checkpoint that is deprecated', async () => {
      const { checkpointId } = await readyCheckpoint(org, pod.uid, { info: DUMP });
      const before = await fact(checkpointId);
      ok(await deprecate(checkpointId));
      expect(await fact(checkpointId)).toEqual(before);
      expect(before.result).toBe('succeeded');
    });

    it('counts the deprecation of an unfinished checkpoint as a failure of its attempt', async () => {
      const { id, actionId } = await inStatus('initializing');
      ok(await deprecate(id));
      const reason = 'cancelled: deprecated before it was ready';
      expect(await fact(id)).toMatchObject({ result: 'failed', failure_reason: reason });
      expect(await statusOf(actionId)).toEqual({ status: 'error', details: reason });
    });

    it('needs the role operator', async () => {
      const { id } = await inStatus('ready');
      expect((await org.controller.patch(`/v1/checkpoints/deprecate/${id}`)).status).toBe(403);
    });
  });

  describe('an upload that nobody reported', () => {
    it('is presumed 10 minutes after the action ended, and may still be reported', async () => {
      const { id, actionId } = await inStatus('updated_info');
      await presume(actionId, 9);
      expect((await checkpoint(id)).status).toBe('updated_info');
      await presume(actionId, 11);
      expect((await checkpoint(id)).status).toBe('possibly_uploaded');
      expect((await fact(id)).result).toBe('running');
      ok(await putUploaded(org, id, '/late'));
      expect((await checkpoint(id)).status).toBe('ready');
      expect((await fact(id)).result).toBe('succeeded');
      expect((await statusOf(actionId)).status).toBe('ready');
    });

    it('is presumed only of created checkpoints, and of no action in progress', async () => {
      const [fresh, going, done] = [
        await inStatus('initializing'),
        await inStatus('updated_info'),
        await inStatus('ready'),
      ];
      await presume(fresh.actionId, 60);
      await presume(done.actionId, 60);
      expect((await checkpoint(fresh.id)).status).toBe('initializing');
      expect((await checkpoint(going.id)).status).toBe('updated_info');
      expect((await checkpoint(done.id)).status).toBe('ready');
    });

    it('is presumed after the node reported the action as ready', async () => {
      const { id, actionId } = await inStatus('updated_info');
      ok(await org.controller.post('/v1/actions/upload', { action_id: actionId, status: 'ready' }));
      // Ready because its checkpoints are; the node's report only means that it ended.
      expect((await statusOf(actionId)).status).toBe('checkpoint_created');
      const { rows } = await service.db.query('select ended_at from actions where id = $1', [actionId]);
      expect(rows[0].ended_at).toBeInstanceOf(Date);
      await presume(actionId, 11);
      expect((await checkpoint(id)).status).toBe('possibly_uploaded');
    });
  });

  describe('the restore path of a name', () => {
    const path = (name: string) => org.viewer.get(`/v1/checkpoint/path?name=${name}`);

    it('is the one of the newest ready checkpoint', async () => {
      const name = newId();
      expect((await path(name)).status).toBe(404);
      const { checkpointId: first } = await readyCheckpoint(org, pod.uid, { name, path: '/1' });
      service.clock.advance(1);
      const { checkpointId: second } = await readyCheckpoint(org, pod.uid, { name, path: '/2' });
      service.clock.advance(1);
      ok(await putInfo(org, await takeUp(org, await askCheckpoint(org, pod.uid), { name })));
      expect(await path(name)).toMatchObject({ status: 200, text: '/2' });
      expect((await path(name)).headers['content-type']).toBe('text/plain; charset=utf-8');
      ok(await deprecate(second));
      expect((await path(name)).text).toBe('/1');
      ok(await deprecate(first));
      expect((await path(name)).body.code).toBe('checkpoint_not_found');
    });

    it('is the one of a cluster, if one is named: another may run a workload of the same name', async () => {
      const name = newId();
      const there = await buildCluster(org);
      const elsewhere = await buildPod(org, there, { name: 'worker' });
      const in_ = async (cluster: string) => await path(`${name}&cluster_id=${cluster}`);
      await readyCheckpoint(org, pod.uid, { name, path: '/here' });
      expect((await in_(there)).body.code).toBe('checkpoint_not_found');
      service.clock.advance(1);
      await readyCheckpoint(org, elsewhere.uid, { name, path: '/there' });
      expect([(await path(name)).text, (await in_(there)).text]).toEqual(['/there', '/there']);
      expect((await in_(pod.clusterId)).text).toBe('/here');
      expect((await in_('x')).body.errors[0].field).toBe('cluster_id');
    });

    it('is found by name, within one organisation', async () => {
      const name = newId();
      await readyCheckpoint(org, pod.uid, { name });
      expect((await other.viewer.get(`/v1/checkpoint/path?name=${name}`)).status).toBe(404);
      expect((await org.viewer.get('/v1/checkpoint/path')).status).toBe(400);
    });
  });
});
