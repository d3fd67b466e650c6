import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { askCheckpoint, buildCluster, buildPod, ok, putInfo, putUploaded, takeUp } from '../../../support/workloads';

describe('PUT /v1/checkpoints/progress/{id}', () => {
  let service: Service;
  let org: Organisation;
  let podUid: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    podUid = (await buildPod(org, await buildCluster(org), { containers: ['trainer', 'logger'] })).uid;
  });
  afterAll(() => service.close());

  const put = (id: string, body: object, caller = org.controller) => caller.put(`/v1/checkpoints/progress/${id}`, body);
  const statusOf = async (actionId: string) => (await org.viewer.get(`/v1/checkpoint/status/${actionId}`)).body;
  /** Makes the last stored report one second older. */
  /** The stored reports have arrived so long ago. */
  const arrived = (ago: string) =>
    service.db.query(
      'update checkpoints set progressed_at = clock_timestamp() - $1::interval where progressed_at is not null',
      [ago],
    );
  const later = () => arrived('1 second');
  const kept = async (id: string) =>
    (
      await service.db.query('select progress_stage, bytes_done, bytes_total, xmin from checkpoints where id = $1', [
        id,
      ])
    ).rows[0];

  it('answers 204, and the status of the action shows the report', async () => {
    const actionId = await askCheckpoint(org, podUid);
    const id = await takeUp(org, actionId, { container_name: 'trainer' });
    const answer = await put(id, { stage: 'dump', bytes_done: 512, bytes_total: 1024 });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await statusOf(actionId)).toEqual({ status: 'processing', details: 'trainer: dump, 512 of 1024 bytes' });
    await later();
    await put(id, { stage: 'upload', bytes_done: 3 });
    expect((await statusOf(actionId)).details).toBe('trainer: upload, 3 bytes');
    await later();
    await put(id, { stage: 'fsync', bytes_done: null, bytes_total: null });
    const other = await takeUp(org, actionId, { container_name: 'logger' });
    await put(other, { stage: 'freeze' });
    expect((await statusOf(actionId)).details).toBe('trainer: fsync; logger: freeze');
    ok(await putUploaded(org, id));
    expect((await statusOf(actionId)).details).toBe('logger: freeze');
    ok(await putUploaded(org, other));
    expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
  });

  it('takes the checkpoint up if its node has not requested it yet', async () => {
    const actionId = await askCheckpoint(org, podUid);
    const { checkpoint_id: id } = (await org.viewer.get(`/v1/actions/${actionId}`)).body;
    expect((await put(id, { stage: 'freeze' })).status).toBe(204);
    expect(await statusOf(actionId)).toEqual({ status: 'processing', details: 'freeze' });
  });

  it('stores one report per second over all replicas', async () => {
    const other = await service.replica();
    const id = await takeUp(org, await askCheckpoint(org, podUid), { container_name: 'trainer' });
    expect204(await put(id, { stage: 'first' }));
    // However long those that follow take, they arrive within its second.
    await arrived('-1 minute');
    const first = await kept(id);
    const elsewhere = other.as(org.controller.token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put(id, { stage: `s${i}` }, i % 2 === 0 ? org.controller : elsewhere)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(204));
    expect(await kept(id)).toEqual(first);
    await later();
    const before = (await service.db.query('select count(*) from audit_entries')).rows;
    const burst = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put(id, { stage: `t${i}` }, i % 2 === 0 ? org.controller : elsewhere)),
    );
    expect(burst.map(({ status }) => status)).toEqual(Array(20).fill(204));
    expect((await kept(id)).progress_stage).toMatch(/^t\d+$/);
    expect((await service.db.query('select count(*) from audit_entries')).rows).toEqual(before);
  });
  const expect204 = ({ status }: Answer) => expect(status).toBe(204);

  it('answers 409 when the checkpoint has ended', async () => {
    const ready = await takeUp(org, await askCheckpoint(org, podUid), { container_name: 'trainer' });
    ok(await putUploaded(org, ready));
    const failed = await takeUp(org, await askCheckpoint(org, podUid), { container_name: 'trainer' });
    ok(await putInfo(org, failed, null, { error: 'broke' }));
    for (const id of [ready, failed]) {
      const answer = await put(id, { stage: 'dump' });
      expect([answer.status, answer.body.code]).toEqual([409, 'checkpoint_state_conflict']);
      expect((await kept(id)).progress_stage).toBeNull();
    }
  });

  it('is serialised with a concurrent upload', async () => {
    for (let round = 0; round < 10; round++) {
      const actionId = await askCheckpoint(org, podUid, { containers: ['trainer'] });
      const id = await takeUp(org, actionId, { container_name: 'trainer' });
      const [progress, uploaded] = await Promise.all([put(id, { stage: 'upload' }), putUploaded(org, id)]);
      expect(uploaded.status).toBe(200);
      expect([204, 409]).toContain(progress.status);
      expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
    }
  });

  it('is stored for a checkpoint without an action', async () => {
    const id = ok(await org.controller.post('/v1/checkpoints')).text;
    expect((await put(id, { stage: 'dump', bytes_total: 7 })).status).toBe(204);
    expect(await kept(id)).toMatchObject({ progress_stage: 'dump', bytes_done: null, bytes_total: '7' });
  });

  it('answers 404 for a checkpoint that is unknown or of another organisation', async () => {
    const other = await service.organisation();
    const id = await takeUp(org, await askCheckpoint(org, podUid));
    for (const [unknown, caller] of [
      [newId(), org.controller],
      [id, other.controller],
    ] as const)
      expect((await put(unknown, { stage: 'dump' }, caller)).body.code).toBe('checkpoint_not_found');
  });

  it.each<[string, object, string]>([
    ['no stage', { bytes_done: 1 }, 'stage'],
    ['an empty stage', { stage: '' }, 'stage'],
    ['a stage that is too long', { stage: 's'.repeat(65) }, 'stage'],
    ['negative bytes', { stage: 'dump', bytes_done: -1 }, 'bytes_done'],
    ['bytes that are not an integer', { stage: 'dump', bytes_total: 1.5 }, 'bytes_total'],
  ])('answers 400 to %s', async (_what, body, field) => {
    const id = await takeUp(org, await askCheckpoint(org, podUid));
    const answer = await put(id, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('needs the role controller', async () => {
    const id = await takeUp(org, await askCheckpoint(org, podUid));
    for (const caller of [org.operator, org.viewer]) expect((await put(id, { stage: 'x' }, caller)).status).toBe(403);
  });
});
