import type { QueryResultRow } from 'pg';
import type { Values } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { recordedSince } from '../../../3-checkpointing/operations/operations.queries';
import { DURATION_BOUNDS_NS, SIZE_BOUNDS_BYTES } from '../../../3-checkpointing/operations/totals/buckets';
import type { OperationType } from '../../../3-checkpointing/operations/operation.states';
import { MAX_BUCKETS, MAX_GROUPS } from './operations-summary.dto';

/** The parts of a summary, as rows. */
export interface SummaryRows {
  readonly totals: readonly TotalsRow[];
  readonly stages: readonly StageRow[];
  readonly tiers: readonly TierRow[];
  readonly failures: readonly FailureRow[];
  readonly timeline: readonly TimelineRow[];
}

/** Facts of the window: those that started in it, limited to a kind of workload and operation on request. */
export interface SummaryWindow {
  readonly seconds: number;
  readonly workload: string | undefined;
  readonly operation: string | undefined;
}

// The time of the transaction, so that every statement sees the same window and can use the index.
const BEGAN = 'now() - make_interval(secs => $seconds)';
const FACTS = `
  operation_facts f
  where f.org_id = $org_id and f.started_at > ${BEGAN}
    and ($workload::text is null or f.workload_type = $workload)
    and ($operation::text is null or f.op_type = $operation)`;
export const valuesOf = (tx: Tx, { seconds, workload, operation }: SummaryWindow): Values => ({
  org_id: tx.orgId,
  seconds,
  workload: workload ?? null,
  operation: operation ?? null,
});

export const SUCCEEDED = "f.result = 'succeeded'";
const COUNTS = `
  count(*) as attempts, count(*) filter (where ${SUCCEEDED}) as succeeded,
  count(*) filter (where f.result = 'failed') as failed,
  count(*) filter (where f.result = 'fallback') as fallbacks`;

/** Nearest rank: the smallest value that at least this share of all values does not exceed. */
const rank = (share: number, value: string, condition: string) =>
  `percentile_disc(${share}) within group (order by ${value}) filter (where ${condition})`;

/** Counts up to each bound, and all of them last. */
const buckets = (bounds: readonly number[], value: string, condition: string) => {
  const upTo = bounds.map((bound) => `count(*) filter (where ${condition} and ${value} <= ${bound})`);
  return `array[${[...upTo, `count(*) filter (where ${condition})`].join(', ')}]`;
};

export const TIMED = `${SUCCEEDED} and f.duration_ns > 0`;
export const PAUSED = `${SUCCEEDED} and f.pause_ns > 0`;
export const SERVING = 'f.pod_ready_at is not null and f.pod_scheduled_at is not null';
// The clocks of other machines set both times. So the result is never below 0, and never more than a number
// holds.
export const TO_READY_NS = `least(
    greatest(extract(epoch from f.pod_ready_at - f.pod_scheduled_at) * 1e9, 0), ${Number.MAX_SAFE_INTEGER}
  )::bigint`;

export interface TotalsRow {
  operation: OperationType;
  attempts: number;
  succeeded: number;
  failed: number;
  fallbacks: number;
  bytes_total: string;
  p50_ns: number | null;
  p95_ns: number | null;
  pause_p50_ns: number | null;
  pause_p95_ns: number | null;
  to_ready_count: number;
  to_ready_p50_ns: number | null;
  to_ready_p95_ns: number | null;
  /** Cumulative; the database's format for an array of bigint is texts. */
  duration_counts: (string | number)[];
  size_counts: (string | number)[];
}

const TOTALS = `
  select f.op_type as operation, ${COUNTS},
    coalesce(sum(f.physical_bytes) filter (where ${SUCCEEDED}), 0)::text as bytes_total,
    ${rank(0.5, 'f.duration_ns', TIMED)} as p50_ns, ${rank(0.95, 'f.duration_ns', TIMED)} as p95_ns,
    ${rank(0.5, 'f.pause_ns', PAUSED)} as pause_p50_ns, ${rank(0.95, 'f.pause_ns', PAUSED)} as pause_p95_ns,
    count(*) filter (where ${SERVING}) as to_ready_count,
    ${rank(0.5, TO_READY_NS, SERVING)} as to_ready_p50_ns,
    ${rank(0.95, TO_READY_NS, SERVING)} as to_ready_p95_ns,
    ${buckets(DURATION_BOUNDS_NS, 'f.duration_ns', TIMED)} as duration_counts,
    ${buckets(SIZE_BOUNDS_BYTES, 'f.physical_bytes', `${SUCCEEDED} and f.physical_bytes > 0`)} as size_counts
  from ${FACTS} group by 1 order by 1`;

