import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { buildPod } from './builders';
import type { Things } from './everything';
import type { Call } from './everything-calls';
import { authorized, issueKey, type Authorized } from './inference';
import { eventsOf, read } from './outbox';
import { uploadPath } from './plugins';
import { buildArtifact, buildEvent, buildProfile, createProfile } from './profiles';
import type { Caller, Organisation, Service } from './service';

/** An organisation with a row of every kind. */
export interface World {
  readonly service: Service;
  readonly org: Organisation;
  readonly things: Things;
  /** A model with a price, and the profile that serves it. */
  readonly model: string;
  readonly profileId: string;
}

export interface KeyedCall extends Call {
  /** By default a POST. */
  readonly method?: 'post' | 'patch';
  /** By default an admin. */
  readonly by?: Caller;
}

const unique = (): string => `n-${newId()}`;
let jobs = 1_000;

const newProfile = async ({ org }: World): Promise<string> => (await createProfile(org)).profile_id;

async function newCheckpoint({ org }: World, path: string): Promise<string> {
  return (await org.admin.post(path)).text;
}

const admitted = async (world: World): Promise<Authorized> =>
  authorized(await issueKey(world.service, world.org), world.model);

async function newArtifact({ org }: World): Promise<{ artifact_id: string; profile_id: string }> {
  const answer = await org.admin.post('/v1/inference/artifacts', buildArtifact(await createProfile(org), unique()));
  return answer.body as { artifact_id: string; profile_id: string };
}

async function restoreEvent({ org, things }: World): Promise<JsonObject> {
  const begun = { restore_uuid: newId(), checkpoint_id: things.checkpointId, started_at: '2026-01-01T00:00:00Z' };
  await org.admin.post('/v1/restores/events/restore_start', begun);
  return { ...begun, error_message: 'out of memory' };
}

const slurmSync =
  (what: string, member: string, record: () => JsonObject) =>
  ({ things: { clusterId } }: World): Call => ({
    path: `/v1/slurm/${what}/sync`,
    body: { cluster_id: clusterId, [member]: [record()] },
  });

const MANIFEST = { kind: 'Job', metadata: { name: 'train' }, spec: {} };
const pipelineOf = (clusterId: string): JsonObject => ({
  trigger: { type: 'heartbeat', config: { interval_seconds: 3_600 } },
  filter: { type: 'jobs', config: { cluster_id: clusterId } },
  action: { type: 'checkpoint', config: { kind: 'simple' } },
});

