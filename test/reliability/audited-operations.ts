/** Operations, by the kind of resource that their entries name. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  action: ['checkpoint_pod', 'restore_pod', 'upload_action_pod', 'checkpoint_slurm_job', 'restore_slurm_job'],
  activation: ['report_activation'],
  artifact: ['register_artifact', 'update_artifact', 'promote_artifact', 'delete_artifact', 'confirm_artifact_removal'],
  capacity_intent: ['set_profile_state'],
  checkpoint: [
    'create_checkpoint',
    'put_checkpoint_info',
    'report_checkpoint_uploaded',
    'deprecate_checkpoint',
    'confirm_checkpoint_removal',
    'create_slurm_checkpoint',
    'put_slurm_checkpoint_info',
    'report_slurm_checkpoint_uploaded',
    'deprecate_slurm_checkpoint',
  ],
  checkpoint_request: ['restart_profile', 'request_profile_checkpoint', 'update_profile_checkpoint'],
  cluster: [
    'save_cluster',
    'delete_cluster',
    'sync_cluster',
    'sync_cluster_batch',
    'sync_slurm_jobs',
    'sync_slurm_clusters',
    'sync_slurm_nodes',
    'sync_slurm_partitions',
    'sync_maintenance_windows',
  ],
  cost_rate: ['upsert_cost_rate'],
  experiment: ['create_experiment', 'complete_experiment'],
  file: ['delete_file'],
  fleet: ['save_fleet', 'delete_fleet'],
  host: ['put_host', 'delete_host'],
  inference_key: ['create_inference_key', 'update_inference_key', 'revoke_inference_key'],
  instance: ['create_instance', 'delete_instance'],
  instance_type_price: ['save_instance_type_price', 'delete_instance_type_price'],
  legacy_job: ['put_legacy_job', 'delete_legacy_job'],
  legacy_job_checkpoint: ['put_legacy_job_checkpoint', 'delete_legacy_job_checkpoint'],
  lifecycle_event: ['record_lifecycle_event'],
  maintenance_window: ['create_maintenance_window', 'update_maintenance_window', 'delete_maintenance_window'],
  observation: ['record_observation'],
  organisation: ['create_organisation'],
  outbox_consumer: ['ack_outbox'],
  plugin: ['upload_plugin'],
  policy: ['create_pipeline_policy', 'update_pipeline_policy', 'delete_policy', 'sync_job_policies'],
  profile: ['create_profile'],
  restore: ['put_restore_profile', 'record_restore_start', 'record_restore_success', 'record_restore_error'],
  retention_policy: ['save_retention_policy', 'delete_retention_policy'],
  route: ['save_route', 'delete_route'],
  token: ['create_token', 'revoke_token'],
  worker_endpoint: ['put_worker_endpoint'],
  workload: ['create_cluster_workload', 'update_workload'],
};

const CHANGES_NOTHING = 'It only reads.';
const FOR_A_MODEL = 'Authorization, ledger and usage record say who, what and when.';
const SAMPLES = 'Samples are data of machines, by the thousand.';

/** What docs/decisions.md exempts, and why. */
export const EXEMPT: Readonly<Record<string, string>> = {
  authorize_request: FOR_A_MODEL,
  create_chat_completion: FOR_A_MODEL,
  create_completion: FOR_A_MODEL,
  create_embedding: FOR_A_MODEL,
  create_file_url: 'It signs an address, and an agent needs thousands.',
  create_response: FOR_A_MODEL,
  export_otlp_metrics: SAMPLES,
  lookup_artifacts: CHANGES_NOTHING,
  preview_pipeline_policy: CHANGES_NOTHING,
  preview_retention: CHANGES_NOTHING,
  record_router_metrics: SAMPLES,
  record_router_telemetry: FOR_A_MODEL,
  report_checkpoint_progress: 'It comes every second, and changes no checkpoint.',
  resolve_request: FOR_A_MODEL,
  simulate_route: CHANGES_NOTHING,
  write_metrics: SAMPLES,
};

/** By operation, the kind of resource that its entry names. */
export const RESOURCE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(RESOURCES).flatMap(([resource, ids]) => ids.map((id): [string, string] => [id, resource])),
);
