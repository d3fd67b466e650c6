import { exactNumber } from '../../1-platform/common/json/json';
import { usdNumber } from '../../1-platform/common/money';
import type { Span } from '../analytics/report-window.queries';
import type { CostRow } from './cost-breakdown.queries';
import { idleCostOf, sumUsd, totalOf, usd } from './cost-report';
import type { CostDayView } from './cost-reports.dto';

const DAY_MS = 86_400_000;

/** The days of UTC up to now, the oldest first. The last one is today, and has not ended. */
export function daysUntil(now: Date, days: number): Span[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return Array.from({ length: days }, (_, place) => {
    const from = today - (days - 1 - place) * DAY_MS;
    return { from: new Date(from), to: new Date(Math.min(from + DAY_MS, now.getTime())) };
  });
}

export const dayOf = ({ from, to }: Span, rows: readonly CostRow[]): CostDayView => ({
  from,
  to,
  tokens_served: exactNumber(rows.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n).toString()),
  node_seconds: rows.reduce((sum, { node_ms: ms }) => sum + ms, 0) / 1_000,
  compute_usd: usdNumber(sumUsd(rows, (row) => usd(row.compute_usd))),
  storage_usd: usdNumber(sumUsd(rows, (row) => usd(row.storage_usd))),
  transfer_usd: usdNumber(sumUsd(rows, (row) => usd(row.transfer_usd))),
  total_usd: usdNumber(sumUsd(rows, totalOf)),
  idle_cost: idleCostOf(rows),
});
