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
  tell,
  type RunningPod,
} from '../../../support/workloads';

describe('operation facts', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId, { name: 'trainer-0' });
  });
  afterAll(() => service.close());

  const get = (id: string, caller = org.viewer) => caller.get(`/v1/operations/${id}`);

  it('exist as soon as a node has reported, and not before', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const id = await takeUp(org, actionId);
    expect((await get(id)).body.code).toBe('operation_not_found');
    ok(await putInfo(org, id));
    expect((await get(id)).body).toEqual({
      operation_id: id,
      op_type: 'checkpoint',
      result: 'running',
      action_id: actionId,
      checkpoint_id: id,
      cluster_id: clusterId,
      restore_uuid: '',
      name: 'trainer-0',
      namespace: 'training',
      node_name: 'node-1',
      pod_uid: pod.uid,
      kind: 'simple',
      platform: 'linux/amd64',
      gpu_model: 'NVIDIA H100',
      reason: 'manual',
      source: '',
      storage_tier: '',
      workload_type: 'kubernetes',
      failure_reason: '',
      failure_stage: '',
      duration_ns: 0,
      pause_ns: 0,
      logical_bytes: 0,
      physical_bytes: 0,
      started_at_ms: service.clock.now().getTime(),
      completed_at_ms: null,
      pod_ready_at_ms: null,
      pod_scheduled_at_ms: null,
      restores: [],
      stages: [],
    });
  });

  it('hold the stages in the order of their reports', async () => {
    const components = ['z', 'a', 'm', 'a'].map((name, i) => ({ name, duration: i + 1, io: 10 * i }));
    const { checkpointId } = await readyCheckpoint(org, pod.uid, { info: { components } });
    expect((await get(checkpointId)).body.stages).toEqual(
      components.map(({ name, duration, io }, seq) => ({
        seq,
        stage: name,
        duration_ns: duration,
        bytes_in: 0,
        bytes_out: io,
        result: 'succeeded',
        reason: '',
      })),
    );
  });

  it('hold at most 200 stages, of any names', async () => {
    const names = [
      '',
      'x'.repeat(600),
      'with "quotes"\nand lines',
      'ünï→',
      ...Array.from({ length: 300 }, (_, i) => `s${i}`),
    ];
    const { checkpointId } = await readyCheckpoint(org, pod.uid, {
      info: { components: names.map((name) => ({ name, duration: 1 })) },
    });
    const { stages, duration_ns: duration } = (await get(checkpointId)).body;
    expect(duration).toBe(304);
    expect(stages).toHaveLength(200);
    expect(stages.slice(0, 4).map(({ stage }: { stage: string }) => stage)).toEqual([
      'unnamed',
      'x'.repeat(512),
      names[2],
      names[3],
    ]);
  });

  it('replace stages during the attempt, and keep the last ones at its end', async () => {
    const id = await takeUp(org, await askCheckpoint(org, pod.uid));
    const stages = async () => (await get(id)).body.stages.map(({ stage }: { stage: string }) => stage);
    ok(await putInfo(org, id, { components: [{ name: 'a' }, { name: 'b' }] }));
    ok(await putInfo(org, id, { components: [{ name: 'c' }] }));
    expect(await stages()).toEqual(['c']);
    ok(await putUploaded(org, id));
    expect(await stages()).toEqual(['c']);
  });

  it('of a checkpoint list the restores made from it, newest first', async () => {
    const { checkpointId } = await readyCheckpoint(org, pod.uid);
    const uuids = [newId(), newId(), newId()];
    for (const [i, uuid] of uuids.entries())
      ok(
        await tell(org, 'restore_start', {
          restore_uuid: uuid,
          checkpoint_id: checkpointId,
          started_at: `2026-06-01T10:00:0${i}Z`,
        }),
      );
    const { restores } = (await get(checkpointId)).body;
    expect(restores.map(({ operation_id: id }: { operation_id: string }) => id)).toEqual([...uuids].reverse());
    const { stages: _stages, restores: _none, ...restore } = (await get(uuids[0] as string)).body;
    expect(restores[2]).toEqual(restore);
    expect(_none).toEqual([]);
  });

  it('answer 404 if unknown or of another organisation, 400 for a malformed id, and 401 without a bearer', async () => {
    const { checkpointId } = await readyCheckpoint(org, pod.uid);
    expect((await get(newId())).status).toBe(404);
    expect((await get(checkpointId, other.viewer)).status).toBe(404);
    expect((await get('x')).status).toBe(400);
    expect((await get(checkpointId, service.as(undefined))).status).toBe(401);
    expect((await get(checkpointId.toUpperCase())).status).toBe(200);
  });
});
