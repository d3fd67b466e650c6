import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { MAX_CONSUMERS } from '../../1-platform/outbox/outbox.queries';
import type { OperationType } from '../../3-checkpointing/operations/operation.states';

const TOTALS = `
  select op_type as operation, succeeded, failed, fallbacks, duration_sum_ns, duration_buckets,
    size_sum_bytes,
    size_buckets
  from operation_totals where org_id = $org_id`;

export interface AttemptTotals extends QueryResultRow {
  operation: OperationType;
  succeeded: number;
  failed: number;
  fallbacks: number;
  duration_sum_ns: string;
  duration_buckets: string[];
  size_sum_bytes: string;
  size_buckets: string[];
}

export const attemptTotals = (tx: Tx): Promise<AttemptTotals[]> =>
  tx.query<AttemptTotals>(TOTALS, { org_id: tx.orgId });

const STAGES = `
  select op_type as operation, stage, count, sum_ns from operation_stage_totals
  where org_id = $org_id order by op_type, stage`;

export interface StageTotals extends QueryResultRow {
  operation: OperationType;
  stage: string;
  count: number;
  sum_ns: string;
}

export const stageTotals = (tx: Tx): Promise<StageTotals[]> => tx.query<StageTotals>(STAGES, { org_id: tx.orgId });

const FAILURES = `
  select op_type as operation, stage, reason, count from operation_failure_totals
  where org_id = $org_id order by op_type, stage, reason`;

export interface FailureTotals extends QueryResultRow {
  operation: OperationType;
  stage: string;
  reason: string;
  count: number;
}

export const failureTotals = (tx: Tx): Promise<FailureTotals[]> =>
  tx.query<FailureTotals>(FAILURES, { org_id: tx.orgId });

const RUNNING = `
  select op_type as operation, count(*) as count from operation_facts
  where org_id = $org_id and result = 'running' group by op_type`;

export interface RunningAttempts extends QueryResultRow {
  operation: OperationType;
  count: number;
}

export const runningAttempts = (tx: Tx): Promise<RunningAttempts[]> =>
  tx.query<RunningAttempts>(RUNNING, { org_id: tx.orgId });

// Keys are revoked and never removed, and both amounts only grow.
const COSTS = `
  select coalesce(sum(spent_usd + overrun_usd), 0)::float8 as charged_usd,
    coalesce(sum(reserved_usd), 0)::float8 as reserved_usd
  from inference_keys where org_id = $org_id`;

export interface TrafficCosts extends QueryResultRow {
  /** What settled requests cost; in US dollars. */
  charged_usd: number;
  /** For requests in flight; in US dollars. */
  reserved_usd: number;
}

export async function trafficCosts(tx: Tx): Promise<TrafficCosts> {
  const [row] = await tx.query<TrafficCosts>(COSTS, { org_id: tx.orgId });
  invariant(row, 'an aggregate is a row');
  return row;
}

/** Series of clusters that one organisation may have, by their names. */
const MAX_CLUSTERS = 1_000;

// One that never reported is not set up yet: nobody misses its reports.
const CLUSTERS = `
  select id, name, extract(epoch from last_sync)::float8 as reported_at from clusters
  where org_id = $org_id and last_sync is not null order by name limit $limit`;

export interface ReportingCluster extends QueryResultRow {
  id: string;
  name: string;
  /** Seconds since 1970. */
  reported_at: number;
}

export const reportingClusters = (tx: Tx): Promise<ReportingCluster[]> =>
  tx.query<ReportingCluster>(CLUSTERS, { org_id: tx.orgId, limit: MAX_CLUSTERS });

// Those for which events are kept. Of what was committed in the last seconds, events may have no number yet.
const CONSUMERS = `
  select c.id, greatest(0, coalesce(h.head, 0) - c.acked) as lag,
    extract(epoch from c.seen_at)::float8 as seen_at
  from outbox_consumers c left join outbox_heads h using (org_id)
  where c.org_id = $org_id and c.seen_at > statement_timestamp() - interval '1 day'
  order by c.id limit $limit`;

export interface RecentConsumer extends QueryResultRow {
  id: string;
  /** Events that it has not acknowledged. */
  lag: number;
  /** Seconds since 1970. */
  seen_at: number;
}

export const recentConsumers = (tx: Tx): Promise<RecentConsumer[]> =>
  tx.query<RecentConsumer>(CONSUMERS, { org_id: tx.orgId, limit: MAX_CONSUMERS });

// By the index of what is due: it has few rows, of all organisations.
const LATE_POLICIES = `
  select count(*) as late,
    coalesce(max(extract(epoch from statement_timestamp() - next_at)), 0)::float8 as seconds
  from policies
  where org_id = $org_id and status = 'active' and next_at < statement_timestamp() - interval '1 minute'`;

export interface LatePolicies extends QueryResultRow {
  /** Policies whose beat is more than a minute late. */
  late: number;
  /** By how much the latest of them is; 0 without one. */
  seconds: number;
}

export async function latePolicies(tx: Tx): Promise<LatePolicies> {
  const [row] = await tx.query<LatePolicies>(LATE_POLICIES, { org_id: tx.orgId });
  invariant(row, 'an aggregate is a row');
  return row;
}
