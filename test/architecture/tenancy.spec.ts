import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { operations } from '../support/description';
import { placedInstance } from '../support/instances';
import { Marketplace } from '../support/marketplace';
import { writeSeries } from '../support/metric-series';
import { buildArtifact, buildEvent, createProfile, reportPhase, setState, reportEvent } from '../support/profiles';
import { fetched, publish, put, temporaryDirectory } from '../support/plugins';
import { printFigures, recordFigure } from '../support/figures';
import { Service, type Answer, type Caller, type Organisation } from '../support/service';

/** Part of every name, so an answer that shows anything of the organisation contains it. */
const MARK = `only-of-a-${newId().slice(-12)}`;

const PLUGIN = `${MARK}-plugin`;

/** The ids of one row of every kind, of one organisation. */
interface Things {
  file: string;
  clusterId: string;
  nodeId: string;
  podId: string;
  podUid: string;
  jobId: string;
  actionId: string;
  workloadId: string;
  checkpointId: string;
  openCheckpointId: string;
  restoreActionId: string;
  restoreId: string;
  restoreUuid: string;
  windowId: string;
  slurmActionId: string;
  slurmCheckpointId: string;
  policyId: string;
  profileId: string;
  intentId: string;
  artifactId: string;
  retentionPolicyId: string;
  lifecycleEventId: string;
  observationId: string;
  requestId: string;
  keyId: string;
  authorizationId: string;
  settledRequestId: string;
  experimentId: string;
  fleetId: string;
  instanceType: string;
  instanceId: string;
  hostId: string;
  legacyJobId: string;
  legacyJobCheckpointId: string;
}

const RUNNING = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];

