import type { QueryResultRow } from 'pg';
import type { ReportWindow } from '../analytics/report-window.queries';
import type { Slice } from '../../1-platform/common/answers/paging';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { COSTS, costFigures } from './cost-figures.queries';
import { TRAFFIC } from './cost-traffic.queries';

/** Unit prices of a profile, as decimal text; 0 if none was ever saved. */
export interface PriceRow {
  profile_id: string;
  node_hourly_usd: string;
  storage_gb_hour_usd: string;
  transfer_gb_usd: string;
  priced_at: Date | null;
}

/**
 * The usage and costs of a profile in a window. Amounts are decimal text, in US dollars; times are
 * milliseconds.
 */
export interface CostRow extends QueryResultRow, PriceRow {
  activation_count: number;
  tokens: string;
  node_ms: number;
  active_ms: number;
  idle_ms: number;
  starting_ms: number;
  warm_idle_ms: number;
  release_ms: number;
  release_latency_ms: number | null;
  /** The number of starts in the mean. */
  releases: number;
  compute_usd: string;
  storage_usd: string;
  transfer_usd: string;
  fallback_usd: string;
  starting_usd: string;
  warm_idle_usd: string;
  release_usd: string;
  used_usd: string;
}

const BREAKDOWN = statement(
  'cost-breakdown',
  `
  with ${COSTS}
  select profile_id, activation_count, tokens::text, node_ms::float8, active_ms::float8, idle_ms::float8,
    starting::float8 as starting_ms, warm_idle::float8 as warm_idle_ms, release::float8 as release_ms,
    release_latency_ms::float8, releases, compute_usd::text, used_usd::text, starting_usd::text,
    warm_idle_usd::text, release_usd::text, storage_usd::text, transfer_usd::text,
    round(fallback_usd, 12)::text as fallback_usd, node_hourly_usd::text, storage_gb_hour_usd::text,
    transfer_gb_usd::text, priced_at
  from costs order by profile_id`,
);

/**
 * The usage and costs of every profile, or of the requested one.
 * @param page of the profiles, in the order of their ids; all without one
 */
export const costBreakdown = async (tx: Tx, window: ReportWindow, page?: Slice): Promise<CostRow[]> =>
  tx.prepared<CostRow>(BREAKDOWN, await costFigures(tx, window, TRAFFIC, page));
