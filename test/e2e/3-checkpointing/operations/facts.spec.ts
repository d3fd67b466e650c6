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
  reportRestore,
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

  it('hold stages that were recorded days before a start that a clock ahead has reported', async () => {
    const { checkpointId } = await readyCheckpoint(org, pod.uid, {
      info: { components: [{ name: 'a', duration: 1 }] },
    });
    const stages = async () => (await get(checkpointId)).body.stages.map(({ stage }: { stage: string }) => stage);
    expect(await stages()).toEqual(['a']);
    await service.db.query(
      "update operation_facts set started_at = clock_timestamp() + interval '3 days' where org_id = $1 and operation_id = $2",
      [org.id, checkpointId],
    );
    expect(await stages()).toEqual(['a']);
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

  it('lists the restores of a checkpoint, newest first', async () => {
    const { checkpointId } = await readyCheckpoint(org, pod.uid);
    const uuids = [newId(), newId(), newId()];
    for (const [i, uuid] of uuids.entries())
      ok(
        await reportRestore(org, 'restore_start', {
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

describe('the list of operation facts', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let actionId: string;
  let ids: string[];

  const at = (second: number) => `2026-06-01T10:00:${String(second).padStart(2, '0')}Z`;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    const pod = await buildPod(org, clusterId, { name: 'Trainer-0' });
    const { actionId: taken, checkpointId } = await readyCheckpoint(org, pod.uid);
    actionId = taken;
    ids = Array.from({ length: 6 }, () => newId());
    // Two of them begin at the same moment.
    for (const [place, second] of [0, 1, 2, 2, 4, 5].entries()) {
      const body = { restore_uuid: ids[place], checkpoint_id: checkpointId, started_at: at(second) };
      ok(await reportRestore(org, 'restore_start', body));
      if (place === 4) ok(await reportRestore(org, 'restore_error', { ...body, ended_at: at(9), error: 'no memory' }));
    }
    ids = [ids[0], ids[1], ...[ids[2], ids[3]].sort(), ids[4], ids[5]] as string[];
  });
  afterAll(() => service.close());

  const list = (query: Record<string, string> = {}, caller = org.viewer) =>
    caller.get(`/v1/operations?${new URLSearchParams(query).toString()}`);
  const listed = async (query: Record<string, string> = {}) =>
    (await list({ op_type: 'restore', ...query })).body.map(({ operation_id: id }: { operation_id: string }) => id);

  it('is newest first, and shows of each what its own page shows', async () => {
    expect(await listed()).toEqual([...ids].reverse());
    const [newest] = (await list({ op_type: 'restore', limit: '1' })).body;
    const {
      stages: _stages,
      restores: _restores,
      ...fact
    } = (await org.viewer.get(`/v1/operations/${newest.operation_id}`)).body;
    expect(newest).toEqual(fact);
  });

  it('is read page by page, and attempts that begin meanwhile shift no page', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/v1/operations?op_type=restore&limit=2';
    for (let page = 0; path !== undefined; page++) {
      const { body, headers } = await org.viewer.get(path);
      seen.push(...body.map(({ operation_id: id }: { operation_id: string }) => id));
      path = /^<(.+)>; rel="next"$/.exec(headers.link ?? '')?.[1];
      if (page === 0)
        ok(await reportRestore(org, 'restore_start', { restore_uuid: newId(), started_at: at(30 + page) }));
    }
    expect(seen).toEqual([...ids].reverse());
  });

  it('is filtered by id', async () => {
    expect(await listed({ operation_id: ids[2] ?? '' })).toEqual([ids[2]]);
    expect(await listed({ operation_id: ids[2] ?? '', result: 'failed' })).toEqual([]);
    expect(await listed({ operation_id: newId() })).toEqual([]);
    expect((await list({ operation_id: ids[2] ?? '' }, other.viewer)).body).toEqual([]);
  });

  it('is filtered by kind, result, workload, cluster, name and time', async () => {
    const byTime = await listed({ since: at(1), until: at(5) });
    expect(byTime).toEqual(ids.slice(1, 5).reverse());
    expect(await listed({ result: 'failed' })).toEqual([ids[4]]);
    for (const [query, count] of [
      [{ op_type: 'checkpoint' }, 1],
      [{ name: 'trainer-' }, 1],
      [{ name: 'trainer_' }, 0],
      [{ namespace: 'training', cluster_id: clusterId }, 1],
      [{ namespace: 'train' }, 0],
      [{ cluster_id: newId() }, 0],
      [{ workload_type: 'kubernetes', op_type: 'checkpoint' }, 1],
      [{ workload_type: 'slurm' }, 0],
      [{ action_id: actionId }, 1],
      [{ action_id: newId() }, 0],
    ] as const)
      expect([query, (await list(query)).body.length]).toEqual([query, count]);
  });

  it('is empty for another organisation, and refuses what it does not know', async () => {
    expect((await list({}, other.viewer)).body).toEqual([]);
    expect((await list({ after: ids[0] ?? '' }, other.viewer)).status).toBe(400);
    const refused: Record<string, string>[] = [
      { after: newId() },
      { after: 'x' },
      { operation_id: 'x' },
      { result: 'good' },
      { limit: '0' },
      { since: 'today' },
    ];
    for (const query of refused) expect([query, (await list(query)).status]).toEqual([query, 400]);
    expect((await list({}, service.as(undefined))).status).toBe(401);
  });

  it('finds failures by the index that has only those', async () => {
    const { rows } = await service.db.query<{ 'QUERY PLAN': string }>(
      `explain select * from operation_facts where org_id = '${org.id}' and result = 'failed'
       order by started_at desc, operation_id desc limit 50`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('operation_facts_failed_idx');
  });
});
