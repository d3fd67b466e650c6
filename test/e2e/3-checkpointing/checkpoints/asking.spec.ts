import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import { askCheckpoint, buildCluster, buildPod, type RunningPod } from '../../../support/workloads';

describe('a request for a checkpoint of a pod', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId, {
      name: 'trainer-0',
      checkpoint: 'finetune',
      owner: { kind: 'StatefulSet', name: 'trainer' },
    });
  });
  afterAll(() => service.close());

  const ask = (body: object) => org.operator.post('/v1/checkpoint/pod', body);
  const detailsOf = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;
  const eventsOf = async (id: string) =>
    (await service.db.query('select * from outbox_events where aggregate_id = $1', [id])).rows;

  it.each<[string, () => object]>([
    ['its Kubernetes uid', () => ({ pod_id: pod.uid })],
    ['the id of its row', () => ({ pod_id: pod.id })],
    ['cluster, namespace and name', () => ({ cluster_id: clusterId, namespace: 'training', pod_name: 'trainer-0' })],
    ['its uid and its cluster, in capitals', () => ({ pod_id: pod.uid, cluster_id: clusterId.toUpperCase() })],
  ])('may name the pod by %s', async (_by, body) => {
    const answer = await ask(body());
    expect(answer.status).toBe(200);
    expect(await detailsOf(answer.text)).toMatchObject({
      action_id: answer.text,
      type: 'checkpoint_pod',
      status: 'initialized',
      reason: 'manual',
      details: { ...body(), kind: 'simple', reason: 'manual' },
      node_name: 'node-1',
      platform: 'kubernetes',
      checkpoint_name: 'finetune',
      gpu: null,
      checkpoint_size: null,
      total_duration: null,
      error: null,
    });
  });

  it('a request for a checkpoint of a pod also creates the first checkpoint', async () => {
    const id = await askCheckpoint(org, pod.uid);
    const { checkpoint_id: checkpointId, checkpoint_ids: ids } = await detailsOf(id);
    expect(ids).toEqual([checkpointId]);
    expect((await org.viewer.get(`/v1/checkpoints?ids=${checkpointId}`)).body).toEqual([
      expect.objectContaining({
        id: checkpointId,
        action_id: id,
        status: 'initializing',
        name: 'finetune',
        pod_name: 'trainer-0',
        namespace: 'training',
        cluster_id: clusterId,
        container_name: null,
        delta: false,
        gpu: '',
        info: null,
      }),
    ]);
  });

  it('is stored as it was received', async () => {
    const request = {
      pod_id: pod.uid,
      kind: 'rootfs',
      runc_root: '/run/runc',
      overrides: {
        asynchronous: true,
        compression: 'zstd',
        incremental: null,
        streams: 4,
        criu_opts: null,
        directory: '/x',
      },
    };
    const id = (await ask(request)).text;
    expect((await detailsOf(id)).details).toEqual({ ...request, reason: 'manual', leave_running: true });
  });

  it('has the type heartbeat when its reason is a heartbeat', async () => {
    const id = (await ask({ pod_id: pod.uid, reason: 'heartbeat' })).text;
    expect(await detailsOf(id)).toMatchObject({ type: 'heartbeat', reason: 'heartbeat' });
    const listed = (await org.viewer.get('/v1/actions?type=heartbeat')).body;
    expect(listed).toEqual([expect.objectContaining({ action_id: id, workload_kind: 'StatefulSet' })]);
  });

  it('writes one event for the cluster and one audit entry', async () => {
    const id = await askCheckpoint(org, pod.uid);
    const { checkpoint_id: checkpointId } = await detailsOf(id);
    expect(await eventsOf(id)).toEqual([
      expect.objectContaining({
        org_id: org.id,
        event_type: 'action.checkpoint_requested',
        aggregate_type: 'action',
        cluster_id: clusterId,
        payload: {
          action_id: id,
          checkpoint_id: checkpointId,
          cluster_id: clusterId,
          pod_uid: pod.uid,
          leave_running: true,
          containers: ['main'],
        },
      }),
    ]);
    const audit = await service.db.query('select action, resource_type from audit_entries where resource_id = $1', [
      id,
    ]);
    expect(audit.rows).toEqual([{ action: 'checkpoint_pod', resource_type: 'action' }]);
  });

  it('leaves nothing behind if any part cannot be written', async () => {
    const counts = async () =>
      (
        await service.db.query(
          `select (select count(*) from actions) as actions, (select count(*) from checkpoints) as checkpoints,
             (select count(*) from outbox_events) as events, (select count(*) from audit_entries) as audit`,
        )
      ).rows[0];
    const before = await counts();
    for (const table of ['outbox_events', 'audit_entries']) {
      await service.db.query(`alter table ${table} add constraint refused check (false) not valid`);
      try {
        expect((await ask({ pod_id: pod.uid })).status).toBe(500);
      } finally {
        await service.db.query(`alter table ${table} drop constraint refused`);
      }
      expect(await counts()).toEqual(before);
    }
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['a name alone', { pod_name: 'trainer-0' }],
    ['no namespace', { cluster_id: newId(), pod_name: 'trainer-0' }],
    ['nulls', { pod_id: null, cluster_id: null, namespace: null, pod_name: null }],
    ['empty texts', { pod_id: '', cluster_id: '', namespace: '', pod_name: '' }],
    ['an unknown kind', { pod_id: newId(), kind: 'full' }],
    ['an unknown reason', { pod_id: newId(), reason: 'preemption' }],
    ['an unknown member', { pod_id: newId(), pod: 'x' }],
    ['streams that are not a number', { pod_id: newId(), overrides: { streams: '4' } }],
  ])('answers 400 for %s', async (_what, body) => {
    expect((await ask(body)).status).toBe(400);
  });

  it.each<[string, () => object]>([
    ['unknown', () => ({ pod_id: newId() })],
    ['unknown by name', () => ({ cluster_id: clusterId, namespace: 'training', pod_name: 'nobody' })],
    ['of a malformed cluster id', () => ({ cluster_id: 'eu-1', namespace: 'training', pod_name: 'trainer-0' })],
    ['on another cluster than the one named', () => ({ pod_id: pod.uid, cluster_id: newId() })],
  ])('answers 404 for a pod that is %s', async (_what, body) => {
    const answer = await ask(body());
    expect([answer.status, answer.body.code]).toEqual([404, 'nothing_to_checkpoint']);
  });

  it.each(['Pending', 'Succeeded', 'Failed', 'Unknown'])('answers 404 for a pod that is %s', async (phase) => {
    const waiting = await buildPod(org, clusterId, { phase });
    expect((await ask({ pod_id: waiting.uid })).status).toBe(404);
  });

  it('answers 404 for a deleted pod', async () => {
    const gone = await buildPod(org, clusterId);
    await service.db.query('update pods set deleted = true where id = $1', [gone.id]);
    expect((await ask({ pod_id: gone.uid })).status).toBe(404);
  });

  it('answers 404 for a pod of another organisation', async () => {
    for (const podId of [pod.uid, pod.id]) {
      expect((await other.operator.post('/v1/checkpoint/pod', { pod_id: podId })).status).toBe(404);
    }
    const named = { cluster_id: clusterId, namespace: 'training', pod_name: 'trainer-0' };
    expect((await other.operator.post('/v1/checkpoint/pod', named)).status).toBe(404);
  });

  it('uses the newest of several pods with the same name', async () => {
    const at = (hour: string) => `2026-06-01T${hour}:00:00Z`;
    await buildPod(org, clusterId, { name: 'again', createdAt: at('10') });
    const newest = await buildPod(org, clusterId, { name: 'again', createdAt: at('12') });
    await buildPod(org, clusterId, { name: 'again', createdAt: at('11') });
    const id = (await ask({ cluster_id: clusterId, namespace: 'training', pod_name: 'again' })).text;
    expect((await detailsOf(id)).pod_metadata.uid).toBe(newest.uid);
  });

  it('stores the pod, which is gone by the time of the restore', async () => {
    const own = await buildPod(org, clusterId, { name: 'short-lived' });
    const id = await askCheckpoint(org, own.uid);
    await service.db.query('delete from pods where id = $1', [own.id]);
    const { pod_spec: spec, pod_metadata: metadata } = await detailsOf(id);
    expect(spec).toEqual(own.resource.spec);
    expect(metadata).toMatchObject({ uid: own.uid, name: 'short-lived' });

    // The node's upload replaces a part of it.
    const uploaded = { action_id: id, status: 'processing', pod_spec: { nodeName: 'node-1', containers: [], n: 1 } };
    expect(await org.controller.post('/v1/actions/upload', uploaded)).toMatchObject({ status: 200, text: id });
    expect(await detailsOf(id)).toMatchObject({
      pod_spec: uploaded.pod_spec,
      pod_metadata: metadata,
      status: 'processing',
    });
  });

  it('needs the role operator or controller', async () => {
    expect((await org.controller.post('/v1/checkpoint/pod', { pod_id: pod.uid })).status).toBe(200);
    expect((await org.viewer.post('/v1/checkpoint/pod', { pod_id: pod.uid })).status).toBe(403);
    expect((await service.as(undefined).post('/v1/checkpoint/pod', { pod_id: pod.uid })).status).toBe(401);
  });

  it('takes effect once when it is repeated with its key', async () => {
    const key = { 'idempotency-key': newId() };
    const first = await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.uid }, key);
    const second = await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.uid }, key);
    expect(second.text).toBe(first.text);
    expect(await eventsOf(first.text)).toHaveLength(1);
  });

  it('uses the row of the named cluster if two clusters have the pod', async () => {
    const second = await buildCluster(org);
    const there = await buildPod(org, second, { name: 'trainer-0' });
    const id = (await ask({ cluster_id: second, namespace: 'training', pod_name: 'trainer-0' })).text;
    expect((await detailsOf(id)).pod_metadata.uid).toBe(there.uid);
  });
});
