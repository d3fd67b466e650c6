import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  takeUp,
  type RunningPod,
} from '../../../support/workloads';

describe('checkpoints of the containers of an action', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    pod = await buildPod(org, await buildCluster(org), { checkpoint: 'named' });
  });
  afterAll(() => service.close());

  const detailsOf = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;
  const checkpoint = async (id: string) => (await org.viewer.get(`/v1/checkpoints?ids=${id}`)).body[0];
  const create = (body?: object) => org.controller.post('/v1/checkpoints', body);

  it('are created by requests, of which the first gets the existing one', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const { checkpoint_id: first } = await detailsOf(actionId);
    expect(await takeUp(org, actionId, { container_name: 'a', name: 'own' })).toBe(first);
    const second = await takeUp(org, actionId, { container_name: 'b' });
    const third = await takeUp(org, actionId, { container_name: 'c' });
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await detailsOf(actionId)).toMatchObject({
      checkpoint_id: first,
      checkpoint_ids: [first, second, third],
      status: 'processing',
    });
    expect(await checkpoint(first)).toMatchObject({ container_name: 'a', name: 'own' });
    expect(await checkpoint(second)).toMatchObject({ container_name: 'b', name: 'named', action_id: actionId });
  });

  it('are the same for repeated requests of one container', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const ids = [];
    for (const container of ['a', 'b', 'a', 'b', 'a'])
      ids.push(await takeUp(org, actionId, { container_name: container }));
    expect(new Set(ids).size).toBe(2);
    expect([ids[2], ids[4], ids[3]]).toEqual([ids[0], ids[0], ids[1]]);
  });

  it('are created for each request without a container', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const ids = [await takeUp(org, actionId), await takeUp(org, actionId)];
    expect((await detailsOf(actionId)).checkpoint_ids).toEqual(ids);
  });

  it('are 5 after 25 concurrent requests for 5 containers', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const containers = Array.from({ length: 25 }, (_, i) => `container-${i % 5}`);
    const ids = await Promise.all(containers.map((container_name) => takeUp(org, actionId, { container_name })));
    const byContainer = new Map(containers.map((name, i) => [name, ids[i]]));
    expect(ids).toEqual(containers.map((name) => byContainer.get(name)));
    expect(new Set(ids).size).toBe(5);
    const { checkpoint_id: first, checkpoint_ids: all } = await detailsOf(actionId);
    expect([...all].sort()).toEqual([...new Set(ids)].sort());
    expect(ids).toContain(first);
  });

  it('may be requested one after the other: the action continues with each, and is ready when all are', async () => {
    const { actionId, checkpointId } = await readyCheckpoint(org, pod.uid);
    expect((await create({ action_id: actionId, container_name: 'main' })).text).toBe(checkpointId);
    expect((await detailsOf(actionId)).status).toBe('ready');
    const second = ok(await create({ action_id: actionId, container_name: 'sidecar' })).text;
    expect(await detailsOf(actionId)).toMatchObject({ status: 'processing', checkpoint_ids: [checkpointId, second] });
    ok(await putUploaded(org, second));
    expect((await detailsOf(actionId)).status).toBe('ready');
  });

  it('continue when one has failed, and the action stays in error', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const failing = await takeUp(org, actionId, { container_name: 'main' });
    ok(await org.controller.put(`/v1/checkpoints/info/${failing}`, { gpu: '', platform: '', error: 'out of memory' }));
    const other = await takeUp(org, actionId, { container_name: 'sidecar' });
    ok(await putUploaded(org, other));
    expect((await detailsOf(actionId)).status).toBe('error');
    expect(await checkpoint(other)).toMatchObject({ status: 'ready' });
  });

  it('need no action, and not even a body', async () => {
    const id = ok(await create()).text;
    expect(await checkpoint(id)).toMatchObject({
      status: 'initializing',
      action_id: null,
      name: null,
      cluster_id: null,
      pod_name: null,
    });
    ok(await putInfo(org, id, { components: [{ name: 'x', duration: 5 }] }));
    ok(await putUploaded(org, id));
    expect((await org.viewer.get(`/v1/operations/${id}`)).body).toMatchObject({
      result: 'succeeded',
      duration_ns: 5,
      action_id: '',
      cluster_id: '',
    });
  });

  it('answer 404 for an action or a parent that is unknown or of another organisation', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const parent = ok(await create()).text;
    expect((await create({ action_id: newId() })).body.code).toBe('action_not_found');
    expect((await create({ parent_checkpoint_id: newId() })).body.code).toBe('parent_checkpoint_not_found');
    expect((await other.controller.post('/v1/checkpoints', { action_id: actionId })).status).toBe(404);
    expect((await other.controller.post('/v1/checkpoints', { parent_checkpoint_id: parent })).status).toBe(404);
    expect((await detailsOf(actionId)).status).toBe('initialized');
  });

  it.each<[string, object]>([
    ['a malformed id', { action_id: 'x' }],
    ['an empty name', { name: '' }],
    ['a name too long', { name: 'n'.repeat(513) }],
  ])('answer 400 for %s', async (_what, body) => {
    expect((await create(body)).status).toBe(400);
  });

  it('answer 409 for an action that restores', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    const restoreId = ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text;
    expect((await create({ action_id: restoreId })).body.code).toBe('not_a_checkpoint_action');
  });

  describe('deltas', () => {
    it('name their parent, in a chain', async () => {
      const full = ok(await create({ name: 'chain' })).text;
      const delta = ok(await create({ parent_checkpoint_id: full })).text;
      const second = ok(await create({ parent_checkpoint_id: delta, delta: true })).text;
      const based = ok(await create({ parent_checkpoint_id: full, delta: false })).text;
      expect(await checkpoint(full)).toMatchObject({ parent_checkpoint_id: null, delta: false });
      expect(await checkpoint(delta)).toMatchObject({ parent_checkpoint_id: full, delta: true });
      expect(await checkpoint(second)).toMatchObject({ parent_checkpoint_id: delta, delta: true });
      expect(await checkpoint(based)).toMatchObject({ parent_checkpoint_id: full, delta: false });
    });

    it('are still marked as deltas when their parent is gone', async () => {
      const doomed = await buildCluster(org);
      const { checkpointId: parent } = await readyCheckpoint(org, (await buildPod(org, doomed)).uid);
      const actionId = await askCheckpoint(org, pod.uid);
      const child = await takeUp(org, actionId, { parent_checkpoint_id: parent });
      expect(await detailsOf(actionId)).toMatchObject({ checkpoint_id: child });
      expect((await org.viewer.get('/v1/actions?limit=1')).body[0]).toMatchObject({
        action_id: actionId,
        delta: true,
        parent_checkpoint_id: parent,
      });
      ok(await org.operator.delete(`/v1/cluster/${doomed}`));
      expect(await checkpoint(child)).toMatchObject({ parent_checkpoint_id: null, delta: true });
      expect((await org.viewer.get('/v1/actions?limit=1')).body[0]).toMatchObject({
        delta: true,
        parent_checkpoint_id: null,
      });
    });
  });
});
