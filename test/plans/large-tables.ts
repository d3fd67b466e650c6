import type { Instead } from './many-rows';

/** Tables that grow with what runs. Tests fill them with many rows. */
export const LARGE: readonly string[] = [
  'actions',
  'activation_phases',
  'artifact_stays',
  'artifacts',
  'audit_entries',
  'authorizations',
  'busy_hours',
  'busy_minutes',
  'busy_spans',
  'capacity_asks',
  'checkpoint_requests',
  'checkpoints',
  'grouped_samples',
  'idempotency_keys',
  'jobs',
  'ledger_entries',
  'legacy_job_checkpoints',
  'lifecycle_events',
  'metric_pods',
  'metric_series',
  'nodes',
  'observations',
  'operation_changes',
  'operation_facts',
  'operation_sketches',
  'operation_stages',
  'operation_sums',
  'outbox_events',
  'past_actions',
  'past_starts',
  'pods',
  'queued_workloads',
  'restore_events',
  'restores',
  'retention_runs',
  'router_samples',
  'slurm_jobs',
  'slurm_nodes',
  'starts',
  'usage_records',
  'usage_rollups',
  'warm_waits',
  'worker_changes',
  'worker_sums',
];

/**
 * Rows of tables that only sweeps and later requests fill, for an organisation `$1` that has all other rows:
 * without them there is nothing to copy. Their times are of now, so that no sweep removes them.
 */
export const LATER: readonly string[] = [
  `insert into operation_sums (org_id, measure, step, bucket, series, op_type, workload_type, name, reason, attempts,
     succeeded, failed, fallbacks, amount)
   select $1, 'all', step, date_bin(make_interval(secs => step), now(), 'epoch'), gen_random_uuid(), 'checkpoint',
     'training', '', '', 1, 1, 0, 0, 0
   from unnest(array[900, 3600, 86400, 864000]) step`,
  `insert into operation_sketches (org_id, measure, step, bucket, series, octave, total, places, counts)
   select org_id, measure, step, bucket, series, 20, 1, '{7}', '{1}' from operation_sums where org_id = $1`,
  `insert into worker_sums (org_id, profile_id, step, bucket, starts, ms, starting_ms, release_ms, releases,
     release_latency_ms, oldest)
   select org_id, profile_id, step, date_bin(make_interval(secs => step), now(), 'epoch'), 1, 9, 1, 1, 1, 1, now()
   from (select * from profiles where org_id = $1 limit 1) p, unnest(array[900, 3600, 86400]) step`,
  `insert into warm_waits (org_id, hour, profile_id, queue_ms, requests)
   select org_id, date_trunc('hour', now()), profile_id, 5, 1 from profiles where org_id = $1 limit 1`,
  `insert into retention_runs (org_id, id, ran_at, considered, expired)
   values ($1, gen_random_uuid(), now(), 1, '[]')`,
  `insert into past_starts (org_id, artifact_id, attempts, restores, last_restored_at)
   select org_id, artifact_id, 2, 1, now() from artifacts where org_id = $1 limit 1`,
  `insert into past_actions (org_id, policy_id, asked, ready, failed, last_asked_at)
   select org_id, id, 2, 1, 1, now() from policies where org_id = $1 limit 1`,
];

/** Everything has ended. Only changes wait to be summed, as after a time without sweeps. */
export const INSTEAD: Instead = {
  actions: { status: "'ready'", ended_at: 'coalesce(s.ended_at, s.created_at)' },
  authorizations: { settled_at: "s.created_at - n * interval '1 second'" },
  checkpoint_requests: { status: "'succeeded'", completed_at: 's.requested_at', error: 'null' },
  checkpoints: { status: "'ready'" },
  // Within the days that have partitions.
  grouped_samples: { sampled_at: "s.sampled_at - n * interval '1 millisecond'" },
  // Of few callers and operations, although parts of a unique key.
  idempotency_keys: { actor_id: 's.actor_id', operation: 's.operation' },
  operation_facts: {
    result: "'succeeded'",
    completed_at: "coalesce(s.completed_at, s.started_at) - n * interval '1 second'",
    pod_uid: "s.pod_uid || '-' || n",
    pod_ready_at: "coalesce(s.pod_ready_at, s.started_at) - n * interval '1 second'",
  },
  // Of the measures and lengths that there are, although parts of a unique key.
  operation_sketches: { measure: 's.measure', step: 's.step', octave: 's.octave' },
  operation_sums: { measure: 's.measure', step: 's.step' },
  queued_workloads: {
    status: "'applied'",
    taken_at: 's.created_at',
    // Some are kept for a while.
    manifest: 'case when n % 2 = 0 then s.manifest end',
    forget_at: "s.forget_at + interval '1 day'",
  },
  // One of few kinds, although a part of a unique key.
  restore_events: { kind: 's.kind' },
  restores: { status: "'succeeded'" },
  starts: { ended_at: "s.began_at - n * interval '1 second' + interval '9 seconds'" },
  worker_sums: { step: 's.step' },
};
