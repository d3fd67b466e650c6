import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster } from '../../../support/slurm-builders';
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

describe('a request to restore a pod', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  let clusterId: string;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    [org, other] = [await service.organisation(), await service.organisation()];
    clusterId = await buildCluster(org);
    pod = await buildPod(org, clusterId, { name: 'trainer-0', checkpoint: 'finetune' });
  });
  afterAll(() => service.close());

  const ask = (body: object) => org.operator.post('/v1/restore/pod', body);
  const action = async (id: string) => (await org.viewer.get(`/v1/actions/${id}`)).body;

  it('may allow a machine that lacks something, and the action and the audit say so', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    const request = { action_id: actionId, reason: 'manual', allow_incompatible: true };
    const id = ok(await ask(request)).text;
    expect((await action(id)).details).toEqual(request);
    const { rows } = await service.db.query('select details from audit_entries where resource_id = $1', [id]);
    expect(rows).toEqual([{ details: { checkpoint_action_id: actionId, reason: 'manual', allow_incompatible: true } }]);
    const refused = await ask({ ...request, allow_incompatible: 'yes' });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'allow_incompatible']);
  });

  it('creates an action that holds the pod, and writes an event for the cluster', async () => {
    const { actionId, checkpointId } = await readyCheckpoint(org, pod.uid, { path: '/ck/7' });
    const request = {
      action_id: actionId,
      reason: 'nodeTermination',
      overrides: { pod_name: 'again', criu_opts: null },
    };
    const id = ok(await ask(request)).text;
    expect(id).not.toBe(actionId);
    expect(await action(id)).toMatchObject({
      type: 'restore_pod',
      status: 'initialized',
      reason: 'nodeTermination',
      details: request,
      checkpoint_id: checkpointId,
      checkpoint_ids: [],
      checkpoint_name: 'finetune',
      restore_path: '/ck/7',
      node_name: null,
      pod_spec: pod.resource.spec,
      error: null,
    });
    const { rows } = await service.db.query(
      'select event_type, cluster_id, payload from outbox_events where aggregate_id = $1',
      [id],
    );
    expect(rows).toEqual([
      {
        event_type: 'action.restore_requested',
        cluster_id: clusterId,
        payload: { action_id: id, checkpoint_id: checkpointId, checkpoint_action_id: actionId, cluster_id: clusterId },
      },
    ]);
    const audit = await service.db.query('select action, details from audit_entries where resource_id = $1', [id]);
    expect(audit.rows).toEqual([
      { action: 'restore_pod', details: { checkpoint_action_id: actionId, reason: 'nodeTermination' } },
    ]);
  });

  it('goes to another cluster if one is named', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    const there = await buildCluster(org);
    const id = ok(await ask({ action_id: actionId, reason: 'nodeUnschedulable', cluster_id: there })).text;
    const { rows } = await service.db.query('select cluster_id from outbox_events where aggregate_id = $1', [id]);
    expect(rows).toEqual([{ cluster_id: there }]);
  });

  it('answers 400 for a cluster of Slurm, whose controller restores no pods', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    const answer = await ask({ action_id: actionId, reason: 'manual', cluster_id: await slurmCluster(org, newId()) });
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field: 'cluster_id', message: 'must be the id of a Kubernetes cluster' }],
    ]);
  });

  it('may ask for a pod in another namespace, beside the owner of the first one', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    const overrides = { pod_name: 'again', namespace: 'aside', standalone: true };
    const id = ok(await ask({ action_id: actionId, reason: 'manual', overrides })).text;
    expect((await action(id)).details.overrides).toEqual(overrides);
    const refused = await ask({ action_id: actionId, reason: 'manual', overrides: { standalone: 'yes' } });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'overrides.standalone']);
  });

  it('restores the first ready checkpoint', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const [a, b] = [await takeUp(org, actionId), await takeUp(org, actionId)];
    ok(await putUploaded(org, b, '/b'));
    const partial = { action_id: actionId, reason: 'manual', allow_partial: true };
    expect((await action(ok(await ask(partial)).text)).checkpoint_id).toBe(b);
    ok(await putUploaded(org, a, '/a'));
    expect((await action(ok(await ask({ action_id: actionId, reason: 'manual' })).text)).checkpoint_id).toBe(a);
  });

  it('answers 409 while no checkpoint is ready, and after all were deprecated', async () => {
    const actionId = await askCheckpoint(org, pod.uid);
    const refused = async () => {
      const answer = await ask({ action_id: actionId, reason: 'manual' });
      expect([answer.status, answer.body.code]).toEqual([409, 'checkpoint_not_ready']);
    };
    const events = async () =>
      (await service.db.query("select count(*) from outbox_events where event_type = 'action.restore_requested'")).rows;
    const before = await events();
    await refused();
    const id = await takeUp(org, actionId);
    ok(await putInfo(org, id));
    await refused();
    ok(await putUploaded(org, id));
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${id}`));
    await refused();
    expect(await events()).toEqual(before);
  });

  it('answers 409 for an action that itself restores', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    const id = ok(await ask({ action_id: actionId, reason: 'manual' })).text;
    expect((await ask({ action_id: id, reason: 'manual' })).body.code).toBe('not_a_checkpoint_action');
  });

  it('answers 404 for an action or cluster that is unknown or of another organisation', async () => {
    const { actionId } = await readyCheckpoint(org, pod.uid);
    for (const id of [newId(), 'x', ''])
      expect((await ask({ action_id: id, reason: 'manual' })).body.code).toBe('action_not_found');
    expect((await other.operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).status).toBe(404);
    const foreign = await buildCluster(other);
    for (const id of [newId(), foreign, 'x'])
      expect((await ask({ action_id: actionId, reason: 'manual', cluster_id: id })).status).toBe(404);
  });

  it.each<[string, object]>([
    ['no action', { reason: 'manual' }],
    ['no reason', { action_id: newId() }],
    ['a reason of checkpoints', { action_id: newId(), reason: 'heartbeat' }],
    ['a reason in another spelling', { action_id: newId(), reason: 'NodeTermination' }],
    ['an unknown member', { action_id: newId(), reason: 'manual', node: 'x' }],
    ['an override of checkpoints', { action_id: newId(), reason: 'manual', overrides: { streams: 2 } }],
  ])('answers 400 for %s', async (_what, body) => {
    expect((await ask(body)).status).toBe(400);
  });

  it('needs the role operator', async () => {
    const body = { action_id: newId(), reason: 'manual' };
    expect((await org.viewer.post('/v1/restore/pod', body)).status).toBe(403);
    expect((await service.as(undefined).post('/v1/restore/pod', body)).status).toBe(401);
  });

  describe('followed by events of its node', () => {
    const restore = async () => {
      const { actionId, checkpointId } = await readyCheckpoint(org, pod.uid);
      return {
        actionId: ok(await ask({ action_id: actionId, reason: 'manual' })).text,
        source: actionId,
        checkpointId,
        uuid: newId(),
      };
    };
    const statusOf = async (id: string) => (await org.viewer.get(`/v1/checkpoint/status/${id}`)).body;

    it('moves the action', async () => {
      const { actionId, uuid } = await restore();
      ok(await reportRestore(org, 'restore_start', { restore_uuid: uuid, action_id: actionId }));
      expect(await statusOf(actionId)).toEqual({ status: 'processing', details: null });
      // Senders that cannot omit a member leave it empty.
      ok(await reportRestore(org, 'restore_success', { restore_uuid: uuid, action_id: '' }));
      expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
      ok(await reportRestore(org, 'restore_error', { restore_uuid: uuid, error_message: 'late' }));
      expect(await statusOf(actionId)).toEqual({ status: 'ready', details: null });
    });

    it('shows why it failed', async () => {
      const { actionId, uuid } = await restore();
      ok(
        await reportRestore(org, 'restore_error', {
          restore_uuid: uuid,
          action_id: actionId,
          error_message: 'no space left',
        }),
      );
      expect(await statusOf(actionId)).toEqual({ status: 'error', details: 'no space left' });
    });

    it('creates a fact of the restored checkpoint', async () => {
      const { actionId, source, checkpointId, uuid } = await restore();
      ok(
        await reportRestore(org, 'restore_start', {
          restore_uuid: uuid,
          action_id: actionId,
          checkpoint_action_id: source,
        }),
      );
      expect((await org.viewer.get(`/v1/operations/${uuid}`)).body).toMatchObject({
        op_type: 'restore',
        result: 'running',
        restore_uuid: uuid,
        action_id: actionId,
        checkpoint_id: checkpointId,
        cluster_id: clusterId,
        name: 'trainer-0',
        namespace: 'training',
        reason: 'manual',
        kind: 'simple',
        gpu_model: 'NVIDIA H100',
        platform: 'linux/amd64',
      });
    });

    it('does not move an action that requested a checkpoint', async () => {
      const actionId = await askCheckpoint(org, pod.uid);
      ok(await reportRestore(org, 'restore_success', { restore_uuid: newId(), action_id: actionId }));
      expect((await statusOf(actionId)).status).toBe('initialized');
    });

    it('does not move an action of another organisation', async () => {
      const { actionId } = await restore();
      const uuid = newId();
      ok(
        await reportRestore(other, 'restore_error', { restore_uuid: uuid, action_id: actionId, cluster_id: clusterId }),
      );
      expect((await statusOf(actionId)).status).toBe('initialized');
      expect((await other.viewer.get(`/v1/operations/${uuid}`)).body).toMatchObject({
        action_id: actionId,
        cluster_id: '',
        name: '',
      });
    });
  });
});