/** For every operation that accepts an Idempotency-Key, a call that has an effect and is answered 2xx. */
export const KEYED: Record<string, (world: World) => KeyedCall | Promise<KeyedCall>> = {
  ack_outbox: async ({ org }) => {
    const consumer = unique();
    const [event] = eventsOf(await read(org.controller, { consumer_id: consumer, limit: '1' }));
    return { path: '/v1/inference/outbox/ack', body: { consumer_id: consumer, event_id: event?.id } };
  },
  create_organisation: ({ service }) => ({
    path: '/v1/organisations',
    body: { name: unique() },
    by: service.admin,
  }),
  create_token: () => ({ path: '/v1/tokens', body: { name: unique(), role: 'viewer' } }),
  upload_plugin: () => ({ path: uploadPath(unique()), body: { repository: 'example/plugins' } }),
  save_cluster: () => ({ path: '/v1/cluster', body: { cluster_name: unique() } }),
  create_cluster_workload: ({ things: { clusterId } }) => ({
    path: '/v1/cluster/workload',
    body: { cluster_id: clusterId, job: MANIFEST },
  }),
  sync_cluster: ({ things: { clusterId } }) => ({
    path: '/v1/cluster/sync',
    body: { cluster_id: clusterId, resource: buildPod(unique()) },
  }),
  sync_cluster_batch: ({ things: { clusterId } }) => ({
    path: '/v1/cluster/sync/batch',
    body: { cluster_id: clusterId, resources: [buildPod(unique()), buildPod(unique())] },
  }),
  upload_action_pod: ({ things: { actionId } }) => ({
    path: '/v1/actions/upload',
    body: { action_id: actionId, status: 'processing', pod_id: newId() },
  }),
  checkpoint_pod: async ({ org, things: { clusterId } }) => {
    const pod = buildPod(unique());
    await org.admin.post('/v1/cluster/sync', { cluster_id: clusterId, resource: pod });
    return { path: '/v1/checkpoint/pod', body: { pod_id: pod.metadata.uid } };
  },
  create_checkpoint: () => ({ path: '/v1/checkpoints', body: { name: unique() } }),
  report_checkpoint_uploaded: async (world) => ({
    path: `/v1/checkpoints/uploaded/${await newCheckpoint(world, '/v1/checkpoints')}`,
    body: { restore_path: '/checkpoint' },
  }),
  restore_pod: ({ things: { actionId } }) => ({
    path: '/v1/restore/pod',
    body: { action_id: actionId, reason: 'manual' },
  }),
  record_restore_start: ({ things: { checkpointId } }) => ({
    path: '/v1/restores/events/restore_start',
    body: { restore_uuid: newId(), checkpoint_id: checkpointId, started_at: '2026-01-01T00:00:00Z' },
  }),
  record_restore_success: async (world) => ({
    path: '/v1/restores/events/restore_success',
    body: await restoreEvent(world),
  }),
  record_restore_error: async (world) => ({
    path: '/v1/restores/events/restore_error',
    body: await restoreEvent(world),
  }),
  checkpoint_slurm_job: async ({ org, things: { clusterId } }) => {
    const jobId = ++jobs;
    const job = { job_id: jobId, name: unique(), status: 'RUNNING' };
    await org.admin.post('/v1/slurm/jobs/sync', { cluster_id: clusterId, jobs: [job] });
    return { path: '/v1/slurm/checkpoint/job', body: { cluster_id: clusterId, job_id: String(jobId) } };
  },
  create_slurm_checkpoint: ({ things: { slurmActionId } }) => ({
    path: '/v1/slurm/checkpoints',
    body: { action_id: slurmActionId },
  }),
  report_slurm_checkpoint_uploaded: async (world) => ({
    path: `/v1/slurm/checkpoints/uploaded/${await newCheckpoint(world, '/v1/slurm/checkpoints')}`,
    body: {},
  }),
  restore_slurm_job: async ({ org, things: { slurmActionId, slurmCheckpointId } }) => {
    await org.admin.post(`/v1/slurm/checkpoints/uploaded/${slurmCheckpointId}`, {});
    return { path: '/v1/slurm/restore/job', body: { action_id: slurmActionId, reason: 'manual', allow_partial: true } };
  },
  create_pipeline_policy: ({ things: { clusterId } }) => ({
    path: '/v1/policy/pipeline/create',
    body: { name: unique(), pipeline: pipelineOf(clusterId) },
  }),
  update_pipeline_policy: ({ things: { policyId } }) => ({
    method: 'patch',
    path: `/v1/policy/pipeline/${policyId}`,
    body: { keep_last: 5 },
  }),
  sync_job_policies: () => ({ path: '/v1/policy/sync-jobs' }),
  sync_slurm_jobs: slurmSync('jobs', 'jobs', () => ({ job_id: ++jobs, name: unique() })),
  sync_slurm_clusters: slurmSync('clusters', 'clusters', () => ({ name: unique() })),
  sync_slurm_nodes: slurmSync('nodes', 'nodes', () => ({ name: unique() })),
  sync_slurm_partitions: slurmSync('partitions', 'partitions', () => ({ name: unique() })),
  create_maintenance_window: () => ({
    path: '/v1/slurm/maintenance_window',
    body: { start_time: '2030-01-01T00:00:00Z', end_time: '2030-01-02T00:00:00Z', reason: unique() },
  }),
  sync_maintenance_windows: slurmSync('maintenance_window', 'reservations', () => ({
    name: unique(),
    start_time: 5,
    end_time: 6,
  })),
  create_profile: () => ({ path: '/v1/inference/profiles', body: buildProfile(unique()) }),
  report_activation: async (world) => ({
    path: '/v1/inference/activations/report',
    body: { profile_id: await newProfile(world), desired_state: 'Active', phase: 'Pending', ready: false },
  }),
  set_profile_state: async (world) => ({
    path: `/v1/inference/profiles/${await newProfile(world)}/state`,
    body: { desired_state: 'Active' },
  }),
  register_artifact: async ({ org }) => ({
    path: '/v1/inference/artifacts',
    body: buildArtifact(await createProfile(org), unique()),
  }),
  promote_artifact: async (world) => ({
    path: `/v1/inference/artifacts/${(await newArtifact(world)).artifact_id}/promote`,
    body: { tier: 'memory' },
  }),
  restart_profile: async (world) => ({
    path: `/v1/inference/profiles/${(await newArtifact(world)).profile_id}/restart`,
  }),
  request_profile_checkpoint: async (world) => ({
    path: `/v1/inference/profiles/${await newProfile(world)}/checkpoint`,
    body: { reason: 'before the upgrade' },
  }),
  record_lifecycle_event: async (world) => ({
    path: '/v1/inference/lifecycle-events',
    body: buildEvent(world.things.clusterId, await newProfile(world)),
  }),
  record_observation: ({ things: { profileId } }) => ({
    path: '/v1/inference/observations',
    body: {
      observation_key: unique(),
      event_type: 'restore',
      evidence: 'measured',
      source: 'controller',
      started_at: '2026-01-01T00:00:00Z',
      profile_id: profileId,
    },
  }),
  save_retention_policy: () => ({ path: '/v1/inference/retention-policies', body: { name: unique(), max_count: 5 } }),
  upsert_cost_rate: async (world) => ({
    path: '/v1/inference/costs/config',
    body: { profile_id: await newProfile(world), node_hourly_usd: 1 },
  }),
  create_experiment: ({ things: { profileId } }) => ({
    path: '/v1/inference/experiments',
    body: { name: unique(), scenario: 'cold', profile_id: profileId },
  }),
  complete_experiment: async ({ org, things: { profileId } }) => {
    const begun = { name: unique(), scenario: 'cold', profile_id: profileId };
    const { id } = (await org.admin.post('/v1/inference/experiments', begun)).body as { id: string };
    return { path: `/v1/inference/experiments/${id}/complete`, body: { status: 'completed' } };
  },
  create_inference_key: () => ({ path: '/v1/inference/keys', body: { name: unique() } }),
  update_inference_key: async ({ service, org }) => {
    const { keyId } = await issueKey(service, org);
    return { method: 'patch', path: `/v1/inference/keys/${keyId}`, body: { budget_usd: 5 } };
  },
  save_route: async (world) => ({
    path: '/v1/inference/routes',
    body: { logical_model: unique(), targets: [{ profile_id: await newProfile(world), tier: 'large', priority: 1 }] },
  }),
  authorize_request: async ({ service, org, model }) => ({
    path: '/v1/inference/router/authorize',
    body: { request_id: newId(), logical_model: model, estimated_prompt_tokens: 1_000 },
    by: await issueKey(service, org, { budget_usd: 10 }),
  }),
  resolve_request: async (world) => ({
    path: '/v1/inference/router/resolve',
    body: { ...(await admitted(world)) },
  }),
  record_router_telemetry: async (world) => {
    const { request_id, logical_model } = await admitted(world);
    const { profileId } = world;
    return {
      path: '/v1/inference/router/telemetry',
      body: {
        request_id,
        logical_model,
        profile_id: profileId,
        status_code: 200,
        prompt_tokens: 5,
        completion_tokens: 7,
      },
    };
  },
  record_router_metrics: ({ things: { profileId } }) => ({
    path: '/v1/inference/router/metrics',
    body: { samples: [{ route: unique(), profile_id: profileId, metric_name: 'depth', value: 2, timestamp: 0 }] },
  }),
  save_fleet: async (world) => ({
    path: '/v1/inference/fleets',
    body: { name: unique(), logical_model: world.model, profile_ids: [await newProfile(world)] },
  }),
};

/** Orders a machine, in several transactions: `test/reliability/07-instance-crashes.spec.ts`. */
export const IN_SEVERAL_STEPS = ['create_instance'];
