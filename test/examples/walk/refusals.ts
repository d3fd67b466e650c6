import { newId } from '../../../src/1-platform/common/ids';
import { buildPod } from '../../support/builders';
import { outdate } from '../../support/instances';
import { authorized, saveRoute, targetsOf } from '../../support/inference';
import { hangsUp, isSilent, refuses } from '../../support/inference-worker';
import { put } from '../../support/plugins';
import { people } from './people';
import type { Walk } from './walk';

const PROFILE = 'llama-8b-a10g';
const OTHER_PROFILE = 'llama-8b-h100';
const ARTIFACT = 'llama-8b-a10g-0001';
const CHATS = ['create_chat_completion', 'create_completion', 'create_embedding', 'create_response'];

/** Refusals that need a certain state. A status may have several codes: each gets an example of its own. */
export async function refusals(walk: Walk): Promise<void> {
  for (const wing of [people, inventory, checkpointing, serving, traffic, cloud])
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
  const end = (action: string): Promise<unknown> =>
    service.db.query("update actions set status = 'error', error = 'x', ended_at = clock_timestamp() where id = $1", [
      action,
    ]);
  await end(open);
  await recorder.refuses(409, 'action_over', 'create_checkpoint', { as: controller, body: part });
  const ofJob = await recorder.expect(200, 'checkpoint_slurm_job', {
    as: operator,
    with: { cluster_id: ids.slurm, job_id: '4711' },
  });
  const ofAction = { action_id: ofJob.text };
  await recorder.refuses(404, 'parent_checkpoint_not_found', 'create_slurm_checkpoint', {
    as: controller,
    body: { ...ofAction, parent_checkpoint_id: newId() },
  });
  await end(ofJob.text);
  await recorder.refuses(409, 'action_over', 'create_slurm_checkpoint', { as: controller, body: ofAction });
  const trigger = { type: 'heartbeat', config: { interval_seconds: 86_400, max_checkpoints: 24 } };
  const filter = { type: 'pods', config: { cluster_id: ids.cluster, pod_ids: [newId()] } };
  const pipeline = { trigger, filter, action: { type: 'checkpoint', config: { kind: 'simple' } } };
  for (const id of ['create_pipeline_policy', 'preview_pipeline_policy'])
    await recorder.refuses(404, 'pod_not_found', id, { as: operator, body: { name: 'nobody', pipeline } });
  const ofNamespace = { type: 'namespace', config: { cluster_id: ids.cluster, namespace: 'training' } };
  const body = { name: 'disabled', pipeline: { ...pipeline, filter: ofNamespace } };
  const disabled = (await operator.post('/v1/policy/pipeline/create', body)).text;
  await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [disabled]);
  await recorder.refuses(409, 'policy_disabled', 'update_pipeline_policy', {
    as: operator,
    path: [disabled],
    body: { paused: true },
  });
  await recorder.refuses(409, 'policy_changed', 'update_pipeline_policy', {
    as: operator,
    path: [disabled],
    body: { keep_last: 24, expected: { keep_last: 12 } },
  });
}

async function serving({ recorder, org, ids, service }: Walk): Promise<void> {
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
  await recorder.refuses(409, 'checkpoint_request_state_conflict', 'update_profile_checkpoint', {
    as: controller,
    path: [PROFILE],
    body: { request_id, status: 'failed', error: 'dump failed' },
  });
  const artifact_id = 'llama-8b-a10g-0004';
  const uri = 's3://checkpoints/llama-8b-a10g/0004';
  const path = [artifact_id];
  const of = { artifact_id, uri, compatibility_key: ids.compatibility, storage_tier: 'shared' };
  await recorder.expect(201, 'register_artifact', { as: controller, with: of });
  await recorder.refuses(409, 'no_promotion_pending', 'update_artifact', {
    as: controller,
    path,
    body: { promotion: 'confirmed' },
  });
  await recorder.expect(200, 'update_artifact', { as: controller, path, body: { status: 'expired' } });
  await recorder.refuses(409, 'artifact_expired', 'update_artifact', {
    as: operator,
    path,
    body: { status: 'golden' },
  });
  // No chain is registered that is so long: earlier releases did.
  await service.db.query(
    `insert into artifacts select (jsonb_populate_record(a, jsonb_build_object('artifact_id', 'chain-' || n,
       'parent_artifact_id', case when n > 1 then 'chain-' || n - 1 end))).*
     from artifacts a, generate_series(1, 1001) n where a.org_id = $1 and a.artifact_id = $2`,
    [org.id, artifact_id],
  );
  await recorder.refuses(409, 'ancestry_too_large', 'list_artifact_ancestry', {
    as: org.viewer,
    path: ['chain-1001'],
  });
  await service.db.query("delete from artifacts where org_id = $1 and artifact_id like 'chain-%'", [org.id]);
}