const totals = (tx: Tx, window: SummaryWindow): Promise<TotalsRow[]> =>
  tx.query<TotalsRow & QueryResultRow>(TOTALS, valuesOf(tx, window));

export interface StageRow {
  operation: OperationType;
  stage: string;
  count: number;
  p50_ns: number;
  p95_ns: number;
  total_ns: string;
}

const STAGES = `
  select f.op_type as operation, s.stage, count(*) as count,
    percentile_disc(0.5) within group (order by s.duration_ns) as p50_ns,
    percentile_disc(0.95) within group (order by s.duration_ns) as p95_ns,
    sum(s.duration_ns)::text as total_ns
  from operation_stages s cross join ${FACTS}
    and s.org_id = f.org_id and s.operation_id = f.operation_id and ${recordedSince(BEGAN)} and ${SUCCEEDED}
  group by 1, 2 order by 1, sum(s.duration_ns) desc, 2 limit ${MAX_GROUPS}`;

const stages = (tx: Tx, window: SummaryWindow): Promise<StageRow[]> =>
  tx.query<StageRow & QueryResultRow>(STAGES, valuesOf(tx, window));

export interface TierRow {
  operation: OperationType;
  storage_tier: string;
  attempts: number;
  succeeded: number;
  bytes_total: string;
  p50_ns: number | null;
}

const TIERS = `
  select f.op_type as operation, f.storage_tier, count(*) as attempts,
    count(*) filter (where ${SUCCEEDED}) as succeeded,
    coalesce(sum(f.physical_bytes) filter (where ${SUCCEEDED}), 0)::text as bytes_total,
    ${rank(0.5, 'f.duration_ns', TIMED)} as p50_ns
  from ${FACTS} group by 1, 2 order by 1, count(*) desc, 2 limit ${MAX_GROUPS}`;

const tiers = (tx: Tx, window: SummaryWindow): Promise<TierRow[]> =>
  tx.query<TierRow & QueryResultRow>(TIERS, valuesOf(tx, window));

export interface FailureRow {
  operation: OperationType;
  stage: string;
  reason: string;
  count: number;
}

const FAILURES = `
  select f.op_type as operation, f.failure_stage_label as stage, f.failure_reason_label as reason,
    count(*) as count
  from ${FACTS} and f.result = 'failed' group by 1, 2, 3 order by count(*) desc, 1, 2, 3 limit ${MAX_GROUPS}`;

const failures = (tx: Tx, window: SummaryWindow): Promise<FailureRow[]> =>
  tx.query<FailureRow & QueryResultRow>(FAILURES, valuesOf(tx, window));

export interface TimelineRow {
  bucket_ms: number;
  operation: OperationType;
  succeeded: number;
  failed: number;
  fallbacks: number;
}

// Buckets are aligned to the epoch, so that they do not move as time passes. The window may then begin within
// one bucket too many: attempts in it count with the next bucket. Attempts that began later than now, by a
// clock that is ahead, count with the last one.
const NOW = 'floor(extract(epoch from now()) / $step_seconds)';
export const bucketMs = (at: string): string => `(
      least(greatest(floor(extract(epoch from ${at}) / $step_seconds), ${NOW} - ${MAX_BUCKETS - 1}), ${NOW})
        * $step_seconds * 1000
    )::bigint`;
const TIMELINE = `
  select ${bucketMs('f.started_at')} as bucket_ms,
    f.op_type as operation, count(*) filter (where ${SUCCEEDED}) as succeeded,
    count(*) filter (where f.result = 'failed') as failed,
    count(*) filter (where f.result = 'fallback') as fallbacks
  from ${FACTS} and f.result <> 'running' group by 1, 2 order by 1, 2`;

export const timeline = (tx: Tx, window: SummaryWindow, stepSeconds: number): Promise<TimelineRow[]> =>
  tx.query<TimelineRow & QueryResultRow>(TIMELINE, { ...valuesOf(tx, window), step_seconds: stepSeconds });

/** The summary of the facts themselves: exact, in a time that grows with them. */
export const rowsOfFacts = async (tx: Tx, window: SummaryWindow, stepSeconds: number): Promise<SummaryRows> => ({
  totals: await totals(tx, window),
  stages: await stages(tx, window),
  tiers: await tiers(tx, window),
  failures: await failures(tx, window),
  timeline: await timeline(tx, window, stepSeconds),
});
