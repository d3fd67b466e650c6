import type { Span } from '../analytics/report-window.queries';
import { invariant } from '../../1-platform/common/invariant';
import { usdNumber, type Usd } from '../../1-platform/common/money';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import type { CostRow, PriceRow } from './cost-breakdown.queries';
import type { CostReportView, IdleCostView, PriceView } from './cost-reports.dto';
import type { CostSums, TrafficRow } from './cost-report.queries';

/** With fewer requests, shares and means mean little. */
const ENOUGH_REQUESTS = 30;

const HOUR_MS = 3_600_000n;

/**
 * A quotient rounded as the statements round: if exactly the baseline ran, both costs are equal, to the last
 * digit.
 */
const rounded = (amount: bigint, by: bigint): bigint => (2n * amount + by) / (2n * by);

/** An amount written by one of the service's statements: a sum may exceed any stored amount. */
export function usd(text: string): Usd {
  const [, whole = '', decimals = ''] = /^(\d+)(?:\.(\d{0,12}))?$/.exec(text) ?? [];
  invariant(whole !== '', `${text} is an amount`);
  return BigInt(whole + decimals.padEnd(12, '0'));
}

export const priceOf = (row: PriceRow): PriceView => ({
  profile_id: row.profile_id,
  node_hourly_usd: Number(row.node_hourly_usd),
  storage_gb_hour_usd: Number(row.storage_gb_hour_usd),
  transfer_gb_usd: Number(row.transfer_gb_usd),
  source: row.priced_at === null ? 'none' : 'configured',
  updated_at: row.priced_at,
});

/** US dollars per million tokens; null without tokens. */
export function perMillionTokens(amount: Usd, tokens: bigint): number | null {
  return tokens === 0n ? null : (usdNumber(amount) * 1_000_000) / Number(tokens);
}

/**
 * The cost of rows of the breakdown, or of their sum. A fallback for another profile is part of its own
 * compute already.
 */
export const totalOf = (row: Pick<CostRow, 'compute_usd' | 'storage_usd' | 'transfer_usd'>): Usd =>
  usd(row.compute_usd) + usd(row.storage_usd) + usd(row.transfer_usd);

export const sumUsd = <R>(rows: readonly R[], of: (row: R) => Usd): Usd =>
  rows.reduce((total, row) => total + of(row), 0n);

type IdleCost = Pick<CostRow, 'starting_usd' | 'warm_idle_usd' | 'release_usd'>;

export const idleCostOf = (rows: readonly IdleCost[]): IdleCostView => ({
  starting_usd: usdNumber(sumUsd(rows, (row) => usd(row.starting_usd))),
  warm_idle_usd: usdNumber(sumUsd(rows, (row) => usd(row.warm_idle_usd))),
  release_usd: usdNumber(sumUsd(rows, (row) => usd(row.release_usd))),
});

/**
 * What ran, compared with a service without control: the dearest target of every route, always active on one
 * replica. savings_pct = savings ÷ baseline × 100 (0 if the baseline is 0).
 */
export function reportOf(hours: number, span: Span, costs: CostSums, traffic: TrafficRow): CostReportView {
  const windowMs = span.to.getTime() - span.from.getTime();
  const heavyIds = new Set(traffic.heavy.map(({ profile_id: id }) => id));
  const baselineUsd = traffic.heavy.reduce(
    (total, { node_hourly_usd: rate }) => total + rounded(usd(rate) * BigInt(windowMs), HOUR_MS),
    0n,
  );
  const treatmentUsd = totalOf(costs);
  const savingsUsd = baselineUsd - treatmentUsd;
  const baselineS = (windowMs * heavyIds.size) / 1_000;
  const nodeS = costs.node_ms / 1_000;
  const tokens = BigInt(traffic.tokens);
  const shareOf = (count: number): number => (traffic.requests === 0 ? 0 : count / traffic.requests);
  return {
    hours,
    baseline: {
      cost_usd: usdNumber(baselineUsd),
      node_seconds: baselineS,
      heavy_activation_count: heavyIds.size,
      heavy_active_duration_s: baselineS,
    },
    treatment: {
      cost_usd: usdNumber(treatmentUsd),
      node_seconds: nodeS,
      heavy_activation_count: costs.heavy_activation_count,
      heavy_active_duration_s: costs.heavy_active_ms / 1_000,
    },
    treatment_idle_time_s: costs.idle_ms / 1_000,
    treatment_idle_cost: idleCostOf([costs]),
    treatment_cost_per_mtok: {
      held_usd: perMillionTokens(usd(costs.compute_usd), tokens),
      used_usd: perMillionTokens(usd(costs.used_usd), tokens),
    },
    treatment_escalation_rate: shareOf(traffic.escalations),
    treatment_quality: {
      requests: traffic.requests,
      refusal_rate: shareOf(traffic.refusals),
      avg_ttft_ms: traffic.avg_ttft_ms,
      ttft_count: traffic.ttft_count,
    },
    savings_usd: usdNumber(savingsUsd),
    savings_pct: baselineUsd === 0n ? 0 : (usdNumber(savingsUsd) / usdNumber(baselineUsd)) * 100,
    node_seconds_saved: baselineS - nodeS,
    treatment_release_latency_ms: costs.release_latency_ms,
    variance: varianceOf(costs, traffic),
    prices: pricesOf(costs, traffic).slice(0, MAX_ROWS),
  };
}

/** Prices of the dearest targets, of whatever the rows cover, and of profiles with prices or activity. */
const pricesOf = (costs: CostSums, { heavy }: TrafficRow): PriceView[] =>
  [...heavy, ...costs.prices].map(priceOf).sort((a, b) => (a.profile_id < b.profile_id ? -1 : 1));

function varianceOf({ priced: isPriced }: CostSums, { requests, heavy }: TrafficRow): string | null {
  const priced = isPriced || heavy.some(({ node_hourly_usd: usd }) => Number(usd) > 0);
  const thin = requests < ENOUGH_REQUESTS;
  const few = `${requests} ${requests === 1 ? 'request is' : 'requests are'} fewer than ${ENOUGH_REQUESTS}: shares and means may be chance`;
  if (!priced) return `No unit prices are saved, so every amount is 0${thin ? `; ${few}` : ''}.`;
  return thin ? `${few.charAt(0).toUpperCase()}${few.slice(1)}.` : null;
}
