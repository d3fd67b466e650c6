import { newId } from '../../../src/1-platform/common/ids';
import { operations, type DescribedOperation } from '../../support/description';
import type { Caller } from '../../support/service';
import type { Call, Recorder } from '../recorder';
import { objectStorage, type Walk } from './walk';

const DOWNLOADS = [
  'download_main_binary',
  'download_install_script',
  'download_slurm_install_script',
  'download_plugin_binary',
];

/** What any caller can do wrong: name what is not there, or send what is not asked for. */
export async function faults(walk: Walk): Promise<void> {
  await unknownIds(walk);
  await badRequests(walk);
  await badFields(walk);
  await missingServices(walk);
  await silentNode(walk);
  await revokedMeanwhile(walk);
  for (const operation of operations()) await ofEvery(walk, operation);
}

/** Ids in bodies and queries; those of paths `ofEvery` does. */
async function unknownIds({ recorder, org, platform, ids }: Walk): Promise<void> {
  const unknown = newId();
  const profile = { profile_id: 'unknown' };
  const ofCluster = { cluster_id: unknown };
  const filter = { type: 'namespace', config: { cluster_id: unknown, namespace: 'training' } };
  const trigger = { type: 'heartbeat', config: { interval_seconds: 3_600, max_checkpoints: null } };
  const pipeline = { trigger, filter, action: { type: 'checkpoint', config: { kind: 'simple' } } };
  const info = { gpu: 'NVIDIA H100', platform: 'linux/amd64', info: null };
  const event = { event_id: newId(), occurred_at: recorder.ago(30) };
  const token = { name: 'cluster agent', role: 'controller', organisation_id: unknown };
  await recorder.expect(404, 'create_token', { as: platform, body: token });
  const calls: [string, { with?: Record<string, unknown>; body?: unknown; path?: string[] }][] = [
    ['sync_cluster', { with: ofCluster }],
    ['sync_cluster_batch', { with: ofCluster }],
    ['sync_slurm_jobs', { with: ofCluster }],
    ['sync_slurm_clusters', { with: ofCluster }],
    ['sync_slurm_nodes', { with: ofCluster }],
    ['sync_slurm_partitions', { with: ofCluster }],
    ['sync_maintenance_windows', { with: ofCluster }],
    ['upload_action_pod', { body: { action_id: unknown, status: 'processing' } }],
    ['checkpoint_pod', { with: { pod_id: unknown } }],
    ['create_checkpoint', { body: { action_id: unknown, container_name: 'main' } }],
    ['restore_pod', { with: { action_id: unknown } }],
    ['put_restore_profile', { path: [unknown], body: { name: 'restore', duration: 1, components: [] } }],
    ['checkpoint_slurm_job', { with: { cluster_id: ids.slurm, job_id: '9999' } }],
    ['checkpoint_slurm_job', { with: { ...ofCluster, job_id: '4711' } }],
    ['create_slurm_checkpoint', { body: { action_id: unknown } }],
    ['put_slurm_checkpoint_info', { path: [unknown], body: info }],
    ['restore_slurm_job', { with: { action_id: unknown } }],
    ['restore_slurm_job', { with: { ...ofCluster, action_id: unknown } }],
    ['list_policy_jobs', { path: [unknown] }],
    ['create_pipeline_policy', { body: { pipeline } }],
    ['preview_pipeline_policy', { body: { pipeline } }],
    ['delete_policy', { body: { id: unknown } }],
    ['update_pipeline_policy', { path: [unknown], body: { paused: true } }],
    ['report_activation', { with: profile }],
    ['report_activation', { with: { ...ofCluster, profile_id: 'bge-small-cpu' } }],
    ['register_artifact', { with: { ...profile, artifact_id: 'of-nobody' } }],
    ['lookup_artifacts', { with: profile }],
    ['record_lifecycle_event', { with: { ...ofCluster, ...event } }],
    ['record_lifecycle_event', { with: { ...profile, ...event, cluster_id: ids.cluster } }],
    ['record_observation', { with: { ...profile, observation_key: 'of-nobody' } }],
    ['save_retention_policy', { with: profile }],
    ['preview_retention', { with: profile }],
    ['upsert_cost_rate', { with: profile }],
    ['resolve_request', { with: { authorization_id: unknown } }],
  ];
  for (const [id, call] of calls) await recorder.expect(404, id, { as: org.admin, ...call });
  for (const id of DOWNLOADS)
    await recorder.expect(404, id, { as: org.viewer, path: ['gpu-plugin'], query: { version: '9.9.9' } });
  await recorder.expect(404, 'get_correlation', { as: org.viewer, query: { experiment_id: unknown } });
}

