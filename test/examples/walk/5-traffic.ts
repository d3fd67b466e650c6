import { answers, refuses, shows } from '../../support/inference-worker';
import { routersSee, useUpRate } from '../../support/inference';
import type { Walk } from './walk';

const PROFILE = 'llama-8b-a10g';
const CHATS = ['create_chat_completion', 'create_completion', 'create_embedding', 'create_response'];

export async function traffic(walk: Walk): Promise<void> {
  await routes(walk);
  await router(walk);
  await chats(walk);
  await fleets(walk);
}

async function routes({ recorder, org, worker }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const target = { profile_id: PROFILE, tier: 'small', priority: 1 };
  await recorder.expect(200, 'save_route', { as: operator, with: { targets: [target] } });
  await operator.post('/v1/inference/routes', { logical_model: 'bge-small', targets: [target] });
  await operator.post('/v1/inference/routes', { logical_model: 'other', targets: [target] });
  await operator.post('/v1/inference/routes', {
    logical_model: 'cold',
    queue_timeout_ms: 1_000,
    targets: [{ ...target, profile_id: 'llama-8b-h100' }],
  });
  await operator.post('/v1/inference/routes', {
    logical_model: 'warming',
    queue_timeout_ms: 300_000,
    targets: [{ ...target, profile_id: 'llama-8b-h100' }],
  });
  await recorder.expect(200, 'list_routes', { as: viewer });
  await recorder.expect(200, 'list_route_statuses', { as: viewer });
  await routersSee(controller, PROFILE, { ready: true });
  await recorder.expect(200, 'get_route_state', { as: viewer, path: ['llama-8b'] });
  await operator.post('/v1/inference/routes', { logical_model: 'retired' });
  for (const status of [204, 404]) await recorder.expect(status, 'delete_route', { as: operator, path: ['retired'] });
  void worker;
}

async function router({ recorder, service, org }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const issued = await recorder.expect(201, 'create_inference_key', {
    as: operator,
    with: { models: ['llama-8b', 'cold', 'bge-small', 'warming'] },
  });
  await recorder.expect(200, 'list_inference_keys', { as: viewer });
  const { key_id, raw_key } = issued.body as { key_id: string; raw_key: string };
  const key = service.as(raw_key);
  const allowed = await recorder.expect(200, 'authorize_request', { as: key });
  await recorder.expect(409, 'authorize_request', { as: key, with: { logical_model: 'cold' } });
  await recorder.expect(403, 'authorize_request', {
    as: key,
    with: { request_id: 'req-4712', logical_model: 'other' },
  });
  const { authorization_id } = allowed.body as { authorization_id: string };
  await recorder.expect(200, 'resolve_request', { as: controller, with: { authorization_id } });
  await recorder.expect(200, 'record_router_telemetry', { as: controller });
  await recorder.expect(409, 'resolve_request', { as: controller, with: { authorization_id } });
  const sample = {
    route: 'llama-8b',
    profile_id: PROFILE,
    metric_name: 'queue_depth',
    value: 2,
    timestamp: Date.parse(recorder.ago(5)),
  };
  await recorder.expect(200, 'record_router_metrics', { as: controller, body: { samples: [sample] } });
  await recorder.expect(200, 'get_router_config', { as: controller });
  const cold = await key.post('/v1/inference/router/authorize', { request_id: 'req-4713', logical_model: 'cold' });
  const waits = {
    authorization_id: (cold.body as { authorization_id: string }).authorization_id,
    request_id: 'req-4713',
    logical_model: 'cold',
  };
  await recorder.expect(503, 'resolve_request', { as: controller, with: waits });
  const warming = { request_id: 'req-4718', logical_model: 'warming' };
  const started = await key.post('/v1/inference/router/authorize', warming);
  const { authorization_id: ofStart } = started.body as { authorization_id: string };
  await recorder.expect(202, 'resolve_request', { as: controller, with: { ...warming, authorization_id: ofStart } });

  const behind = { request_id: 'req-4719', logical_model: 'warming' };
  const admitted = await key.post('/v1/inference/router/authorize', behind);
  const { authorization_id: ofQueue } = admitted.body as { authorization_id: string };
  await recorder.refuses(503, 'queue_full', 'resolve_request', {
    as: controller,
    with: { ...behind, authorization_id: ofQueue, queued_requests: 10_000 },
  });

  const late = await key.post('/v1/inference/router/authorize', { request_id: 'req-4714', logical_model: 'llama-8b' });
  const lateId = (late.body as { authorization_id: string }).authorization_id;
  await service.db.query("update authorizations set expires_at = expires_at - interval '1 day' where id = $1", [
    lateId,
  ]);
  await recorder.expect(410, 'resolve_request', {
    as: controller,
    with: { authorization_id: lateId, request_id: 'req-4714' },
  });
  const poor = await operator.post('/v1/inference/keys', { name: 'poor', budget_usd: 0.000_001 });
  await recorder.expect(402, 'authorize_request', {
    as: service.as((poor.body as { raw_key: string }).raw_key),
    with: { request_id: 'req-4715' },
  });
  await useUpRate(service, key_id);
  await recorder.expect(429, 'authorize_request', { as: key, with: { request_id: 'req-4716' } });
  await recorder.expect(404, 'authorize_request', {
    as: service.as(((await operator.post('/v1/inference/keys', { name: 'any' })).body as { raw_key: string }).raw_key),
    with: { request_id: 'req-4717', logical_model: 'unknown' },
  });
  await recorder.expect(200, 'update_inference_key', { as: operator, path: [key_id] });
  await recorder.expect(409, 'update_inference_key', { as: operator, path: [key_id] });
  await recorder.expect(204, 'revoke_inference_key', { as: operator, path: [key_id] });
  await recorder.expect(410, 'update_inference_key', { as: operator, path: [key_id] });
}

