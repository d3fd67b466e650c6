import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { PRICES_BY_TYPE } from '../instance-prices/instance-prices.queries';

// The instance type's price for the node: a spot node has the spot price; every other node, including one of
// unknown type, has the on-demand price. It is the present price: prices have no history.
const PRICED = `
  pod_savings s left join (${PRICES_BY_TYPE}) p on p.instance_type = s.instance_type
  cross join lateral (
    select case
      when s.capacity_type = 'spot' then p.spot_price_per_hour
      else p.ondemand_price_per_hour
    end as hourly
  ) node
  cross join lateral (
    select
      -- [time_protected_seconds] From the first checkpoint to the last.
      round(extract(epoch from s.last_checkpoint - s.first_checkpoint) * 1000)::bigint as protected_ms,
      -- [estimated_savings] (time_protected - max_recovery_point) hours x hourly price; null without a price.
      -- The time protected is the sum of all intervals, so it is at least the longest of them: savings are
      -- never below 0.
      round((extract(epoch from s.last_checkpoint - s.first_checkpoint) * 1000
        - coalesce(s.max_interval_ms, 0)) * node.hourly / 3600000, 12) as savings
  ) figures`;

/** Figures of one pod; amounts and integers beyond a double as decimals. */
export interface PodSavingsRow {
  pod_name: string;
  namespace: string;
  cluster_id: string;
  node_name: string;
  node_region: string | null;
  instance_type: string | null;
  capacity_type: string | null;
  gpu: string | null;
  platform: string;
  first_checkpoint: Date;
  last_checkpoint: Date;
  checkpoint_count: number;
  heartbeat_checkpoints: number;
  manual_checkpoints: number;
  other_checkpoints: number;
  duration_ns: string;
  size_bytes: string;
  avg_interval_seconds: number | null;
  min_interval_seconds: number | null;
  max_interval_seconds: number | null;
  protected_seconds: number;
  efficiency: number | null;
  savings: number | null;
  ondemand_price_per_hour: number | null;
  spot_price_per_hour: number | null;
  refreshed_at: Date;
}

const LIST = `
  select s.pod_name, s.namespace, s.cluster_id, s.node_name, s.node_region, s.instance_type, s.capacity_type,
    s.gpu, s.platform, s.first_checkpoint, s.last_checkpoint, s.checkpoint_count, s.heartbeat_checkpoints,
    s.manual_checkpoints,
    -- [other_checkpoints] Neither heartbeat nor manual: of maintenance windows, preemptions and the like.
    s.checkpoint_count - s.heartbeat_checkpoints - s.manual_checkpoints as other_checkpoints,
    s.duration_ns::text as duration_ns, s.size_bytes::text as size_bytes,
    -- [avg_interval_seconds] time_protected / (checkpoints - 1).
    (protected_ms / 1000.0 / nullif(s.checkpoint_count - 1, 0))::float8 as avg_interval_seconds,
    -- [min_interval_seconds, max_recovery_point_seconds] The shortest and the longest interval between two
    -- consecutive checkpoints.
    (s.min_interval_ms / 1000.0)::float8 as min_interval_seconds,
    (s.max_interval_ms / 1000.0)::float8 as max_interval_seconds,
    (protected_ms / 1000.0)::float8 as protected_seconds,
    -- [protection_efficiency_ratio] time_protected / overhead, which is the sum of durations.
    (protected_ms * 1000000.0 / nullif(s.duration_ns, 0))::float8 as efficiency,
    savings::float8 as savings, p.ondemand_price_per_hour::float8 as ondemand_price_per_hour,
    p.spot_price_per_hour::float8 as spot_price_per_hour, r.refreshed_at
  from ${PRICED} join savings_refreshes r on r.org_id = s.org_id
  where s.org_id = $org_id order by s.last_checkpoint desc, s.cluster_id,
  s.workload limit $limit offset $offset`;

/** Those with the newest checkpoints first. */
export const listSavings = async (tx: Tx, slice: Slice): Promise<Page<PodSavingsRow>> =>
  Page.of(
    await tx.query<PodSavingsRow & QueryResultRow>(LIST, {
      org_id: tx.orgId,
      ...rowsOf(slice),
    }),
    slice,
  );