async function fill(service: Service, { id, operator, controller }: Organisation): Promise<Things> {
  const once = { 'idempotency-key': MARK };
  const clusterId = (await operator.post('/v1/cluster', { cluster_name: `${MARK}-cluster` }, once)).text;
  const sync = async (resource: object): Promise<string> => {
    const answer = await controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.text;
  };
  const [podUid, jobUid, restoreUuid] = [newId(), newId(), newId()];
  const metadata = (kind: string, uid?: string) => ({ name: `${MARK}-${kind}`, namespace: `${MARK}-namespace`, uid });
  const nodeId = await sync({
    type: 'Node',
    kind: 'Node',
    metadata: { ...metadata('node'), labels: { 'node.kubernetes.io/instance-type': `${MARK}-type` } },
    status: { conditions: RUNNING },
  });
  const podId = await sync({
    type: 'Pod',
    kind: 'Pod',
    metadata: { ...metadata('pod', podUid), ownerReferences: [{ kind: 'Job', name: `${MARK}-job`, uid: jobUid }] },
    spec: { nodeName: `${MARK}-node`, priority: 7, containers: [{ name: 'main' }] },
    status: { phase: 'Running', conditions: RUNNING },
  });
  const jobId = await sync({
    type: 'Job',
    kind: 'Job',
    metadata: metadata('job', jobUid),
    spec: { completions: 1, template: { spec: { priority: 7 } } },
    status: { active: 1 },
  });
  await sync({ type: 'EngineGraphDeployment', metadata: metadata('graph') });
  await sync({ type: 'EngineService', metadata: metadata('service') });

  const manifest = { metadata: { name: MARK }, spec: {} };
  await operator.post('/v1/cluster/workload', { cluster_id: clusterId, job: manifest });
  const queued = await service.db.query('select id from queued_workloads where org_id = $1', [id]);
  const workloadId = queued.rows[0].id as string;
  const actionId = (await operator.post('/v1/checkpoint/pod', { pod_id: podUid })).text;
  const create = { action_id: actionId, name: `${MARK}-checkpoint`, container_name: 'main' };
  const checkpointId = (await controller.post('/v1/checkpoints', create)).text;
  const profile = { name: 'dump', duration: 5, io: 1, components: [{ name: 'dump', duration: 5, io: 1 }] };
  const info = { gpu: `${MARK}-gpu`, platform: 'linux', info: profile };
  await controller.put(`/v1/checkpoints/info/${checkpointId}`, info);
  await controller.post(`/v1/checkpoints/uploaded/${checkpointId}`, { restore_path: `/${MARK}` });
  const openCheckpointId = (await controller.post('/v1/checkpoints')).text;
  const restoreActionId = (await operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' })).text;
  const event = {
    restore_uuid: restoreUuid,
    action_id: restoreActionId,
    checkpoint_action_id: actionId,
    checkpoint_id: checkpointId,
    cluster_id: clusterId,
    started_at: '2026-01-01T00:00:00Z',
    runtime_metadata: profile,
  };
  await controller.post('/v1/restores/events/restore_start', event);
  await controller.post('/v1/restores/events/restore_error', { ...event, error_message: `${MARK}: out of memory` });
  const restoreId = (await operator.get(`/v1/restores?restore_uuid=${restoreUuid}`)).body[0].id as string;
  const windowId = await fillSlurm({ operator, controller }, clusterId);
  const slurm = await fillSlurmCheckpoints({ operator, controller }, clusterId);
  const policyId = await fillPolicies({ operator }, clusterId);
  const inference = await fillInference({ operator, controller }, clusterId);
  const traffic = await fillTraffic(service, { operator, controller }, inference.profileId);
  const instanceType = `${MARK}-type`;
  const price = { instance_type: instanceType, capacity_type: 'spot', spot_price_per_hour: 1 };
  expect((await operator.put('/v1/pricing/instance-types', price)).status).toBe(200);
  const instanceId = await placedInstance(operator, { name: `${MARK}-instance` });
  const legacy = { hostId: `${MARK}-host`, legacyJobId: `${MARK}-legacy-job`, legacyJobCheckpointId: newId() };
  await fillLegacy(controller, legacy);
  await fillMetrics(service, { id }, podUid);
  await publish(operator, PLUGIN);
  const file = `${MARK}/pages.img`;
  await put((await controller.put(`/v1/files/${file}`)).text, Buffer.from(MARK));
  return {
    file,
    clusterId,
    nodeId,
    podId,
    podUid,
    jobId,
    actionId,
    workloadId,
    checkpointId,
    openCheckpointId,
    restoreActionId,
    restoreId,
    restoreUuid,
    windowId,
    ...slurm,
    policyId,
    ...inference,
    ...traffic,
    instanceType,
    instanceId,
    ...legacy,
  };
}

async function fillMetrics({ db }: Service, org: Pick<Organisation, 'id'>, podUid: string): Promise<void> {
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now');
  const sampled = { node_name: `${MARK}-node`, samples: [[rows[0]?.now.getTime() ?? NaN, 1]] } as const;
  await writeSeries(
    db,
    org,
    { family: 'gpu', metric: 'DCGM_FI_DEV_GPU_UTIL', gpu_uuid: 'GPU-0', ...sampled },
    { family: 'pod', metric: 'container_cpu_usage_seconds_total', pod_uid: podUid, ...sampled },
    { family: 'host', metric: 'node_load1', ...sampled },
  );
}

/** @returns the id of a maintenance window */
async function fillSlurm(
  { operator, controller }: Pick<Organisation, 'operator' | 'controller'>,
  clusterId: string,
): Promise<string> {
  const named = { name: `${MARK}-slurm` };
  const sync = (what: string, member: string, record: object) =>
    controller.post(`/v1/slurm/${what}/sync`, { cluster_id: clusterId, [member]: [record] });
  await sync('jobs', 'jobs', { ...named, job_id: 1, status: 'FAILED', derived_es: MARK, end_time: 5 });
  await sync('clusters', 'clusters', named);
  await sync('nodes', 'nodes', named);
  await sync('partitions', 'partitions', named);
  await sync('maintenance_window', 'reservations', { ...named, start_time: 5, end_time: 6 });
  const window = { start_time: '2030-01-01T00:00:00Z', end_time: '2030-01-02T00:00:00Z', reason: MARK };
  return (await operator.post('/v1/slurm/maintenance_window', window)).text;
}

async function fillSlurmCheckpoints(
  { operator, controller }: Pick<Organisation, 'operator' | 'controller'>,
  clusterId: string,
): Promise<Pick<Things, 'slurmActionId' | 'slurmCheckpointId'>> {
  const job = { job_id: 2, name: `${MARK}-running`, status: 'RUNNING' };
  await controller.post('/v1/slurm/jobs/sync', { cluster_id: clusterId, jobs: [job] });
  const ask = { cluster_id: clusterId, job_id: '2' };
  const slurmActionId = (await operator.post('/v1/slurm/checkpoint/job', ask)).text;
  const slurmCheckpointId = (await controller.post('/v1/slurm/checkpoints', { action_id: slurmActionId })).text;
  return { slurmActionId, slurmCheckpointId };
}

/** @returns the id of a policy on jobs */
async function fillPolicies({ operator }: Pick<Organisation, 'operator'>, clusterId: string): Promise<string> {
  const pipeline = {
    trigger: { type: 'heartbeat', config: { interval_seconds: 3_600 } },
    filter: { type: 'jobs', config: { cluster_id: clusterId } },
    action: { type: 'checkpoint', config: { kind: 'simple' } },
  };
  return (await operator.post('/v1/policy/pipeline/create', { name: MARK, pipeline })).text;
}

type InferenceThings = Pick<
  Things,
  'profileId' | 'intentId' | 'artifactId' | 'retentionPolicyId' | 'lifecycleEventId' | 'observationId' | 'requestId'
>;

async function fillInference(
  { operator, controller }: Pick<Organisation, 'operator' | 'controller'>,
  clusterId: string,
): Promise<InferenceThings> {
  const profile = await createProfile({ operator }, { profile_id: `${MARK}-profile`, logical_model: MARK });
  const { profile_id: profileId } = profile;
  const intentId = (await setState(operator, profileId, { desired_state: 'Active' })).body.id as string;
  await reportPhase(controller, profileId, 'Ready');
  const metrics_url = `http://${MARK}:9090/metrics`;
  await controller.put(`/v1/inference/profiles/${profileId}/worker-endpoint`, { metrics_url });
  const artifactId = `${MARK}-artifact`;
  await controller.post('/v1/inference/artifacts', buildArtifact(profile, artifactId));
  const asked = await operator.post(`/v1/inference/profiles/${profileId}/checkpoint`, { reason: MARK });
  const requestId = asked.body.request_id as string;
  const event = buildEvent(clusterId, profileId, { kind: 'worker.restoring', artifact_id: artifactId });
  await reportEvent(controller, event);
  const observation = {
    observation_key: `${MARK}-observation`,
    event_type: MARK,
    evidence: 'measured',
    source: MARK,
    started_at: '2026-01-01T00:00:00Z',
    profile_id: profileId,
  };
  const observationId = (await controller.post('/v1/inference/observations', observation)).body.id as string;
  const policy = { name: MARK, policy_id: `${MARK}-retention`, profile_id: profileId };
  const saved = await operator.post('/v1/inference/retention-policies', policy);
  const retentionPolicyId = saved.body.policy_id as string;
  return {
    profileId,
    intentId,
    artifactId,
    retentionPolicyId,
    lifecycleEventId: String(event.event_id),
    observationId,
    requestId,
  };
}

/** A sample of a host, and an observation of a pod. */
function otlpOf(time: Date): object {
  const labels = ['instance', 'uid', 'namespace', 'pod', 'node'];
  const point = {
    timeUnixNano: `${time.getTime()}000000`,
    asDouble: 1,
    attributes: labels.map((key) => ({ key, value: { stringValue: MARK } })),
  };
  const metrics = ['node_load1', 'kube_pod_info'].map((name) => ({ name, gauge: { dataPoints: [point] } }));
  return { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
}

/** A model that can be requested, with one served and one open request. */
async function fillTraffic(
  service: Service,
  { operator, controller }: Pick<Organisation, 'operator' | 'controller'>,
  profileId: string,
): Promise<Pick<Things, 'keyId' | 'authorizationId' | 'settledRequestId' | 'experimentId' | 'fleetId'>> {
  const replyOf = async (sent: Promise<Answer>, status: number): Promise<Answer['body']> => {
    const answer = await sent;
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    return answer.body;
  };
  const route = { logical_model: MARK, targets: [{ profile_id: profileId, tier: MARK, priority: 1 }] };
  await replyOf(operator.post('/v1/inference/routes', route), 200);
  await replyOf(operator.post('/v1/inference/costs/config', { profile_id: profileId, node_hourly_usd: 1 }), 200);
  const made = await replyOf(operator.post('/v1/inference/keys', { name: MARK, models: [MARK], tenant_id: MARK }), 201);
  const key = service.as(made.raw_key as string);
  const [settled, open] = [`${MARK}-settled`, `${MARK}-open`];
  const request = { request_id: settled, logical_model: MARK };
  const authorized = await replyOf(key.post('/v1/inference/router/authorize', request), 200);
  const { authorization_id } = authorized;
  await replyOf(controller.post('/v1/inference/router/resolve', { ...request, authorization_id }), 200);
  const telemetry = { ...request, profile_id: profileId, status_code: 200, end_to_end_latency_ms: 1_000 };
  await replyOf(controller.post('/v1/inference/router/telemetry', telemetry), 200);
  const sample = { route: MARK, profile_id: profileId, metric_name: MARK, value: 1, timestamp: 0 };
  await replyOf(controller.post('/v1/inference/router/metrics', { samples: [sample] }), 200);
  await replyOf(controller.post('/v1/metrics', otlpOf(service.clock.now())), 200);
  const other = await replyOf(key.post('/v1/inference/router/authorize', { ...request, request_id: open }), 200);
  const experiment = { name: MARK, scenario: MARK, parameters: MARK, profile_id: profileId };
  const experimentId = (await replyOf(operator.post('/v1/inference/experiments', experiment), 201)).id as string;
  // Of a profile that no route names: it can be deleted.
  const { profile_id: unrouted } = await createProfile({ operator }, { profile_id: `${MARK}-unrouted` });
  const fleet = { fleet_id: `${MARK}-fleet`, name: MARK, logical_model: MARK, profile_ids: [unrouted], budgets: MARK };
  await replyOf(operator.post('/v1/inference/fleets', fleet), 200);
  return {
    keyId: made.key_id,
    authorizationId: other.authorization_id,
    settledRequestId: settled,
    experimentId,
    fleetId: fleet.fleet_id,
  };
}

type LegacyThings = Pick<Things, 'hostId' | 'legacyJobId' | 'legacyJobCheckpointId'>;

async function fillLegacy(controller: Caller, { hostId, legacyJobId, legacyJobCheckpointId }: LegacyThings) {
  await controller.put(`/v1/hosts/${hostId}`, { Hostname: MARK });
  await controller.put(`/v1/svc/jobs/${legacyJobId}`, { Type: MARK, State: { Host: { ID: hostId } } });
  await controller.put(`/v1/svc/job/checkpoints/${legacyJobCheckpointId}`, { JID: legacyJobId, Path: `/${MARK}` });
}

interface Call {
  path: string;
  body?: object;
}

/**
 * For every operation with an id in its path, a call that names a row of an organisation and is answered 2xx
 * to that organisation. Calls that end the row come last.
 */
const CALLS: Record<string, (things: Things) => Call> = {
  get_operation: ({ checkpointId }) => ({ path: `/v1/operations/${checkpointId}` }),
  get_action: ({ actionId }) => ({ path: `/v1/actions/${actionId}` }),
  get_newest_pod_action: ({ podUid }) => ({ path: `/v1/actions/from_pod/${podUid}` }),
  get_checkpoint_status: ({ actionId }) => ({ path: `/v1/checkpoint/status/${actionId}` }),
  get_restore: ({ restoreId }) => ({ path: `/v1/restores/${restoreId}` }),
  list_job_pods: ({ jobId }) => ({ path: `/v1/jobs/${jobId}/pods` }),
  put_restore_profile: ({ restoreUuid }) => ({ path: `/v1/restores/${restoreUuid}/profile`, body: {} }),
  report_checkpoint_uploaded: ({ checkpointId }) => ({ path: `/v1/checkpoints/uploaded/${checkpointId}`, body: {} }),
  put_checkpoint_info: ({ openCheckpointId }) => ({
    path: `/v1/checkpoints/info/${openCheckpointId}`,
    body: { gpu: '', platform: '' },
  }),
  get_file_url: ({ file }) => ({ path: `/v1/files/${file}` }),
  get_workload: ({ workloadId }) => ({ path: `/v1/cluster/workload/${workloadId}` }),
  update_workload: ({ workloadId }) => ({
    path: `/v1/cluster/workload/${workloadId}`,
    body: { status: 'applied' },
  }),
  report_checkpoint_progress: ({ openCheckpointId }) => ({
    path: `/v1/checkpoints/progress/${openCheckpointId}`,
    body: { stage: 'dump' },
  }),
  deprecate_checkpoint: ({ checkpointId }) => ({ path: `/v1/checkpoints/deprecate/${checkpointId}` }),
  put_slurm_checkpoint_info: ({ slurmCheckpointId }) => ({
    path: `/v1/slurm/checkpoints/info/${slurmCheckpointId}`,
    body: { gpu: '', platform: '' },
  }),
  report_slurm_checkpoint_uploaded: ({ slurmCheckpointId }) => ({
    path: `/v1/slurm/checkpoints/uploaded/${slurmCheckpointId}`,
    body: {},
  }),
  deprecate_slurm_checkpoint: ({ slurmCheckpointId }) => ({
    path: `/v1/slurm/checkpoints/deprecate/${slurmCheckpointId}`,
  }),
  get_pipeline_policy: ({ policyId }) => ({ path: `/v1/policy/pipeline/${policyId}` }),
  get_policy_activity: ({ policyId }) => ({ path: `/v1/policy/${policyId}/activity` }),
  get_policy_job_status: ({ policyId }) => ({ path: `/v1/policy/${policyId}/job-status` }),
  list_policy_jobs: ({ policyId }) => ({ path: `/v1/policy/${policyId}/jobs` }),
  list_policy_pods: ({ policyId }) => ({ path: `/v1/policy/${policyId}/pods` }),
  get_maintenance_window: ({ windowId }) => ({ path: `/v1/slurm/maintenance_window/${windowId}` }),
  update_maintenance_window: ({ windowId }) => ({ path: `/v1/slurm/maintenance_window/${windowId}`, body: {} }),
  delete_maintenance_window: ({ windowId }) => ({ path: `/v1/slurm/maintenance_window/${windowId}` }),
  get_profile: ({ profileId }) => ({ path: `/v1/inference/profiles/${profileId}` }),
  get_profile_hosting: ({ profileId }) => ({ path: `/v1/inference/profiles/${profileId}/hosting` }),
  get_profile_progress: ({ profileId }) => ({ path: `/v1/inference/profiles/${profileId}/progress` }),
  get_profile_checkpoint: ({ profileId }) => ({ path: `/v1/inference/profiles/${profileId}/checkpoint` }),
  set_profile_state: ({ profileId }) => ({
    path: `/v1/inference/profiles/${profileId}/state`,
    body: { desired_state: 'Active' },
  }),
  restart_profile: ({ profileId }) => ({ path: `/v1/inference/profiles/${profileId}/restart` }),
  request_profile_checkpoint: ({ profileId }) => ({
    path: `/v1/inference/profiles/${profileId}/checkpoint`,
    body: {},
  }),
  put_worker_endpoint: ({ profileId }) => ({
    path: `/v1/inference/profiles/${profileId}/worker-endpoint`,
    body: { metrics_url: 'http://other:9090/metrics' },
  }),
  update_profile_checkpoint: ({ profileId, requestId }) => ({
    path: `/v1/inference/profiles/${profileId}/checkpoint`,
    body: { request_id: requestId, status: 'running' },
  }),
  update_artifact: ({ artifactId }) => ({ path: `/v1/inference/artifacts/${artifactId}`, body: {} }),
  get_artifact: ({ artifactId }) => ({ path: `/v1/inference/artifacts/${artifactId}` }),
  list_artifact_ancestry: ({ artifactId }) => ({ path: `/v1/inference/artifacts/${artifactId}/ancestry` }),
  promote_artifact: ({ artifactId }) => ({
    path: `/v1/inference/artifacts/${artifactId}/promote`,
    body: { tier: 'local' },
  }),
  delete_artifact: ({ artifactId }) => ({ path: `/v1/inference/artifacts/${artifactId}` }),
  delete_retention_policy: ({ retentionPolicyId }) => ({
    path: `/v1/inference/retention-policies/${retentionPolicyId}`,
  }),
  get_experiment: ({ experimentId }) => ({ path: `/v1/inference/experiments/${experimentId}` }),
  complete_experiment: ({ experimentId }) => ({
    path: `/v1/inference/experiments/${experimentId}/complete`,
    body: { status: 'cancelled' },
  }),
  get_fleet: ({ fleetId }) => ({ path: `/v1/inference/fleets/${fleetId}` }),
  delete_fleet: ({ fleetId }) => ({ path: `/v1/inference/fleets/${fleetId}` }),
  delete_instance_type_price: ({ instanceType }) => ({ path: `/v1/pricing/instance-types/${instanceType}` }),
  get_instance_status: ({ instanceId }) => ({ path: `/v1/instances/${instanceId}/status` }),
  delete_instance: ({ instanceId }) => ({ path: `/v1/instances/${instanceId}` }),
  revoke_inference_key: ({ keyId }) => ({ path: `/v1/inference/keys/${keyId}` }),
  delete_cluster: ({ clusterId }) => ({ path: `/v1/cluster/${clusterId}` }),
};

/**
 * Operations that accept an unknown id: a PUT creates the row, a DELETE may be repeated. Another organisation
 * is answered as if the row did not exist, and what the owner reads at `kept` stays unchanged.
 */
const WITHOUT_FAULT: Record<string, (things: Things) => Call & { kept: string }> = {
  put_host: ({ hostId }) => ({ path: `/v1/hosts/${hostId}`, body: {}, kept: '/v1/hosts' }),
  delete_host: ({ hostId }) => ({ path: `/v1/hosts/${hostId}`, kept: '/v1/hosts' }),
  put_legacy_job: ({ legacyJobId }) => ({ path: `/v1/svc/jobs/${legacyJobId}`, body: {}, kept: '/v1/svc/jobs' }),
  delete_legacy_job: ({ legacyJobId }) => ({ path: `/v1/svc/jobs/${legacyJobId}`, kept: '/v1/svc/jobs' }),
  put_legacy_job_checkpoint: ({ legacyJobCheckpointId }) => ({
    path: `/v1/svc/job/checkpoints/${legacyJobCheckpointId}`,
    body: {},
    kept: '/v1/svc/job/checkpoints',
  }),
  delete_legacy_job_checkpoint: ({ legacyJobCheckpointId }) => ({
    path: `/v1/svc/job/checkpoints/${legacyJobCheckpointId}`,
    kept: '/v1/svc/job/checkpoints',
  }),
};

/** Operations whose path holds something other than the id of an organisation's row. */
const WITHOUT_FOREIGN_IDS: Record<string, string> = {
  revoke_token: 'an admin manages the tokens of every organisation',
  list_jobs_by_priority: 'a priority is not an id',
  get_model: 'a name is not an id; the models of a key are tested below',
  get_route_state: 'a name is not an id; tested below',
  create_file_url: 'each organisation has its own files; tested below',
  delete_file: 'each organisation has its own files; tested below',
  list_directory: 'each organisation has its own files; tested below',
  download_plugin_binary: 'a name is not an id; tested below',
  upload_plugin: 'a name is not an id: each organisation has its own',
  get_slurm_partition_timeseries: 'a partition reported by another organisation only has no history',
};

/** Lists that need a parameter, or with a parameter that selects rows of the other organisation. */
const QUERIES: ((things: Things) => string)[] = [
  ({ podUid }) => `/v1/pods?id=${podUid}`,
  ({ podId }) => `/v1/pods?id=${podId}`,
  ({ nodeId }) => `/v1/nodes?id=${nodeId}`,
  ({ checkpointId }) => `/v1/checkpoints?ids=${checkpointId}`,
  ({ clusterId }) => `/v1/restores?cluster_id=${clusterId}`,
  ({ actionId }) => `/v1/audit?resource=${actionId}`,
  ({ clusterId }) => `/v1/slurm/jobs?cluster_id=${clusterId}`,
  () => '/v1/slurm/jobs?job_ids=1',
  () => '/v1/slurm/events?status=FAILED&since=0',
  ({ slurmCheckpointId }) => `/v1/slurm/checkpoints?ids=${slurmCheckpointId}`,
  ({ clusterId }) => `/v1/slurm/checkpoints?cluster_id=${clusterId}`,
  () => '/v1/slurm/checkpoints?job_id=2',
  () => '/v1/policy/list?include_automatic=true',
  () => '/v1/policy/pipeline/list?resource=jobs',
  ({ hostId }) => `/v1/hosts?ids=${hostId}`,
  ({ legacyJobId }) => `/v1/svc/jobs?jids=${legacyJobId}`,
  ({ hostId }) => `/v1/svc/jobs?host_ids=${hostId}`,
  ({ legacyJobCheckpointId }) => `/v1/svc/job/checkpoints?ids=${legacyJobCheckpointId}`,
  ({ legacyJobId }) => `/v1/svc/job/checkpoints?jids=${legacyJobId}`,
  () => `/v1/pods/paginated?pod_name=${MARK}`,
  () => '/v1/jobs/by-priority/7',
  () => '/v1/jobs/filter?priority=7',
  ({ profileId }) => `/v1/inference/artifacts?profile_id=${profileId}`,
  () => '/v1/inference/artifacts?status=ready&mode=criu',
  ({ profileId }) => `/v1/inference/observations?profile_id=${profileId}`,
  () => '/v1/inference/lifecycle-events?since=2026-01-01T00:00:00Z',
  () => `/v1/metrics/gpu?node_name=${MARK}-node`,
  () => '/v1/metrics/gpu/timeseries?gpu_uuid=GPU-0',
  ({ podUid }) => `/v1/metrics/pods?pod_uid=${podUid}`,
  () => `/v1/metrics/k8?name=${MARK}-node`,
  () => `/v1/plugins?names=${PLUGIN}`,
  () => '/v1/plugins',
];

/**
 * The ids that lists show. Lists show neither the request of a checkpoint, which is read through its profile,
 * nor requests for models, nor files, whose lists need the name of a directory.
 */
const ids = ({
  file: _file,
  requestId: _,
  authorizationId: _authorization,
  settledRequestId: _settled,
  ...things
}: Things) => Object.values<string>(things);
const shown = (text: string, things: Things): string[] => [MARK, ...ids(things)].filter((id) => text.includes(id));

describe('an organisation', () => {
  let service: Service;
  let market: Marketplace;
  let a: Organisation;
  let b: Organisation;
  let things: Things;

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start({
      marketplace: market.settings(),
      pluginsPublic: false,
      objectStorageDir: temporaryDirectory(),
    });
    [a, b] = [await service.organisation(), await service.organisation()];
    things = await fill(service, a);
    await b.operator.post('/v1/cluster', { cluster_name: 'of-b' });
  });
  afterAll(async () => {
    await service.close();
    await market.close();
    printFigures();
  });

  describe('in lists', () => {
    // Organisations and tokens belong to admins, who manage those of every organisation.
    const lists = operations().filter(
      ({ method, path, roles }) => method === 'get' && !path.includes('{') && roles.includes('operator'),
    );

    it.each(lists.map(({ id, path }) => [id, path]))('sees nothing of another: %s', async (_id, path) => {
      for (const caller of [b.admin, b.operator, b.viewer, b.controller]) {
        expect(shown((await caller.get(path)).text, things)).toEqual([]);
      }
    });

    it.each(QUERIES.map((query) => [query.toString().replace(/^.*`(.*)`.*$|^.*'(.*)'.*$/s, '$1$2'), query]))(
      'finds nothing of another: %s',
      async (_name, query) => {
        const path = query(things);
        expect(shown((await a.operator.get(path)).text, things)).not.toEqual([]);
        const answer = await b.operator.get(path);
        expect(answer.status).toBe(200);
        expect(shown(answer.text, things)).toEqual([]);
      },
    );

    // This read is for controllers, so operators cannot call it.
    it('sees nothing of another in the configuration of routers', async () => {
      const config = async ({ controller }: Organisation) => (await controller.get('/v1/inference/router/config')).text;
      expect(shown(await config(a), things)).toEqual([MARK, things.profileId]);
      expect(shown(await config(b), things)).toEqual([]);
    });

    it('sees no model of another through its keys', async () => {
      const models = async ({ operator }: Organisation): Promise<unknown> => {
        const key = (await operator.post('/v1/inference/keys', { name: 'reader' })).body.raw_key as string;
        const reader = service.as(key);
        const { body } = await reader.get('/v1/inference/models');
        const one = await reader.get(`/v1/inference/models/${MARK}`);
        return [one.status, ...(body.data as { id: string }[]).map(({ id }) => id)];
      };
      expect(await models(a)).toEqual([200, MARK]);
      expect(await models(b)).toEqual([404]);
    });

    it('finds nothing about the route of another', async () => {
      const path = `/v1/inference/routes/${MARK}/state`;
      expect((await b.viewer.get(path)).status).toBe(404);
      expect((await a.viewer.get(path)).body).toMatchObject({ logical_model: MARK });
    });

    it('cannot download a plugin of another', async () => {
      for (const [caller, status] of [
        [a.viewer, 302],
        [b.viewer, 404],
        [b.admin, 404],
      ] as const)
        expect((await caller.get(`/v1/plugins/download/${PLUGIN}`)).status).toBe(status);
    });

    it('sees all its own rows', async () => {
      const texts = await Promise.all(lists.map(({ path }) => a.operator.get(path)));
      expect(shown(texts.map(({ text }) => text).join(), things)).toEqual([MARK, ...ids(things)]);
    });

    it('does not count the rows of another', async () => {
      for (const path of ['/v1/pods/count', '/v1/jobs/count', '/v1/nodes/count']) {
        expect([path, (await a.viewer.get(path)).body]).toEqual([path, { total_count: 1 }]);
        expect([path, (await b.viewer.get(path)).body]).toEqual([path, { total_count: 0 }]);
      }
      expect((await a.viewer.get('/v1/metrics/operations/summary?minutes=10080')).body.attempts).toBeGreaterThan(0);
      expect((await b.viewer.get('/v1/metrics/operations/summary?minutes=10080')).body.attempts).toBe(0);
      const total = /^checkpoint_operations_total\{[^}]*\} [1-9]/m;
      expect((await a.viewer.get('/v1/metrics/export')).text).toMatch(total);
      expect((await b.viewer.get('/v1/metrics/export')).text).not.toMatch(total);
    });
  });

  describe("with another's id in a body", () => {
    const nameless = (answer: Answer) => [answer.status, answer.body.code, shown(answer.text, things)];
    /** The same call with an unknown id must get the same answer. */
    const asIfAbsent = async (call: (caller: Caller, id: string) => Promise<Answer>, id: string) => {
      const [foreign, absent] = [await call(b.admin, id), await call(b.admin, newId())];
      expect(nameless(foreign)).toEqual(nameless(absent));
      expect(foreign.status).toBeGreaterThanOrEqual(400);
      expect(foreign.status).toBeLessThan(500);
    };

    const CASES: [string, keyof Things, (caller: Caller, id: string) => Promise<Answer>][] = [
      ['a sync', 'clusterId', (c, id) => c.post('/v1/cluster/sync', { cluster_id: id, resource: { type: 'None' } })],
      ['a sync of Slurm jobs', 'clusterId', (c, id) => c.post('/v1/slurm/jobs/sync', { cluster_id: id, jobs: [] })],
      [
        'a sync of Slurm clusters',
        'clusterId',
        (c, id) => c.post('/v1/slurm/clusters/sync', { cluster_id: id, clusters: [] }),
      ],
      ['a sync of Slurm nodes', 'clusterId', (c, id) => c.post('/v1/slurm/nodes/sync', { cluster_id: id, nodes: [] })],
      [
        'a sync of partitions',
        'clusterId',
        (c, id) => c.post('/v1/slurm/partitions/sync', { cluster_id: id, partitions: [] }),
      ],
      [
        'a sync of reservations',
        'clusterId',
        (c, id) => c.post('/v1/slurm/maintenance_window/sync', { cluster_id: id, maintenance_windows: [] }),
      ],
      [
        'a checkpoint of a Slurm job',
        'clusterId',
        (c, id) => c.post('/v1/slurm/checkpoint/job', { cluster_id: id, job_id: '2' }),
      ],
      [
        'a Slurm checkpoint of an action',
        'slurmActionId',
        (c, id) => c.post('/v1/slurm/checkpoints', { action_id: id }),
      ],
      [
        'a Slurm checkpoint of a parent',
        'slurmCheckpointId',
        (c, id) => c.post('/v1/slurm/checkpoints', { parent_checkpoint_id: id }),
      ],
      ['a restore of a Slurm job', 'slurmActionId', (c, id) => c.post('/v1/slurm/restore/job', { action_id: id })],
      [
        'a policy',
        'clusterId',
        (c, id) =>
          c.post('/v1/policy/pipeline/create', {
            pipeline: {
              trigger: { type: 'heartbeat', config: { interval_seconds: 10 } },
              filter: { type: 'namespace', config: { cluster_id: id, namespace: `${MARK}-namespace` } },
              action: { type: 'checkpoint', config: { kind: 'simple' } },
            },
          }),
      ],
      ['the end of a policy', 'policyId', (c, id) => c.delete('/v1/policy/delete', { id })],
      ['a batch', 'clusterId', (c, id) => c.post('/v1/cluster/sync/batch', { cluster_id: id, resources: [] })],
      [
        'a workload',
        'clusterId',
        (c, id) => c.post('/v1/cluster/workload', { cluster_id: id, job: { metadata: { name: 'job' }, spec: {} } }),
      ],
      [
        'a checkpoint of a pod by its name',
        'clusterId',
        (c, id) =>
          c.post('/v1/checkpoint/pod', { cluster_id: id, namespace: `${MARK}-namespace`, pod_name: `${MARK}-pod` }),
      ],
      ['a checkpoint of a pod by its uid', 'podUid', (c, id) => c.post('/v1/checkpoint/pod', { pod_id: id })],
      ['a checkpoint of a pod by its row', 'podId', (c, id) => c.post('/v1/checkpoint/pod', { pod_id: id })],
      ['a checkpoint of an action', 'actionId', (c, id) => c.post('/v1/checkpoints', { action_id: id })],
      ['a checkpoint of a parent', 'checkpointId', (c, id) => c.post('/v1/checkpoints', { parent_checkpoint_id: id })],
      ['a restore', 'actionId', (c, id) => c.post('/v1/restore/pod', { action_id: id, reason: 'manual' })],
      [
        'the pod of an action',
        'actionId',
        (c, id) => c.post('/v1/actions/upload', { action_id: id, status: 'error', pod_spec: {} }),
      ],
      [
        'a report of an activation',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/activations/report', {
            profile_id: id,
            desired_state: 'Active',
            phase: 'Ready',
            ready: true,
          }),
      ],
      [
        'an artifact',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/artifacts', buildArtifact({ profile_id: id, compatibility_key: 'key' }, newId())),
      ],
      ['a look-up of artifacts', 'profileId', (c, id) => c.post('/v1/inference/artifacts/lookup', { profile_id: id })],
      [
        'a lifecycle event of a cluster',
        'clusterId',
        (c, id) => reportEvent(c, buildEvent(id, null, { kind: 'node.booted' })),
      ],
      [
        'a measurement',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/observations', {
            observation_key: newId(),
            event_type: 'restore',
            evidence: 'measured',
            source: 'test',
            started_at: '2026-01-01T00:00:00Z',
            profile_id: id,
          }),
      ],
      [
        'a retention policy',
        'profileId',
        (c, id) => c.post('/v1/inference/retention-policies', { name: 'policy', profile_id: id }),
      ],
      [
        'a preview of retention',
        'profileId',
        (c, id) => c.post('/v1/inference/retention-policies/preview', { name: 'policy', profile_id: id }),
      ],
      [
        'a route',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/routes', {
            logical_model: 'model',
            targets: [{ profile_id: id, tier: 'large', priority: 1 }],
          }),
      ],
      [
        'the classifier of a route',
        'profileId',
        (c, id) =>
          c.post('/v1/inference/routes', { logical_model: 'model', mode: 'classifier', classifier_profile_id: id }),
      ],
      [
        'a rate of costs',
        'profileId',
        (c, id) => c.post('/v1/inference/costs/config', { profile_id: id, node_hourly_usd: 1 }),
      ],
      [
        'an experiment',
        'profileId',
        (c, id) => c.post('/v1/inference/experiments', { name: 'name', scenario: 'scenario', profile_id: id }),
      ],
      [
        'a fleet',
        'profileId',
        (c, id) => c.post('/v1/inference/fleets', { name: 'name', logical_model: 'model', profile_ids: [id] }),
      ],
      [
        'a resolution',
        'authorizationId',
        (c, id) =>
          c.post('/v1/inference/router/resolve', {
            authorization_id: id,
            request_id: `${MARK}-open`,
            logical_model: MARK,
          }),
      ],
    ];
    it.each(CASES)('gets the same answer as for an unknown id: %s', (_name, thing, call) =>
      asIfAbsent(call, things[thing]),
    );

    it("creates its own restore from an event with another's ids, and changes nothing there", async () => {
      const before = (await a.viewer.get(`/v1/actions/${things.restoreActionId}`)).body;
      // A third organisation: the event creates a restore with this uuid there.
      const c = await service.organisation();
      const answer = await c.controller.post('/v1/restores/events/restore_success', {
        restore_uuid: things.restoreUuid,
        action_id: things.restoreActionId,
        checkpoint_id: things.checkpointId,
        cluster_id: things.clusterId,
        started_at: '2026-01-01T00:00:00Z',
        completed_at: '2026-01-01T00:00:01Z',
      });
      expect(answer.body).toEqual({ restore_uuid: things.restoreUuid, status: 'succeeded' });
      const fact = (await c.viewer.get(`/v1/operations/${things.restoreUuid}`)).text;
      expect(fact).not.toContain(MARK);
      expect((await a.viewer.get(`/v1/actions/${things.restoreActionId}`)).body).toEqual(before);
      expect((await a.viewer.get(`/v1/restores/${things.restoreId}`)).body.status).toBe('failed');
    });
  });

  describe('with requests for models', () => {
    /** Everything that is stored about the money of an organisation, as one text. */
    const money = async (orgId: string): Promise<string> => {
      const { rows } = await service.db.query(
        `select jsonb_agg(to_jsonb(t) order by t.kind, t.position) from (
           select 'ledger' as kind, position::text, to_jsonb(l) as row from ledger_entries l where org_id = $1
           union all select 'authorization', id::text, to_jsonb(z) from authorizations z where org_id = $1
           union all select 'usage', request_id, to_jsonb(u) from usage_records u where org_id = $1
           union all select 'sample', metric_name, to_jsonb(s) from router_samples s where org_id = $1
           union all select 'key', id::text, to_jsonb(k) from inference_keys k where org_id = $1
         ) t`,
        [orgId],
      );
      return JSON.stringify(rows);
    };
    const keyOf = async ({ operator }: Organisation): Promise<Caller> =>
      service.as((await operator.post('/v1/inference/keys', { name: 'key' })).body.raw_key as string);

    it('changes nothing of another by telemetry and samples with its names', async () => {
      const c = await service.organisation();
      const before = await money(a.id);
      for (const request_id of [things.settledRequestId, `${MARK}-open`]) {
        const telemetry = {
          request_id,
          logical_model: MARK,
          profile_id: things.profileId,
          end_to_end_latency_ms: 9_000,
        };
        expect((await c.controller.post('/v1/inference/router/telemetry', telemetry)).status).toBe(200);
      }
      const sample = { route: MARK, profile_id: things.profileId, metric_name: MARK, value: 2, timestamp: 0 };
      expect((await c.controller.post('/v1/inference/router/metrics', { samples: [sample] })).status).toBe(200);
      expect(await money(a.id)).toBe(before);
      // They cost nothing there, because the profile whose prices would apply belongs to another
      // organisation.
      const { rows } = await service.db.query(
        'select distinct cost_usd::float8, key_id from usage_records where org_id = $1',
        [c.id],
      );
      expect(rows).toEqual([{ cost_usd: 0, key_id: null }]);
    });

    it("cannot reach another's models with its key, nor its authorizations by the same request id", async () => {
      const c = await service.organisation();
      const request = { request_id: things.settledRequestId, logical_model: MARK };
      const key = await keyOf(c);
      const codes = async (call: Promise<Answer>) => {
        const { status, body } = await call;
        return [status, body.code];
      };
      expect(await codes(key.post('/v1/inference/router/authorize', request))).toEqual([404, 'model_not_found']);
      expect(await codes(key.post('/v1/inference/chat/completions', { model: MARK, messages: [] }))).toEqual([
        404,
        'model_not_found',
      ]);
      // With a model of that name, it is a different request.
      const { profile_id } = await createProfile(c, { logical_model: MARK });
      const route = { logical_model: MARK, targets: [{ profile_id, tier: 'large', priority: 1 }] };
      expect((await c.operator.post('/v1/inference/routes', route)).status).toBe(200);
      const before = await money(a.id);
      const own = await key.post('/v1/inference/router/authorize', request);
      expect([own.status, own.body.authorization_id]).toEqual([200, expect.any(String)]);
      const body = { ...request, authorization_id: things.authorizationId };
      expect(await codes(c.controller.post('/v1/inference/router/resolve', body))).toEqual([
        404,
        'authorization_not_found',
      ]);
      expect(await money(a.id)).toBe(before);
    });
  });

  describe('is isolated by row level security, which', () => {
    let owner: pg.Client;

    const tables = async (): Promise<string[]> => {
      const { rows } = await service.db.query<{ table: string }>(`
        select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and a.attname = 'org_id' and not a.attisdropped order by 1`);
      return rows.map(({ table }) => table);
    };

    beforeAll(async () => {
      owner = new pg.Client({ connectionString: service.environment.databaseUrl });
      await owner.connect();
    });
    afterAll(() => owner.end());

    /**
     * Runs as the service's account, in a transaction of an organisation (or of none) that is rolled back.
     */
    async function as<T>(orgId: string | undefined, work: () => Promise<T>): Promise<T> {
      await owner.query('begin');
      try {
        if (orgId !== undefined) await owner.query("select set_config('app.org', $1, true)", [orgId]);
        return await work();
      } finally {
        await owner.query('rollback');
      }
    }

    it('applies to the account of the service', async () => {
      const { rows } = await owner.query(
        'select rolsuper or rolbypassrls as bypass from pg_roles where rolname = current_user',
      );
      expect(rows).toEqual([{ bypass: false }]);
    });

    // A partition is reached through its parent only, whose policy applies.
    it('is forced on every table with an organisation', async () => {
      const { rows } = await service.db.query(`
        select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and a.attname = 'org_id' and not a.attisdropped
          and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))`);
      expect(rows).toEqual([]);
      expect((await tables()).length).toBeGreaterThanOrEqual(19);
    });

    it('leaves out no table without an organisation by mistake', async () => {
      const { rows } = await service.db.query<{ relname: string }>(`
        select c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id') order by 1`);
      // The time of the primary, the owners themselves, what is recorded of
      // migrations and schema objects, and what belongs to the whole installation.
      expect(rows.map(({ relname }) => relname)).toEqual([
        'heartbeats',
        'migrations',
        'organisations',
        'provider_accounts',
        'schema_objects',
      ]);
    });

    it('hides the tables of the whole installation from every organisation', async () => {
      const { rows } = await service.db.query<{ account: string }>('select account from provider_accounts');
      expect(rows).toHaveLength(1);
      for (const orgId of [a.id, b.id, undefined])
        await as(orgId, async () => {
          expect((await owner.query('select from provider_accounts')).rowCount).toBe(0);
          expect((await owner.query("update provider_accounts set verdict = 'refused'")).rowCount).toBe(0);
          expect((await owner.query('delete from provider_accounts')).rowCount).toBe(0);
          await expect(
            owner.query("insert into provider_accounts (account, orphans) values ('another', '[]')"),
          ).rejects.toThrow('row-level security');
        });
    });

    it('relies on keys that start with the organisation', async () => {
      const { rows } = await service.db.query(`
        select c.relname, i.indexrelid::regclass::text as key from pg_index i join pg_class c on c.oid = i.indrelid
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
        where c.relnamespace = 'public'::regnamespace and i.indisprimary and i.indkey[0] <> a.attnum`);
      expect(rows).toEqual([]);
    });

    /** Not even the organisation itself may change these rows. */
    const APPEND_ONLY = ['ledger_entries'];

    it('hides rows of another from reads and writes, and refuses writes on its behalf', async () => {
      const filled: string[] = [];
      for (const table of await tables()) {
        const name = pg.escapeIdentifier(table);
        const mine = await as(a.id, () =>
          owner.query(`select to_jsonb(t) as row from ${name} t where org_id = $1`, [a.id]),
        );
        if (mine.rows.length > 0) filled.push(table);
        for (const other of [b.id, undefined]) {
          const counts = await as(other, async () => ({
            read: (await owner.query(`select from ${name} where org_id = $1`, [a.id])).rowCount,
            updated: (await owner.query(`update ${name} set org_id = org_id where org_id = $1`, [a.id])).rowCount,
            deleted: (await owner.query(`delete from ${name} where org_id = $1`, [a.id])).rowCount,
          }));
          expect([table, counts]).toEqual([table, { read: 0, updated: 0, deleted: 0 }]);
          const copy = [JSON.stringify(mine.rows[0]?.row ?? { org_id: a.id })];
          const insert = as(other, () =>
            owner.query(
              `insert into ${name} overriding system value select * from jsonb_populate_record(null::${name}, $1)`,
              copy,
            ),
          );
          await expect(insert).rejects.toMatchObject({ code: '42501' });
        }
        if (APPEND_ONLY.includes(table)) {
          await expect(
            as(a.id, () => owner.query(`update ${name} set org_id = org_id where org_id = $1`, [a.id])),
          ).rejects.toThrow('stay as they are');
          continue;
        }
        // The same statements succeed for the organisation itself.
        const own = await as(a.id, () => owner.query(`update ${name} set org_id = org_id where org_id = $1`, [a.id]));
        expect([table, own.rowCount]).toEqual([table, mine.rows.length]);
      }
      const attack = 'SQL of the account of the service that names the rows of another organisation';
      const bound = { atLeast: 50 };
      const value = filled.length;
      recordFigure({ row: 8, attack, measure: 'tables with rows, all of them hidden', value, unit: '', bound });
      expect(filled).toEqual(
        expect.arrayContaining([
          'access_tokens',
          'actions',
          'activation_phases',
          'activations',
          'artifacts',
          'audit_entries',
          'authorizations',
          'capacity_intents',
          'checkpoint_requests',
          'checkpoints',
          'clusters',
          'cost_rates',
          'engine_graph_deployments',
          'engine_services',
          'hosts',
          'idempotency_keys',
          'inference_keys',
          'jobs',
          'ledger_entries',
          'legacy_job_checkpoints',
          'legacy_jobs',
          'lifecycle_events',
          'maintenance_windows',
          'metric_kinds',
          'metric_pods',
          'metric_samples',
          'metric_series',
          'nodes',
          'observations',
          'operation_facts',
          'operation_failure_totals',
          'operation_stage_totals',
          'operation_stages',
          'operation_totals',
          'outbox_events',
          'plugin_objects',
          'pods',
          'policies',
          'profiles',
          'restore_events',
          'restores',
          'retention_policies',
          'route_targets',
          'router_samples',
          'routes',
          'slurm_clusters',
          'slurm_jobs',
          'slurm_nodes',
          'slurm_partitions',
          'starts',
          'usage_records',
          'worker_endpoints',
        ]),
      );
    });
  });

  // Last, because the calls of the owner end its rows.
  describe("with another's id in a path", () => {
    const withIds = operations().filter(({ path }) => path.includes('{'));

    it('is tested for every operation with an id', () => {
      const known = [CALLS, WITHOUT_FAULT, WITHOUT_FOREIGN_IDS].flatMap(Object.keys);
      const untested = withIds.map(({ id }) => id).filter((id) => !known.includes(id));
      expect(untested).toEqual([]);
      const attack = `every operation with an id, ${withIds.length} of them, with the id of another organisation`;
      const bound = { atMost: 0 };
      recordFigure({ row: 8, attack, measure: 'operations without a test', value: untested.length, unit: '', bound });
    });

    it.each(Object.keys(CALLS))('gets 404, while the owner does not: %s', async (id) => {
      const operation = withIds.find((one) => one.id === id);
      const { path, body } = CALLS[id]?.(things) ?? { path: '' };
      for (const caller of [b.admin, b.operator, b.viewer, b.controller]) {
        const { status, body: problem } = await caller.send(operation?.method ?? '', path, body, {});
        if (status === 403) continue;
        expect([status, problem.message]).toEqual([404, expect.not.stringContaining(MARK)]);
      }
      const own = await a.admin.send(operation?.method ?? '', path, body, {});
      expect(own.status).toBeLessThan(300);
    });

    it('reaches no file of another, while the owner does', async () => {
      const path = `/v1/files/${things.file}`;
      const list = `/v1/files/dir/${MARK}`;
      expect((await b.viewer.get(list)).body).toEqual([]);
      const address = (await b.controller.put(path)).text;
      expect((await put(address, Buffer.from('of b'))).status).toBe(200);
      expect((await b.operator.delete(path)).status).toBe(204);
      expect((await b.operator.get(path)).status).toBe(404);
      expect((await a.viewer.get(list)).body).toEqual(['pages.img']);
      expect((await fetched((await a.controller.get(path)).text)).bytes.toString()).toBe(MARK);
      const of = (id: string) => `files/${id}/${things.file}`;
      for (const foreign of [`../${a.id}/${things.file}`, `..%2F${a.id}%2F${things.file}`, `.%2e/${of(a.id)}`])
        expect([foreign, (await b.controller.put(`/v1/files/${foreign}`)).status]).not.toEqual([foreign, 200]);
    });

    it.each(Object.keys(WITHOUT_FAULT))('changes nothing, while the owner does: %s', async (id) => {
      const method = withIds.find((one) => one.id === id)?.method ?? '';
      const { path, body, kept } = WITHOUT_FAULT[id]?.(things) ?? { path: '', kept: '' };
      const rows = async () => (await a.viewer.get(kept)).text;
      await fillLegacy(a.controller, things);
      const before = await rows();
      for (const caller of [b.admin, b.operator, b.viewer, b.controller]) {
        const { status } = await caller.send(method, path, body, {});
        expect(status).toBe(caller === b.viewer ? 403 : 200);
      }
      expect(await rows()).toBe(before);
      expect((await a.operator.send(method, path, body, {})).status).toBe(200);
      expect(await rows()).not.toBe(before);
    });
  });
});