async function badRequests({ recorder, org, platform }: Walk): Promise<void> {
  await recorder.expect(400, 'create_organisation', { as: platform, body: {} });
  const calls: [string, { body?: unknown; path?: string[]; query?: Record<string, string> }][] = [
    ['put_restore_profile', { body: '{"name":' }],
    ['put_host', { path: ['host-1'], body: { CPU: 'many' } }],
    ['delete_host', { path: ['\0'] }],
    ['put_legacy_job', { path: ['train-1'], body: { State: 'running' } }],
    ['delete_legacy_job', { path: ['\0'] }],
    ['put_legacy_job_checkpoint', { body: { Path: 1 } }],
    ['delete_legacy_job_checkpoint', { path: ['\0'] }],
    ['get_action', { path: ['not-an-id'] }],
    ['create_checkpoint', { body: { name: '' } }],
    ['get_checkpoint_path', {}],
    ['get_slurm_checkpoint_path', {}],
    ['report_checkpoint_uploaded', { body: { restore_path: 1 } }],
    ['deprecate_checkpoint', { path: ['not-an-id'] }],
    ['confirm_checkpoint_removal', { path: ['not-an-id'] }],
    ['update_pipeline_policy', { path: ['not-an-id'], body: { paused: true } }],
    ['get_maintenance_window', { path: ['not-an-id'] }],
    ['delete_maintenance_window', { path: ['not-an-id'] }],
    ['update_artifact', { path: ['llama-8b-a10g-0001'], body: { status: 'silver' } }],
    ['export_otlp_metrics', { body: '{"resourceMetrics":' }],
    ['download_main_binary', { query: { exact: 'perhaps' } }],
    ['download_install_script', { query: { exact: 'perhaps' } }],
    ['download_slurm_install_script', { query: { exact: 'perhaps' } }],
    ['download_plugin_binary', { path: ['gpu-plugin'], query: { exact: 'perhaps' } }],
  ];
  for (const [id, call] of calls) await recorder.expect(400, id, { as: org.admin, ...call });
}

/** Bodies and queries that are refused for one field; `ofEvery` sends unknown members and lets others out. */
async function badFields({ recorder, org, ids }: Walk): Promise<void> {
  const { operator, viewer, controller } = org;
  const refuses = (field: string, id: string, call: Call): Promise<void> => recorder.refusesField(field, id, call);
  const beyond = { consumer_id: 'controller-eu-gpu-1', event_id: 999_999_999 };
  await refuses('event_id', 'ack_outbox', { as: controller, body: beyond });
  await refuses('kind', 'save_cluster', { as: operator, with: { kind: 'mainframe' } });
  await refuses('pod_id', 'checkpoint_pod', { as: operator, body: {} });
  await refuses('containers[0]', 'checkpoint_pod', {
    as: operator,
    with: { pod_id: ids.pod, containers: ['sidecar'] },
  });
  await refuses('cluster_id', 'restore_slurm_job', {
    as: operator,
    with: { action_id: ids.action, cluster_id: ids.cluster },
  });
  await refuses('after', 'list_operations', { as: viewer, query: { after: newId() } });
  await schedules(recorder, viewer);
  const failed = { cluster_id: ids.slurm, errors: [{ description: 'Unable to contact slurm controller' }] };
  for (const id of ['sync_slurm_clusters', 'sync_slurm_nodes', 'sync_slurm_partitions', 'sync_maintenance_windows'])
    await refuses('errors', id, { as: controller, with: failed });
  await refuses('parent_artifact_id', 'register_artifact', {
    as: controller,
    with: {
      artifact_id: 'llama-8b-a10g-0005',
      compatibility_key: ids.compatibility,
      parent_artifact_id: 'unknown',
    },
  });
  const event = { event_id: newId(), occurred_at: recorder.ago(30), cluster_id: ids.cluster };
  for (const [field, value] of Object.entries({ schema_version: 2, kind: 'worker.vanished' }))
    await refuses(field, 'record_lifecycle_event', { as: controller, with: { ...event, [field]: value } });
  await refuses('profile_id', 'create_experiment', { as: operator, with: { profile_id: 'unknown' } });
  const target = { profile_id: 'unknown', tier: 'small', priority: 1 };
  await refuses('targets[0].profile_id', 'save_route', { as: operator, with: { targets: [target] } });
  await refuses('profile_ids[0]', 'save_fleet', { as: operator, with: { profile_ids: ['unknown'] } });
  const builds = { version: '-1', arch: '-', build: 'nightly' };
  for (const id of DOWNLOADS)
    for (const [field, value] of Object.entries(builds))
      await refuses(field, id, { as: viewer, path: ['gpu-plugin'], query: { [field]: value } });
  await refuses('binary_name', 'download_plugin_binary', { as: viewer, path: ['.hidden'] });
}

