import { newId } from '../../src/1-platform/common/ids';
import { placedInstance } from './instances';
import { writeSeries } from './metric-series';
import type { Environment } from '../../src/1-platform/config/environment';
import type { Marketplace } from './marketplace';
import { put, publish, temporaryDirectory } from './plugins';
import { buildArtifact, buildEvent, createProfile, reportEvent, reportPhase, setState } from './profiles';
import type { Answer, Caller, Organisation, Service } from './service';

/** Part of every name, so an answer that shows anything of the organisation contains it. */
export const MARK = `only-of-a-${newId().slice(-12)}`;

export const PLUGIN = `${MARK}-plugin`;

/** The ids of one row of every kind, of one organisation. */
export interface Things {
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

/** A service, or another replica of it. */
export type Filled = Pick<Service, 'as' | 'clock' | 'db'>;

/** Settings of a service that can be filled. */
export const settingsFor = (market: Marketplace): Partial<Environment> => ({
  marketplace: market.settings(),
  pluginsPublic: false,
  objectStorageDir: temporaryDirectory(),
});

/** Makes one row of every kind, through the API. */
export async function fill(service: Filled, { id, operator, controller }: Organisation): Promise<Things> {
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
  const queued = await service.db.query(
    'select id from queued_workloads where org_id = $1 order by created_at desc limit 1',
    [id],
  );
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

async function fillMetrics({ db }: Filled, org: Pick<Organisation, 'id'>, podUid: string): Promise<void> {
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
  service: Filled,
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

export async function fillLegacy(controller: Caller, { hostId, legacyJobId, legacyJobCheckpointId }: LegacyThings) {
  await controller.put(`/v1/hosts/${hostId}`, { Hostname: MARK });
  await controller.put(`/v1/svc/jobs/${legacyJobId}`, { Type: MARK, State: { Host: { ID: hostId } } });
  await controller.put(`/v1/svc/job/checkpoints/${legacyJobCheckpointId}`, { JID: legacyJobId, Path: `/${MARK}` });
}
