import { newId } from '../../../src/1-platform/common/ids';
import { buildPod } from '../../support/builders';
import { outdate } from '../../support/instances';
import { hangsUp } from '../../support/inference-worker';
import type { Walk } from './walk';

const PROFILE = 'llama-8b-a10g';
const OTHER_PROFILE = 'llama-8b-h100';
const ARTIFACT = 'llama-8b-a10g-0001';
const CHATS = ['create_chat_completion', 'create_completion', 'create_embedding', 'create_response'];

/** Refusals that need a certain state. A status may have several codes: each gets an example of its own. */
export async function refusals(walk: Walk): Promise<void> {
  for (const wing of [inventory, checkpointing, serving, traffic, cloud])
    // The walk goes on, so that one run shows everything that does not go as it should.
    await wing(walk).catch((error: unknown) => walk.recorder.surprises.push(String(error)));
}

/** For the end of the walk: readers of the outbox find nothing any more. */
export async function forgottenEvents({ recorder, service, org }: Walk): Promise<void> {
  await service.db.query('delete from outbox_events where event_id < (select max(event_id) from outbox_events)');
  await recorder.refuses(410, 'outbox_cursor_gone', 'list_outbox_events', {
    as: org.controller,
    query: { consumer_id: 'controller-eu-gpu-2', after: '0' },
  });
}

async function inventory({ recorder, org, ids }: Walk): Promise<void> {
  const pod = buildPod('train-unplaced', { spec: { nodeName: 'gpu-node-9' } });
  await recorder.refuses(404, 'node_not_found', 'sync_cluster', {
    as: org.controller,
    body: { cluster_id: ids.cluster, resource: pod },
  });
}

async function checkpointing({ recorder, org, service, ids }: Walk): Promise<void> {
  const { operator, controller } = org;
  const open = (await operator.post('/v1/checkpoint/pod', { pod_id: ids.pod })).text;
  const part = { action_id: open, container_name: 'main' };
  await recorder.refuses(404, 'parent_checkpoint_not_found', 'create_checkpoint', {
    as: controller,
    body: { ...part, parent_checkpoint_id: newId() },
  });
  await recorder.refuses(409, 'workload_type_conflict', 'create_slurm_checkpoint', {
    as: controller,
    body: { action_id: open },
  });
  await recorder.refuses(409, 'workload_type_conflict', 'restore_slurm_job', {
    as: operator,
    with: { action_id: ids.action },
  });
  await recorder.refuses(409, 'operation_id_taken', 'record_restore_start', {
    as: controller,
    body: { restore_uuid: ids.checkpoint, started_at: recorder.ago(60) },
  });
  await service.db.query(
    "update actions set status = 'error', error = 'x', ended_at = clock_timestamp() where id = $1",
    [open],
  );
  await recorder.refuses(409, 'action_over', 'create_checkpoint', { as: controller, body: part });
  const trigger = { type: 'heartbeat', config: { interval_seconds: 86_400, max_checkpoints: 24 } };
  const filter = { type: 'pods', config: { cluster_id: ids.cluster, pod_ids: [newId()] } };
  const pipeline = { trigger, filter, action: { type: 'checkpoint', config: { kind: 'simple' } } };
  for (const id of ['create_pipeline_policy', 'preview_pipeline_policy'])
    await recorder.refuses(404, 'pod_not_found', id, { as: operator, body: { name: 'nobody', pipeline } });
}

async function serving({ recorder, org }: Walk): Promise<void> {
  const { operator, controller } = org;
  const done = { status: 'succeeded', artifact_id: ARTIFACT };
  await recorder.refuses(404, 'checkpoint_request_not_found', 'get_profile_checkpoint', {
    as: operator,
    path: [OTHER_PROFILE],
  });
  const asked = await operator.post(`/v1/inference/profiles/${PROFILE}/checkpoint`, {});
  const { request_id } = asked.body as { request_id: string };
  const update = (body: object) => ({ as: controller, path: [PROFILE], body: { ...done, request_id, ...body } });
  await recorder.expect(200, 'update_profile_checkpoint', update({}));
  await recorder.refuses(
    409,
    'another_artifact',
    'update_profile_checkpoint',
    update({ artifact_id: 'llama-8b-a10g-0002' }),
  );
}

async function traffic({ recorder, org, worker }: Walk): Promise<void> {
  const { operator } = org;
  worker.behaves(hangsUp('nothing'));
  for (const id of CHATS) await recorder.refuses(503, 'worker_failed', id, { as: operator });
}

async function cloud({ recorder, service, org, market }: Walk): Promise<void> {
  market.allBehave({ status: 401, body: { message: 'Unknown key' } });
  await outdate(service);
  await recorder.refuses(503, 'bursting_key_refused', 'create_instance', {
    as: org.operator,
    with: { name: 'burst-4' },
  });
  market.behavesAgain();
}