async function schedules(recorder: Recorder, as: Caller): Promise<void> {
  const spans = { empty: [0, 60], too_long: [400 * 86_400, 0] } as const;
  for (const [name, [from, until]] of Object.entries(spans)) {
    const query = { from: recorder.ago(from), until: recorder.ago(until) };
    await recorder.refusesField('until', 'get_policy_schedule', { as, query }, name);
  }
}

/** A replica whose object storage does not answer, and which has no account at the marketplace. */
async function missingServices({ recorder, service, org, ids }: Walk): Promise<void> {
  const replica = await service.replica({ marketplace: undefined, objectStorage });
  const as = replica.as(org.operator.token);
  await recorder.expect(503, 'create_instance', { as });
  await recorder.refuses(503, 'bursting_not_configured', 'delete_instance', { as, path: [ids.instance ?? ''] });
  await recorder.expect(502, 'download_plugin_binary', { as, path: ['gpu-plugin'] });
  for (const id of ['download_main_binary', 'download_install_script', 'download_slurm_install_script'])
    await recorder.expect(502, id, { as });
  for (const id of ['get_file_url', 'delete_file', 'list_directory'])
    await recorder.expect(502, id, { as, path: ['checkpoints'] });
}

async function silentNode({ recorder, service, org, ids }: Walk): Promise<void> {
  await service.db.query("update nodes set synced_at = clock_timestamp() - interval '1 hour'");
  await recorder.expect(409, 'checkpoint_pod', { as: org.operator, with: { pod_id: ids.pod } });
}

/** The token is revoked after the request was authenticated. */
async function revokedMeanwhile({ recorder, service, org }: Walk): Promise<void> {
  const issued = await org.admin.post('/v1/tokens', { name: 'meanwhile', role: 'viewer' });
  const as = service.as((issued.body as { raw_token: string }).raw_token);
  // Without its trigger, so that the service does not learn of it.
  await service.db.query('alter table access_tokens disable trigger user');
  await recorder.call('get_user', { as });
  await service.db.query("delete from access_tokens where name = 'meanwhile'");
  await service.db.query('alter table access_tokens enable trigger user');
  await recorder.expect(404, 'get_user', { as, headers: { accept: 'application/json' } });
}

async function ofEvery({ recorder, org }: Walk, operation: DescribedOperation): Promise<void> {
  const { id, path, parameters, requestBody, roles } = operation;
  if (roles.length === 1 && roles[0] === 'key') return;
  const as = org.admin;
  const has = (status: number, code?: string): boolean =>
    Object.values(recorder.replies[id]?.[status] ?? {}).some((named) => code === undefined || code in named);
  if (path.includes('{') && !has(404)) await recorder.call(id, { as });
  const isValidated = has(400, 'validation_failed');
  if (requestBody && !isValidated) await recorder.call(id, { as, body: { unknown_member: true } });
  const number = parameters.find(({ in: where, schema }) => where === 'query' && schema.type === 'integer');
  if (number && !isValidated && !has(400, 'validation_failed'))
    await recorder.call(id, { as, query: { [number.name]: 'many' } });
}
