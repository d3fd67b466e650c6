import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';
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