async function chats({ recorder, service, org, worker, ids }: Walk): Promise<void> {
  const { operator, viewer } = org;
  const keyOf = async (body: object) => {
    const issued = await operator.post('/v1/inference/keys', body);
    return issued.body as { key_id: string; raw_key: string };
  };
  const named = service.as((await keyOf({ name: 'one model', models: ['llama-8b'] })).raw_key);
  const { key_id, raw_key } = await keyOf({ name: 'slow', rate_limit_rps: 1 });
  const headers = { 'x-experiment-id': ids.experiment ?? '' };
  for (const id of CHATS) {
    worker.behaves(answers());
    await recorder.expect(200, id, { as: operator, headers });
    await recorder.expect(401, id, { as: service.as(undefined) });
    await recorder.expect(403, id, { as: named, with: { model: 'other' } });
    await recorder.expect(404, id, { as: operator, with: { model: 'unknown' } });
    await recorder.expect(415, id, { as: operator, body: 'Hello!', headers: { 'content-type': 'text/plain' } });
    await recorder.expect(413, id, { as: operator, body: ' '.repeat(17 * 1024 * 1024) });
    worker.behaves(
      refuses(
        422,
        '{"object":"error","message":"max_tokens must be at least 1","type":"UnprocessableEntityError","code":422}',
      ),
    );
    await recorder.expect(422, id, { as: operator });
    worker.behaves(shows('text/html', '<h1>Bad gateway</h1>'));
    await recorder.expect(502, id, { as: operator });
    worker.behaves(answers());
    await useUpRate(service, key_id);
    await recorder.expect(429, id, { as: service.as(raw_key) });
    await recorder.expect(503, id, {
      as: operator,
      with: { model: 'cold' },
      headers: { 'x-request-timeout-ms': '200' },
    });
  }
  await recorder.expect(200, 'list_models', { as: viewer });
  await recorder.expect(200, 'get_model', { as: viewer, path: ['llama-8b'] });
  await recorder.expect(400, 'get_model', { as: viewer, path: ['%ff'], isEncoded: true });
}

async function fleets({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator } = org;
  const fleet = await recorder.expect(200, 'save_fleet', {
    as: operator,
    with: { profile_ids: [PROFILE, 'llama-8b-h100'] },
  });
  const id = (fleet.body as { fleet_id: string }).fleet_id;
  await recorder.expect(200, 'list_fleets', { as: viewer });
  await recorder.expect(200, 'get_fleet', { as: viewer, path: [id] });
  await recorder.expect(409, 'delete_fleet', { as: operator, path: [id] });
  await operator.post('/v1/inference/costs/config', { profile_id: PROFILE, node_hourly_usd: 100 });
  await recorder.expect(409, 'set_profile_state', { as: operator, path: [PROFILE], with: { desired_replicas: 2 } });
  const unused = await operator.post('/v1/inference/fleets', {
    name: 'unused',
    logical_model: 'llama-8b',
    profile_ids: [],
  });
  await recorder.expect(204, 'delete_fleet', { as: operator, path: [(unused.body as { fleet_id: string }).fleet_id] });
  void ids;
}
