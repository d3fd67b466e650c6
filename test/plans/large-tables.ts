import type { Instead } from './many-rows';

/** Tables that grow with what runs. Tests fill them with many rows. */
export const LARGE: readonly string[] = [
  'actions',
  'activation_phases',
  'artifact_stays',
  'artifacts',
  'audit_entries',
  'authorizations',
  'capacity_asks',
  'checkpoint_requests',
  'checkpoints',
  'jobs',
  'ledger_entries',
  'legacy_job_checkpoints',
  'lifecycle_events',
  'metric_pods',
  'metric_samples',
  'metric_series',
  'nodes',
  'observations',
  'operation_facts',
  'operation_stages',
  'outbox_events',
  'pods',
  'queued_workloads',
  'restore_events',
  'restores',
  'router_samples',
  'slurm_jobs',
  'slurm_nodes',
  'starts',
  'usage_records',
  'usage_rollups',
];

/** Everything has ended. */
export const INSTEAD: Instead = {
  actions: { status: "'ready'", ended_at: 'coalesce(s.ended_at, s.created_at)' },
  authorizations: { settled_at: "s.created_at - n * interval '1 second'" },
  checkpoint_requests: { status: "'succeeded'", completed_at: 's.requested_at', error: 'null' },
  checkpoints: { status: "'ready'" },
  // Within the days that have partitions.
  metric_samples: { sampled_at: "s.sampled_at - n * interval '1 millisecond'" },
  operation_facts: {
    result: "'succeeded'",
    completed_at: "coalesce(s.completed_at, s.started_at) - n * interval '1 second'",
    pod_uid: "s.pod_uid || '-' || n",
    pod_ready_at: "coalesce(s.pod_ready_at, s.started_at) - n * interval '1 second'",
  },
  queued_workloads: {
    status: "'applied'",
    taken_at: 's.created_at',
    manifest: 'null',
    forget_at: "s.forget_at + interval '1 day'",
  },
  // One of few kinds, although a part of a unique key.
  restore_events: { kind: 's.kind' },
  restores: { status: "'succeeded'" },
  starts: { ended_at: "s.began_at - n * interval '1 second' + interval '9 seconds'" },
};