async function traffic(walk: Walk): Promise<void> {
  const { recorder, org, worker } = walk;
  const { operator } = org;
  await unavailable(walk);
  await notServed(walk);
  const words = 'max_tokens is too large: 100000000. This model supports at most 8192 tokens';
  const body = { object: 'error', message: words, type: 'BadRequestError', code: 400 };
  worker.behaves(refuses(400, JSON.stringify(body)));
  for (const id of CHATS) await recorder.refuses(400, 'refused_by_worker', id, { as: operator });
  worker.behaves(isSilent());
  for (const id of CHATS)
    await recorder.refuses(503, 'deadline_exceeded', id, {
      as: operator,
      headers: { 'x-request-timeout-ms': '1000' },
    });
  worker.behaves(hangsUp('nothing'));
  for (const id of CHATS) await recorder.refuses(503, 'worker_failed', id, { as: operator });
}

/** A key without budget, and a route without targets. */
async function unavailable({ recorder, service, org }: Walk): Promise<void> {
  const { operator, controller } = org;
  const keyOf = async (body: object) => {
    const { raw_key } = (await operator.post('/v1/inference/keys', body)).body as { raw_key: string };
    return service.as(raw_key);
  };
  await saveRoute(operator, 'emptied', { targets: targetsOf(PROFILE) });
  const request = await authorized(await keyOf({ name: 'of a router' }), 'emptied');
  await saveRoute(operator, 'emptied', { targets: [] });
  await recorder.refuses(503, 'model_unavailable', 'resolve_request', { as: controller, with: { ...request } });
  const poor = await keyOf({ name: 'used up', budget_usd: 0 });
  for (const id of CHATS) {
    await recorder.refuses(503, 'model_unavailable', id, { as: operator, with: { model: 'emptied' } });
    await recorder.refuses(429, 'insufficient_quota', id, { as: poor });
  }
}

/** Each model has a target that serves the other endpoints. */
async function notServed({ recorder, org }: Walk): Promise<void> {
  const endpoints = { chats: ['chat', 'completions'], vectors: ['embeddings', 'responses'] };
  for (const [profile_id, served] of Object.entries(endpoints)) {
    await recorder.expect(201, 'create_profile', {
      as: org.operator,
      with: { profile_id, spec: { endpoints: served } },
    });
    await saveRoute(org.operator, profile_id, { targets: targetsOf(profile_id) });
  }
  for (const id of CHATS) {
    const model = ['create_chat_completion', 'create_completion'].includes(id) ? 'vectors' : 'chats';
    await recorder.refuses(404, 'endpoint_not_served', id, { as: org.operator, with: { model } });
  }
}

async function cloud(walk: Walk): Promise<void> {
  await plugins(walk);
  await marketplace(walk);
}

async function plugins({ recorder, service, org }: Walk): Promise<void> {
  const version = '1.5.0';
  for (const name of ['main', 'install', 'install-slurm', 'gpu-plugin']) {
    const { body } = await recorder.expect(200, 'upload_plugin', {
      as: org.operator,
      path: [name],
      with: { version, checksum: 'a'.repeat(64) },
    });
    await put((body as { version_upload_url: string }).version_upload_url, Buffer.from('other bytes'));
  }
  const ids = ['download_main_binary', 'download_install_script', 'download_slurm_install_script'];
  for (const id of [...ids, 'download_plugin_binary'])
    await recorder.refuses(404, 'plugin_unavailable', id, { as: org.viewer, path: ['gpu-plugin'], query: { version } });
  await recorder.refuses(403, 'forbidden', 'upload_plugin', { as: org.viewer });
  const other = await service.organisation('globex');
  await recorder.refuses(403, 'another_organisation_publishes', 'upload_plugin', { as: other.operator });
}

async function marketplace({ recorder, service, org, market, ids }: Walk): Promise<void> {
  const made = await recorder.expect(200, 'create_instance', { as: org.operator, with: { name: 'burst-3' } });
  ids.instance = (made.body as { instance_id: string }).instance_id;
  const faults = [
    ['burst-5', 400, 'instance_refused', { status: 400, body: { message: 'os is not supported' } }],
    ['burst-6', 503, 'marketplace_busy', { status: 429, headers: { 'retry-after': '30' } }],
    ['burst-7', 503, 'marketplace_unavailable', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
  ] as const;
  for (const [name, status, code, behaviour] of faults) {
    market.behaves('create', behaviour);
    await recorder.refuses(status, code, 'create_instance', { as: org.operator, with: { name } });
  }
  for (const [code, status] of Object.entries({
    marketplace_unavailable: 500,
    marketplace_busy: 429,
    bursting_key_refused: 401,
  })) {
    market.behaves('types', { status });
    // It has read no types yet, so it has none to show instead, and it remembers no failure.
    const replica = await service.replica();
    await recorder.refuses(503, code, 'list_instance_types', { as: replica.as(org.viewer.token) });
  }
  const moved = await service.replica({ marketplace: market.settings({ key: 'the key of another account' }) });
  market.behaves('list', { status: 200, body: { instances: [] } });
  await recorder.refuses(409, 'machine_of_another_key', 'delete_instance', {
    as: moved.as(org.operator.token),
    path: [ids.instance],
  });
  market.behavesAgain();
  market.allBehave({ status: 401, body: { message: 'Unknown key' } });
  await outdate(service);
  await recorder.refuses(503, 'bursting_key_refused', 'create_instance', {
    as: org.operator,
    with: { name: 'burst-4' },
  });
  market.behavesAgain();
}
