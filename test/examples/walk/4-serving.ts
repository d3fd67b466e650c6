import { newId } from '../../../src/1-platform/common/ids';
import type { Walk } from './walk';

const PROFILE = 'llama-8b-a10g';
const ARTIFACT = 'llama-8b-a10g-0001';

export async function serving(walk: Walk): Promise<void> {
  await profiles(walk);
  await artifacts(walk);
  await requests(walk);
  await observations(walk);
}

async function profiles({ recorder, org, ids, worker }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const pricing = { prompt_usd_per_mtok: 0.5, completion_usd_per_mtok: 1.5 };
  const made = {
    max_replicas: 4,
    spec: {
      engine_flags: ['--max-model-len=8192'],
      pricing,
      endpoints: ['chat', 'completions', 'embeddings', 'responses'],
    },
  };
  const created = await recorder.call('create_profile', { as: operator, with: made });
  if (created.status !== 201) made.spec.endpoints = [];
  ids.compatibility = (created.body as { compatibility_key: string }).compatibility_key;
  await recorder.expect(200, 'create_profile', { as: operator, with: made });
  await recorder.expect(409, 'create_profile', { as: operator, with: { ...made, logical_model: 'another' } });
  await recorder.expect(201, 'create_profile', {
    as: operator,
    with: { ...made, profile_id: 'llama-8b-h100', compatibility: { gpu: 'H100' } },
  });
  await recorder
    .expect(201, 'create_profile', {
      as: operator,
      with: { ...made, profile_id: 'bge-small-cpu', hosting_mode: 'standard', logical_model: 'bge-small' },
    })
    .catch(() => undefined);
  await recorder.expect(202, 'set_profile_state', { as: operator, path: [PROFILE] });
  await recorder.expect(204, 'report_activation', {
    as: controller,
    with: { endpoint: worker.url, observed_generation: 1 },
  });
  const held = { profile_id: 'llama-8b-h100', desired_state: 'Active', phase: 'Pending', ready: false };
  await controller.post('/v1/inference/activations/report', { ...held, cluster_id: ids.cluster });
  await recorder.expect(409, 'report_activation', { as: controller, body: { ...held, cluster_id: newId() } });
  await recorder.expect(204, 'put_worker_endpoint', { as: controller, path: [PROFILE] });
  for (const id of ['list_profiles', 'list_activations', 'list_capacity_intents'])
    await recorder.expect(200, id, { as: viewer });
  await recorder.expect(200, 'get_profile', { as: viewer, path: [PROFILE] });
}