/** Figures of an organisation. */
export interface SavingsSummaryRow {
  refreshed_at: Date | null;
  pods: number;
  checkpoints: string;
  heartbeats: string;
  manual: string;
  other: string;
  duration_ns: string;
  size_bytes: string;
  avg_interval_seconds: number | null;
  savings: number;
  protected_seconds: number;
  worst_interval_seconds: number | null;
}

// Means and extremes without rows are null, sums without rows are 0.
const SUMMARY = `
  select (select refreshed_at from savings_refreshes where org_id = $org_id) as refreshed_at,
    -- [pods_protected] Pods with at least one checkpoint, whether or not they still run.
    count(*) as pods,
    coalesce(sum(s.checkpoint_count), 0)::text as checkpoints,
    coalesce(sum(s.heartbeat_checkpoints), 0)::text as heartbeats,
    coalesce(sum(s.manual_checkpoints), 0)::text as manual,
    coalesce(sum(s.checkpoint_count - s.heartbeat_checkpoints - s.manual_checkpoints), 0)::text as other,
    -- [total_checkpoint_overhead_ns, total_checkpoint_storage_bytes] Sums over pods.
    coalesce(sum(s.duration_ns), 0)::text as duration_ns, coalesce(sum(s.size_bytes), 0)::text as size_bytes,
    -- [avg_checkpoint_interval_seconds] Over all intervals of all pods:
    -- time_protected / (checkpoints - pods).
    (sum(protected_ms) / 1000 / nullif(sum(s.checkpoint_count - 1), 0))::float8 as avg_interval_seconds,
    -- [total_estimated_savings] Over the pods whose price is known.
    coalesce(sum(savings), 0)::float8 as savings,
    (coalesce(sum(protected_ms), 0) / 1000)::float8 as protected_seconds,
    -- [worst_case_recovery_point_seconds] The longest interval of any pod.
    (max(s.max_interval_ms) / 1000.0)::float8 as worst_interval_seconds
  from ${PRICED} where s.org_id = $org_id`;

export async function summariseSavings(tx: Tx): Promise<SavingsSummaryRow> {
  const [row] = await tx.query<SavingsSummaryRow & QueryResultRow>(SUMMARY, { org_id: tx.orgId });
  invariant(row, 'an aggregate has a row');
  return row;
}

/** Figures of an organisation at one hourly rate. */
export interface SavingsEstimateRow {
  pods: number;
  checkpoints: string;
  protected_seconds: number;
  worst_interval_seconds: number;
  max_savings: number;
  overhead_cost: number;
  net_savings: number;
}

const ESTIMATE = `
  select pods, checkpoints, (protected_ms / 1000)::float8 as protected_seconds,
    (worst_ms / 1000)::float8 as worst_interval_seconds, round(max_savings, 12)::float8 as max_savings,
    round(overhead_cost, 12)::float8 as overhead_cost,
    -- [net_potential_savings] max_savings_per_failure - checkpoint_overhead_cost: below 0 if checkpoints took
    -- more than they protect.
    round(max_savings - overhead_cost, 12)::float8 as net_savings
  from (
    select count(*) as pods, coalesce(sum(checkpoint_count), 0)::text as checkpoints,
      -- [time_protected_seconds] Of all pods. [max_recovery_point_seconds] The longest interval of any.
      coalesce(sum(round(extract(epoch from last_checkpoint - first_checkpoint) * 1000)), 0) as protected_ms,
      coalesce(max(max_interval_ms), 0)::numeric as worst_ms, coalesce(sum(duration_ns), 0) as duration_ns
    from pod_savings where org_id = $org_id
  ) of_all cross join lateral (
    -- [max_savings_per_failure] (time_protected - max_recovery_point) x hourly_rate / 3600.
    -- [checkpoint_overhead_cost] Sum of durations x hourly_rate / 3600.
    select (protected_ms - worst_ms) * $hourly_rate::numeric / 3600000 as max_savings,
      duration_ns * $hourly_rate::numeric / 3600000000000 as overhead_cost
  ) costs`;

export async function estimateSavings(tx: Tx, hourlyRate: number): Promise<SavingsEstimateRow> {
  const [row] = await tx.query<SavingsEstimateRow & QueryResultRow>(ESTIMATE, {
    org_id: tx.orgId,
    hourly_rate: hourlyRate,
  });
  invariant(row, 'an aggregate has a row');
  return row;
}
