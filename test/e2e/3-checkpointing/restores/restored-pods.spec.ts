import { newId } from '../../../../src/1-platform/common/ids';
import { OperationsService } from '../../../../src/3-checkpointing/operations/operations.service';
import { awaitingRestores } from '../../../../src/3-checkpointing/operations/restored-pods.queries';
import { BY_INDEX, plansOf } from '../../../support/plans';
import { Service, type Organisation } from '../../../support/service';
import {
  buildCluster,
  buildPod,
  nodeResource,
  ok,
  podResource,
  readyCheckpoint,
  syncAll,
  reportRestore,
} from '../../../support/workloads';

const START = Date.parse('2026-06-01T10:00:00Z');
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();
const ms = (seconds: number) => START + seconds * 1_000;

describe('the pod of a restore', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await buildCluster(org);
    await syncAll(org.controller, clusterId, [nodeResource('node-2')]);
  });
  afterAll(() => service.close());

  const fact = async (uuid: string) => (await org.viewer.get(`/v1/operations/${uuid}`)).body;
  const start = async (metadata: object, uuid = newId()) => {
    ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, started_at: at(0), metadata }));
    return uuid;
  };
  const sync = (pod: ReturnType<typeof podResource>) => syncAll(org.controller, clusterId, [pod]);

  it('is the one that the event names, if it is synced after it', async () => {
    const uid = newId();
    const uuid = await start({ pod_uid: uid });
    expect(await fact(uuid)).toMatchObject({ pod_uid: uid, pod_scheduled_at_ms: null, pod_ready_at_ms: null });
    await sync(podResource({ uid, name: 'restored', scheduledAt: at(2) }));
    expect(await fact(uuid)).toMatchObject({
      name: 'restored',
      namespace: 'training',
      pod_scheduled_at_ms: ms(2),
      pod_ready_at_ms: null,
    });
    await sync(podResource({ uid, name: 'restored', scheduledAt: at(2), readyAt: at(9), version: 2 }));
    expect(await fact(uuid)).toMatchObject({ pod_scheduled_at_ms: ms(2), pod_ready_at_ms: ms(9) });
  });

  it('is the one that the event names, if it was synced before it', async () => {
    const { uid } = await buildPod(org, clusterId, { scheduledAt: at(2), readyAt: at(9) });
    const uuid = await start({ pod_uid: uid });
    expect(await fact(uuid)).toMatchObject({ pod_uid: uid, pod_scheduled_at_ms: ms(2), pod_ready_at_ms: ms(9) });
  });

  it('is found later if event and sync were concurrent, by name or by request', async () => {
    const named = await buildPod(org, clusterId, { scheduledAt: at(2), readyAt: at(9) });
    const name = newId();
    const asking = podResource({ checkpoint: name, createdAt: at(5), scheduledAt: at(6), readyAt: at(7) });
    await sync(asking);
    const uuids = [await start({ pod_uid: named.uid }), await start({ checkpoint_name: name, node_name: 'node-1' })];
    // The state that two transactions leave that did not see each other.
    const blind = `update operation_facts set pod_ready_at = null, pod_scheduled_at = null, pod_uid = case when checkpoint_name = '' then pod_uid else '' end,
      started_at = started_at + (now() - interval '1 minute' - $2::timestamptz) where operation_id = any($1)`;
    await service.db.query(blind, [uuids, at(0)]);
    await service.db.query('update pods set object_created_at = now() where uid = $1', [asking.metadata.uid]);
    await service.sweep('restored pods');
    expect(await fact(uuids[0] ?? '')).toMatchObject({ pod_scheduled_at_ms: ms(2), pod_ready_at_ms: ms(9) });
    expect(await fact(uuids[1] ?? '')).toMatchObject({ pod_uid: asking.metadata.uid, pod_ready_at_ms: ms(7) });
  });

  it('is found later, however many newer restores wait for pods that never appear', async () => {
    const { uid } = await buildPod(org, clusterId, { scheduledAt: at(2), readyAt: at(9) });
    const uuid = await start({ pod_uid: uid });
    await service.db.query(
      `update operation_facts set pod_ready_at = null, pod_scheduled_at = null, started_at = now() - interval '10 minutes' where operation_id = $1`,
      [uuid],
    );
    const other = await service.organisation();
    await service.db.query(
      `insert into operation_facts select (json_populate_record(f, json_build_object('org_id', $2::uuid, 'operation_id', gen_random_uuid(),
         'cluster_id', null, 'pod_uid', 'never-' || i, 'started_at', now() - interval '5 minutes'))).*
       from operation_facts f, generate_series(1, 1100) i where f.operation_id = $1`,
      [uuid, other.id],
    );
    try {
      const sweep = service.app.get(OperationsService);
      // The first round has time for one page only, and the next one continues.
      expect(await sweep.findReadyPods(0)).toBe(0);
      expect((await fact(uuid)).pod_ready_at_ms).toBeNull();
      expect(await sweep.findReadyPods()).toBeUndefined();
      expect(await fact(uuid)).toMatchObject({ pod_ready_at_ms: ms(9) });
    } finally {
      await service.db.query('delete from operation_facts where org_id = $1', [other.id]);
    }
  });

  it('is looked for among the restores of the last hour, which an index finds', async () => {
    const [plan] = await plansOf(service, org, (tx) => awaitingRestores(tx, 1), BY_INDEX);
    expect(plan).toMatch(/operation_facts_recent_restores_idx .*\n *Index Cond: .*statement_timestamp\(\)/);
  });

  it('is otherwise the one that requests the checkpoint on the node, synced after the event', async () => {
    const name = newId();
    const uuid = await start({ checkpoint_name: name, node_name: 'node-1' });
    const pod = podResource({ checkpoint: name, createdAt: at(5), scheduledAt: at(6), readyAt: at(7) });
    await sync(pod);
    expect(await fact(uuid)).toMatchObject({
      pod_uid: pod.metadata.uid,
      name: pod.metadata.name,
      pod_ready_at_ms: ms(7),
    });
  });

  it('is otherwise the nearest one that requests the checkpoint on the node, synced before the event', async () => {
    const name = newId();
    await sync(podResource({ checkpoint: name, createdAt: at(-500), readyAt: at(1) }));
    const near = podResource({ checkpoint: name, createdAt: at(-3), scheduledAt: at(-2), readyAt: at(4) });
    await sync(near);
    await sync(podResource({ checkpoint: name, createdAt: at(300), readyAt: at(310) }));
    const uuid = await start({ checkpoint_name: name, node_name: 'node-1' });
    expect(await fact(uuid)).toMatchObject({ pod_uid: near.metadata.uid, pod_ready_at_ms: ms(4) });
  });

  it.each([
    ['10 minutes before', -600, true],
    ['10 minutes after', 600, true],
    ['more than 10 minutes before', -601, false],
    ['more than 10 minutes after', 601, false],
  ])('may be created %s the start, whatever arrived first', async (_when, second, tied) => {
    const names = [newId(), newId()] as const;
    const pods = names.map((checkpoint) =>
      podResource({ checkpoint, createdAt: at(second), readyAt: at(second + 1) }),
    ) as [ReturnType<typeof podResource>, ReturnType<typeof podResource>];
    const restoreOf = (checkpoint: string) => start({ checkpoint_name: checkpoint, node_name: 'node-1' });
    const eventFirst = await restoreOf(names[0]);
    await sync(pods[0]);
    await sync(pods[1]);
    const podFirst = await restoreOf(names[1]);
    expect((await fact(eventFirst)).pod_uid).toBe(tied ? pods[0].metadata.uid : '');
    expect((await fact(podFirst)).pod_uid).toBe(tied ? pods[1].metadata.uid : '');
  });

  it('is the one of the second restore, if the first has failed without a pod', async () => {
    const name = newId();
    const failed = await start({ checkpoint_name: name, node_name: 'node-1' });
    ok(await reportRestore(org, 'restore_error', { restore_uuid: failed }));
    const second = await start({ checkpoint_name: name, node_name: 'node-1' });
    const pod = podResource({ checkpoint: name, createdAt: at(20), readyAt: at(70) });
    await sync(pod);
    expect((await fact(failed)).pod_uid).toBe('');
    expect((await fact(second)).pod_uid).toBe(pod.metadata.uid);
    // A later sync of the same pod finds the restore that has none.
    await sync({ ...pod, metadata: { ...pod.metadata, resourceVersion: '99' } });
    expect((await fact(failed)).pod_uid).toBe('');
  });

  it('belongs to one restore only, of several on a node, whatever arrived first', async () => {
    const [before, after] = [newId(), newId()];
    const of = (checkpoint: string) => [
      podResource({ checkpoint, createdAt: at(1), readyAt: at(5) }),
      podResource({ checkpoint, createdAt: at(2), readyAt: at(6) }),
    ];
    const restores = (name: string) =>
      Promise.all([1, 2].map(() => start({ checkpoint_name: name, node_name: 'node-1' })));
    const uidsOf = async (uuids: string[]) => {
      const facts = await Promise.all(uuids.map(fact));
      return facts.map((one) => String(one.pod_uid)).toSorted();
    };
    const first = of(before);
    for (const pod of first) await sync(pod);
    const later = [await start({ checkpoint_name: before, node_name: 'node-1' })];
    later.push(await start({ checkpoint_name: before, node_name: 'node-1' }));
    expect(await uidsOf(later)).toEqual(first.map(({ metadata }) => metadata.uid).toSorted());

    const earlier = await restores(after);
    const second = of(after);
    for (const pod of second) await sync(pod);
    expect(await uidsOf(earlier)).toEqual(second.map(({ metadata }) => metadata.uid).toSorted());
  });

  it('is never one on another node, of another name, or of another organisation', async () => {
    const name = newId();
    const uuid = await start({ checkpoint_name: name, node_name: 'node-1' });
    await sync(podResource({ checkpoint: name, node: 'node-2', readyAt: at(1) }));
    await sync(podResource({ checkpoint: `${name}-2`, readyAt: at(1) }));
    await sync(podResource({ readyAt: at(1) }));
    const other = await service.organisation();
    const foreign = await buildPod(other, await buildCluster(other), { checkpoint: name, readyAt: at(1) });
    expect(await fact(uuid)).toMatchObject({ pod_uid: '', pod_ready_at_ms: null });
    expect((await fact(await start({ pod_uid: foreign.uid }))).pod_ready_at_ms).toBeNull();
    expect((await fact(await start({ checkpoint_name: name, node_name: 'node-3' }))).pod_uid).toBe('');
  });

  it('is never one of another cluster, if that of the restore is known, whatever arrived first', async () => {
    const [name, other] = [newId(), await buildCluster(org)];
    const place = { checkpoint_name: name, node_name: 'node-1' };
    const begun = async () => {
      const uuid = newId();
      const members = { restore_uuid: uuid, cluster_id: clusterId, started_at: at(0), metadata: place };
      ok(await reportRestore(org, 'restore_start', members));
      return uuid;
    };
    const before = await begun();
    const foreign = podResource({ checkpoint: name, createdAt: at(1), readyAt: at(2) });
    await syncAll(org.controller, other, [foreign]);
    const after = await begun();
    await service.db.query('update operation_facts set started_at = now() where operation_id = any($1)', [
      [before, after],
    ]);
    await service.db.query('update pods set object_created_at = now() where uid = $1', [foreign.metadata.uid]);
    await service.sweep('restored pods');
    for (const uuid of [before, after]) expect(await fact(uuid)).toMatchObject({ pod_uid: '', pod_ready_at_ms: null });
    const own = podResource({ checkpoint: name, createdAt: new Date().toISOString(), readyAt: at(9) });
    await sync(own);
    const uids = await Promise.all([before, after].map(async (uuid) => String((await fact(uuid)).pod_uid)));
    expect(uids.toSorted()).toEqual(['', own.metadata.uid].toSorted());
  });

  describe('of a checkpoint of another cluster', () => {
    /** A checkpoint action of the first cluster, and a second cluster. */
    const taken = async () => {
      const name = newId();
      const { uid } = await buildPod(org, clusterId);
      const { actionId, checkpointId } = await readyCheckpoint(org, uid, { name });
      return { name, other: await buildCluster(org), actionId, checkpointId };
    };
    const begin = async (name: string, members: object) => {
      const uuid = newId();
      const metadata = { checkpoint_name: name, node_name: 'node-1' };
      ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, started_at: at(0), metadata, ...members }));
      return uuid;
    };
    type Taken = Awaited<ReturnType<typeof taken>>;
    const restoredThere = ({ name }: Taken) => podResource({ checkpoint: name, createdAt: at(1), readyAt: at(2) });

    it.each([
      ['the action of the checkpoint', ({ actionId }: Taken) => ({ checkpoint_action_id: actionId })],
      ['that action as its own', ({ actionId }: Taken) => ({ action_id: actionId })],
      ['the checkpoint', ({ checkpointId }: Taken) => ({ checkpoint_id: checkpointId })],
    ])('is found there if the events name no cluster but %s, whatever arrived first', async (_named, membersOf) => {
      const all = [await taken(), await taken()] as const;
      const pods = all.map(restoredThere);
      const eventFirst = await begin(all[0].name, membersOf(all[0]));
      for (const [i, { other }] of all.entries()) await syncAll(org.controller, other, [pods[i]!]);
      const podFirst = await begin(all[1].name, membersOf(all[1]));
      for (const [i, uuid] of [eventFirst, podFirst].entries())
        expect(await fact(uuid)).toMatchObject({ pod_uid: pods[i]!.metadata.uid, pod_ready_at_ms: ms(2) });
    });

    it('is rather one of the cluster of the checkpoint, for the event and for the sweep', async () => {
      const one = await taken();
      const own = podResource({ checkpoint: one.name, createdAt: at(60), readyAt: at(70) });
      const foreign = restoredThere(one);
      await sync(own);
      await syncAll(org.controller, one.other, [foreign]);
      const uuid = await begin(one.name, { checkpoint_id: one.checkpointId });
      expect((await fact(uuid)).pod_uid).toBe(own.metadata.uid);
      // The state that transactions leave that did not see each other.
      const blind =
        "update operation_facts set pod_uid = '', pod_ready_at = null, started_at = now() where operation_id = $1";
      await service.db.query(blind, [uuid]);
      for (const [pod, seconds] of [
        [foreign, 1],
        [own, 60],
      ] as const)
        await service.db.query('update pods set object_created_at = now() + make_interval(secs => $2) where uid = $1', [
          pod.metadata.uid,
          seconds,
        ]);
      await service.sweep('restored pods');
      expect((await fact(uuid)).pod_uid).toBe(own.metadata.uid);
    });

    it('is of the restore that began in its own cluster, although another one began nearer', async () => {
      const one = await taken();
      const elsewhere = await begin(one.name, { checkpoint_id: one.checkpointId });
      const there = await begin(one.name, { cluster_id: one.other, started_at: at(-30) });
      const pod = restoredThere(one);
      await syncAll(org.controller, one.other, [pod]);
      expect([(await fact(elsewhere)).pod_uid, (await fact(there)).pod_uid]).toEqual(['', pod.metadata.uid]);
    });

    it('is never one there if the restore was requested for the first cluster', async () => {
      const all = [await taken(), await taken()] as const;
      const membersOf = async ({ actionId }: Taken) => ({
        action_id: ok(await org.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text,
      });
      const eventFirst = await begin(all[0].name, await membersOf(all[0]));
      for (const one of all) await syncAll(org.controller, one.other, [restoredThere(one)]);
      const podFirst = await begin(all[1].name, await membersOf(all[1]));
      for (const uuid of [eventFirst, podFirst]) expect((await fact(uuid)).pod_uid).toBe('');
    });
  });

  it('is found by the name of the restored checkpoint', async () => {
    const name = newId();
    const id = ok(await org.controller.post('/v1/checkpoints', { name })).text;
    const uuid = newId();
    ok(
      await reportRestore(org, 'restore_start', {
        restore_uuid: uuid,
        checkpoint_id: id,
        started_at: at(0),
        metadata: { node: 'node-1' },
      }),
    );
    const pod = podResource({ checkpoint: name, createdAt: at(1), readyAt: at(2) });
    await sync(pod);
    expect(await fact(uuid)).toMatchObject({ pod_uid: pod.metadata.uid, pod_ready_at_ms: ms(2) });
  });

  it('keeps the time at which it was first Ready, however often that changes later', async () => {
    const uid = newId();
    const uuid = await start({ pod_uid: uid });
    const times = async () => (await fact(uuid)).pod_ready_at_ms as number | null;
    const state = (version: number, readyAt?: string) =>
      sync(podResource({ uid, scheduledAt: at(1), readyAt, version }));
    await state(1);
    expect(await times()).toBeNull();
    await state(2, at(10));
    await state(3);
    expect(await times()).toBe(ms(10));
    await state(4, at(99));
    expect(await times()).toBe(ms(10));
    // A further event reads the pod again, whose Ready time is later now.
    ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, metadata: { pod_uid: uid } }));
    expect(await times()).toBe(ms(10));
    ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid, metadata: { pod_uid: uid } }));
    expect(await times()).toBe(ms(10));
  });

  it('makes a restore count as serving only after it was Ready, succeeded or not', async () => {
    const uid = newId();
    const uuid = await start({ pod_uid: uid });
    ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid }));
    expect(await fact(uuid)).toMatchObject({ result: 'succeeded', pod_ready_at_ms: null });
    await sync(podResource({ uid, scheduledAt: at(1), readyAt: at(3) }));
    expect(await fact(uuid)).toMatchObject({ result: 'succeeded', pod_ready_at_ms: ms(3) });
    const failed = await start({ pod_uid: uid });
    ok(await reportRestore(org, 'restore_error', { restore_uuid: failed }));
    expect((await fact(failed)).result).toBe('failed');
  });

  it('may have times of a broken clock without breaking the summary', async () => {
    const own = await service.organisation();
    const cluster = await buildCluster(own);
    const restoreOf = async (scheduledAt: string, readyAt: string) => {
      const { uid } = await buildPod(own, cluster, { scheduledAt, readyAt });
      ok(await reportRestore(own, 'restore_success', { restore_uuid: newId(), metadata: { pod_uid: uid } }));
    };
    await restoreOf('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z');
    const longest = ok(await own.viewer.get('/v1/metrics/operations/summary?operation=restore')).body.operations[0];
    expect(longest).toMatchObject({ to_ready_count: 1, to_ready_p50_ns: Number.MAX_SAFE_INTEGER });
    await restoreOf(at(10), at(5));
    const shortest = ok(await own.viewer.get('/v1/metrics/operations/summary?operation=restore')).body.operations[0];
    expect(shortest).toMatchObject({ to_ready_count: 2, to_ready_p50_ns: 0 });
  });
});
