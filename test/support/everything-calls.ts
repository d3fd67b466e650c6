import { MARK, PLUGIN, type Things } from './everything';

export interface Call {
  path: string;
  body?: object;
}

/**
 * For every operation with an id in its path, a call that names a row of an organisation and is answered 2xx
 * to that organisation. Calls that end the row come last.
 */
export const CALLS: Record<string, (things: Things) => Call> = {
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
  confirm_checkpoint_removal: ({ checkpointId }) => ({ path: `/v1/checkpoints/removed/${checkpointId}` }),
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
  update_pipeline_policy: ({ policyId }) => ({
    path: `/v1/policy/pipeline/${policyId}`,
    body: { paused: true },
  }),
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
  confirm_artifact_removal: ({ artifactId }) => ({ path: `/v1/inference/artifacts/${artifactId}/removed` }),
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
  update_inference_key: ({ keyId }) => ({ path: `/v1/inference/keys/${keyId}`, body: {} }),
  revoke_inference_key: ({ keyId }) => ({ path: `/v1/inference/keys/${keyId}` }),
  delete_cluster: ({ clusterId }) => ({ path: `/v1/cluster/${clusterId}` }),
};

/**
 * Operations that accept an unknown id: a PUT creates the row, a DELETE may be repeated. Another organisation
 * is answered as if the row did not exist, and what the owner reads at `kept` stays unchanged.
 */
export const WITHOUT_FAULT: Record<string, (things: Things) => Call & { kept: string }> = {
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

/** Lists that need a parameter, or with a parameter that selects rows of the other organisation. */
export const QUERIES: ((things: Things) => string)[] = [
  ({ podUid }) => `/v1/pods?id=${podUid}`,
  ({ podId }) => `/v1/pods?id=${podId}`,
  ({ nodeId }) => `/v1/nodes?id=${nodeId}`,
  ({ clusterId }) => `/v1/nodes/summary?cluster_id=${clusterId}`,
  ({ actionId }) => `/v1/actions?action_id=${actionId}`,
  ({ checkpointId }) => `/v1/operations?operation_id=${checkpointId}`,
  ({ checkpointId }) => `/v1/checkpoints?ids=${checkpointId}`,
  ({ clusterId }) => `/v1/restores?cluster_id=${clusterId}`,
  ({ actionId }) => `/v1/audit?resource=${actionId}`,
  ({ clusterId }) => `/v1/slurm/jobs?cluster_id=${clusterId}`,
  ({ clusterId }) => `/v1/slurm/jobs?ended=false&cluster_id=${clusterId}`,
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
  ({ clusterId }) => `/v1/nodes?silent=true&cluster_id=${clusterId}`,
  ({ clusterId }) => `/v1/pods/paginated?silent=true&cluster_id=${clusterId}`,
  ({ clusterId }) => `/v1/jobs/paginated?silent=true&cluster_id=${clusterId}`,
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
