// Written by `npm run openapi`.

export const ROLES_OF = {
  "list_audit_entries": [
    "admin",
    "operator"
  ],
  "ack_outbox": [
    "admin",
    "controller"
  ],
  "list_organisations": [
    "admin"
  ],
  "create_organisation": [
    "admin"
  ],
  "list_tokens": [
    "admin"
  ],
  "create_token": [
    "admin"
  ],
  "revoke_token": [
    "admin"
  ],
  "upload_plugin": [
    "admin",
    "operator"
  ],
  "save_cluster": [
    "admin",
    "operator",
    "controller"
  ],
  "create_cluster_workload": [
    "admin",
    "operator"
  ],
  "list_workloads": [
    "admin",
    "operator",
    "controller"
  ],
  "get_workload": [
    "admin",
    "operator",
    "controller"
  ],
  "update_workload": [
    "admin",
    "controller"
  ],
  "delete_cluster": [
    "admin",
    "operator"
  ],
  "put_host": [
    "admin",
    "operator",
    "controller"
  ],
  "delete_host": [
    "admin",
    "operator",
    "controller"
  ],
  "put_legacy_job": [
    "admin",
    "operator",
    "controller"
  ],
  "delete_legacy_job": [
    "admin",
    "operator",
    "controller"
  ],
  "put_legacy_job_checkpoint": [
    "admin",
    "operator",
    "controller"
  ],
  "delete_legacy_job_checkpoint": [
    "admin",
    "operator",
    "controller"
  ],
  "save_instance_type_price": [
    "admin",
    "operator"
  ],
  "delete_instance_type_price": [
    "admin",
    "operator"
  ],
  "create_instance": [
    "admin",
    "operator"
  ],
  "delete_instance": [
    "admin",
    "operator"
  ],
  "sync_cluster": [
    "admin",
    "operator",
    "controller"
  ],
  "sync_cluster_batch": [
    "admin",
    "operator",
    "controller"
  ],
  "upload_action_pod": [
    "admin",
    "operator",
    "controller"
  ],
  "checkpoint_pod": [
    "admin",
    "operator",
    "controller"
  ],
  "create_checkpoint": [
    "admin",
    "operator",
    "controller"
  ],
  "put_checkpoint_info": [
    "admin",
    "operator",
    "controller"
  ],
  "report_checkpoint_progress": [
    "admin",
    "controller"
  ],
  "report_checkpoint_uploaded": [
    "admin",
    "operator",
    "controller"
  ],
  "deprecate_checkpoint": [
    "admin",
    "operator"
  ],
  "confirm_checkpoint_removal": [
    "admin",
    "controller"
  ],
  "restore_pod": [
    "admin",
    "operator"
  ],
  "put_restore_profile": [
    "admin",
    "operator",
    "controller"
  ],
  "record_restore_start": [
    "admin",
    "operator",
    "controller"
  ],
  "record_restore_success": [
    "admin",
    "operator",
    "controller"
  ],
  "record_restore_error": [
    "admin",
    "operator",
    "controller"
  ],
  "get_file_url": [
    "admin",
    "operator",
    "controller"
  ],
  "create_file_url": [
    "admin",
    "operator",
    "controller"
  ],
  "delete_file": [
    "admin",
    "operator",
    "controller"
  ],
  "checkpoint_slurm_job": [
    "admin",
    "operator",
    "controller"
  ],
  "create_slurm_checkpoint": [
    "admin",
    "operator",
    "controller"
  ],
  "put_slurm_checkpoint_info": [
    "admin",
    "operator",
    "controller"
  ],
  "report_slurm_checkpoint_uploaded": [
    "admin",
    "operator",
    "controller"
  ],
  "deprecate_slurm_checkpoint": [
    "admin",
    "operator"
  ],
  "restore_slurm_job": [
    "admin",
    "operator"
  ],
  "create_pipeline_policy": [
    "admin",
    "operator"
  ],
  "update_pipeline_policy": [
    "admin",
    "operator"
  ],
  "delete_policy": [
    "admin",
    "operator"
  ],
  "sync_job_policies": [
    "admin",
    "operator"
  ],
  "sync_slurm_jobs": [
    "admin",
    "operator",
    "controller"
  ],
  "sync_slurm_clusters": [
    "admin",
    "operator",
    "controller"
  ],
  "sync_slurm_nodes": [
    "admin",
    "operator",
    "controller"
  ],
  "sync_slurm_partitions": [
    "admin",
    "operator",
    "controller"
  ],
  "create_maintenance_window": [
    "admin",
    "operator"
  ],
  "sync_maintenance_windows": [
    "admin",
    "operator",
    "controller"
  ],
  "update_maintenance_window": [
    "admin",
    "operator"
  ],
  "delete_maintenance_window": [
    "admin",
    "operator"
  ],
  "create_profile": [
    "admin",
    "operator"
  ],
  "report_activation": [
    "admin",
    "controller"
  ],
  "put_worker_endpoint": [
    "admin",
    "controller"
  ],
  "set_profile_state": [
    "admin",
    "operator",
    "controller"
  ],
  "register_artifact": [
    "admin",
    "controller"
  ],
  "delete_artifact": [
    "admin",
    "operator"
  ],
  "update_artifact": [
    "admin",
    "operator",
    "controller"
  ],
  "confirm_artifact_removal": [
    "admin",
    "controller"
  ],
  "promote_artifact": [
    "admin",
    "operator"
  ],
  "restart_profile": [
    "admin",
    "operator",
    "controller"
  ],
  "request_profile_checkpoint": [
    "admin",
    "operator",
    "controller"
  ],
  "update_profile_checkpoint": [
    "admin",
    "controller"
  ],
  "record_lifecycle_event": [
    "admin",
    "controller"
  ],
  "record_observation": [
    "admin",
    "controller"
  ],
  "save_retention_policy": [
    "admin",
    "operator"
  ],
  "delete_retention_policy": [
    "admin",
    "operator"
  ],
  "upsert_cost_rate": [
    "admin",
    "operator"
  ],
  "create_experiment": [
    "admin",
    "operator"
  ],
  "complete_experiment": [
    "admin",
    "operator"
  ],
  "create_inference_key": [
    "admin",
    "operator"
  ],
  "update_inference_key": [
    "admin",
    "operator"
  ],
  "revoke_inference_key": [
    "admin",
    "operator"
  ],
  "save_route": [
    "admin",
    "operator"
  ],
  "delete_route": [
    "admin",
    "operator"
  ],
  "authorize_request": [
    "key"
  ],
  "resolve_request": [
    "admin",
    "controller"
  ],
  "get_router_config": [
    "admin",
    "controller"
  ],
  "record_router_telemetry": [
    "admin",
    "controller"
  ],
  "record_router_metrics": [
    "admin",
    "controller"
  ],
  "create_chat_completion": [
    "admin",
    "operator",
    "key"
  ],
  "create_completion": [
    "admin",
    "operator",
    "key"
  ],
  "create_embedding": [
    "admin",
    "operator",
    "key"
  ],
  "create_response": [
    "admin",
    "operator",
    "key"
  ],
  "save_fleet": [
    "admin",
    "operator"
  ],
  "delete_fleet": [
    "admin",
    "operator"
  ],
  "write_metrics": [
    "admin",
    "operator",
    "controller"
  ],
  "export_otlp_metrics": [
    "admin",
    "operator",
    "controller"
  ]
} as const;