async function artifacts({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const of = { compatibility_key: ids.compatibility };
  await recorder.expect(201, 'register_artifact', { as: controller, with: { ...of, storage_tier: 'shared' } });
  await recorder.expect(200, 'register_artifact', { as: controller, with: { ...of, storage_tier: 'shared' } });
  await recorder.expect(409, 'register_artifact', {
    as: controller,
    with: { ...of, storage_tier: 'shared', uri: 's3://other' },
  });
  const child = {
    ...of,
    artifact_id: 'llama-8b-a10g-0002',
    parent_artifact_id: ARTIFACT,
    storage_tier: 'shared',
    uri: 's3://checkpoints/llama-8b-a10g/0002',
  };
  await recorder.expect(201, 'register_artifact', { as: controller, with: child });
  await recorder.expect(200, 'lookup_artifacts', { as: viewer });
  await recorder.expect(200, 'list_artifacts', { as: viewer, query: { profile_id: PROFILE } });
  await recorder.expect(200, 'get_artifact', { as: viewer, path: [ARTIFACT] });
  await recorder.expect(200, 'list_artifact_ancestry', { as: viewer, path: [child.artifact_id] });
  await recorder.expect(200, 'promote_artifact', { as: operator, path: [ARTIFACT] });
  await recorder.expect(400, 'promote_artifact', { as: operator, path: [ARTIFACT], body: { tier: 'object' } });
  await recorder.expect(403, 'update_artifact', { as: controller, path: [ARTIFACT] });
  await recorder.expect(409, 'delete_artifact', { as: operator, path: [ARTIFACT] });
  await recorder.expect(200, 'update_artifact', { as: operator, path: [child.artifact_id] });
  await recorder.expect(409, 'delete_artifact', { as: operator, path: [child.artifact_id] });
  const third = {
    ...of,
    artifact_id: 'llama-8b-a10g-0003',
    uri: 's3://checkpoints/llama-8b-a10g/0003',
    storage_tier: 'shared',
  };
  await controller.post('/v1/inference/artifacts', { profile_id: PROFILE, checkpoint_mode: 'criu', ...third });
  await recorder.expect(200, 'delete_artifact', { as: operator, path: [third.artifact_id] });
  await recorder.expect(409, 'update_artifact', { as: operator, path: [third.artifact_id] });
  await recorder.expect(409, 'promote_artifact', { as: operator, path: [third.artifact_id] });
  await recorder.expect(204, 'confirm_artifact_removal', { as: controller, path: [third.artifact_id] });
  await recorder.expect(409, 'confirm_artifact_removal', { as: controller, path: [ARTIFACT] });
}

async function requests({ recorder, org }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const open = await recorder.expect(202, 'request_profile_checkpoint', { as: operator, path: [PROFILE] });
  await recorder.expect(200, 'get_profile_hosting', { as: viewer, path: [PROFILE] });
  const request_id = (open.body as { request_id: string }).request_id;
  const done = { request_id, status: 'succeeded', artifact_id: ARTIFACT };
  await recorder.expect(409, 'update_profile_checkpoint', {
    as: controller,
    path: [PROFILE],
    body: { ...done, request_id: newId() },
  });
  await recorder.expect(200, 'update_profile_checkpoint', { as: controller, path: [PROFILE], body: done });
  await recorder.expect(200, 'get_profile_checkpoint', { as: viewer, path: [PROFILE] });
  await recorder.expect(202, 'restart_profile', { as: operator, path: [PROFILE] });
  await recorder.expect(409, 'restart_profile', { as: operator, path: ['llama-8b-h100'] });
  await recorder.expect(409, 'request_profile_checkpoint', { as: operator, path: ['bge-small-cpu'] });
}

async function observations({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const event = { event_id: newId(), occurred_at: recorder.ago(30), cluster_id: ids.cluster };
  await recorder.expect(204, 'record_lifecycle_event', { as: controller, with: event });
  await recorder.expect(409, 'record_lifecycle_event', { as: controller, with: event });
  await recorder.expect(200, 'list_lifecycle_events', { as: viewer });
  await recorder.expect(200, 'get_profile_progress', { as: viewer, path: [PROFILE] });
  const experiment = await recorder.expect(201, 'create_experiment', { as: operator });
  ids.experiment = (experiment.body as { id: string }).id;
  const measured = { started_at: recorder.ago(20), completed_at: recorder.ago(15), experiment_id: ids.experiment };
  await recorder.expect(201, 'record_observation', { as: controller, with: measured });
  await recorder.expect(200, 'list_observations', { as: viewer });
  await recorder.expect(200, 'list_experiments', { as: viewer });
  await recorder.expect(200, 'get_experiment', { as: viewer, path: [ids.experiment] });
  const policy = await recorder.expect(200, 'save_retention_policy', { as: operator });
  await recorder.expect(200, 'list_retention_policies', { as: viewer });
  await recorder.expect(200, 'preview_retention', { as: viewer });
  await recorder.expect(204, 'delete_retention_policy', {
    as: operator,
    path: [(policy.body as { policy_id: string }).policy_id],
  });
}

/** When requests belong to the experiment. */
export async function servingAfterwards({ recorder, org, ids }: Walk): Promise<void> {
  await recorder.expect(200, 'complete_experiment', { as: org.operator, path: [ids.experiment ?? ''] });
}
