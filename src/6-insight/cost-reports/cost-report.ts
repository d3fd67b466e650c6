import type { Span } from '../analytics/report-window.queries';
import { invariant } from '../../1-platform/common/invariant';
import { usdNumber, type Usd } from '../../1-platform/common/money';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import type { CostRow, PriceRow } from './cost-breakdown.queries';
import type { CostReportView, IdleCostView, PriceView } from './cost-reports.dto';
import type { TrafficRow } from './cost-report.queries';

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

/** The cost of the breakdown's rows. A fallback for another profile is part of its own compute already. */
export const totalOf = (row: CostRow): Usd => usd(row.compute_usd) + usd(row.storage_usd) + usd(row.transfer_usd);

export const sumUsd = (rows: readonly CostRow[], of: (row: CostRow) => Usd): Usd =>
  rows.reduce((total, row) => total + of(row), 0n);

export const idleCostOf = (rows: readonly CostRow[]): IdleCostView => ({
  starting_usd: usdNumber(sumUsd(rows, (row) => usd(row.starting_usd))),
  warm_idle_usd: usdNumber(sumUsd(rows, (row) => usd(row.warm_idle_usd))),
  release_usd: usdNumber(sumUsd(rows, (row) => usd(row.release_usd))),
});

/**
 * What ran, compared with a service without control: the dearest target of every route, always active on one
 * replica. savings_pct = savings ÷ baseline × 100 (0 if the baseline is 0).
 */
export function reportOf(hours: number, span: Span, rows: readonly CostRow[], traffic: TrafficRow): CostReportView {
  const sum = (of: (row: CostRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const windowMs = span.to.getTime() - span.from.getTime();
  const heavyIds = new Set(traffic.heavy.map(({ profile_id: id }) => id));
  const heavy = rows.filter(({ profile_id: id }) => heavyIds.has(id));
  const baselineUsd = traffic.heavy.reduce(
    (total, { node_hourly_usd: rate }) => total + rounded(usd(rate) * BigInt(windowMs), HOUR_MS),
    0n,
  );
  const treatmentUsd = sumUsd(rows, totalOf);
  const savingsUsd = baselineUsd - treatmentUsd;
  const baselineS = (windowMs * heavyIds.size) / 1_000;
  const nodeS = sum((row) => row.node_ms) / 1_000;
  const tokens = rows.reduce((total, row) => total + BigInt(row.tokens), 0n);
  const released = rows.filter((row) => row.releases > 0);
  const releases = sum((row) => row.releases);
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
      heavy_activation_count: heavy.reduce((total, row) => total + row.activation_count, 0),
      heavy_active_duration_s: heavy.reduce((total, row) => total + row.active_ms, 0) / 1_000,
    },
    treatment_idle_time_s: sum((row) => row.idle_ms) / 1_000,
    treatment_idle_cost: idleCostOf(rows),
    treatment_cost_per_mtok: {
      held_usd: perMillionTokens(
        sumUsd(rows, (row) => usd(row.compute_usd)),
        tokens,
      ),
      used_usd: perMillionTokens(
        sumUsd(rows, (row) => usd(row.used_usd)),
        tokens,
      ),
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
    treatment_release_latency_ms:
      releases === 0
        ? null
        : released.reduce((total, row) => total + (row.release_latency_ms ?? 0) * row.releases, 0) / releases,
    variance: varianceOf(traffic.requests, rows, traffic),
    prices: pricesOf(rows, traffic).slice(0, MAX_ROWS),
  };
}

/** Prices of the dearest targets, of whatever the rows cover, and of profiles with prices or activity. */
function pricesOf(rows: readonly CostRow[], { heavy }: TrafficRow): PriceView[] {
  const named = new Set(heavy.map(({ profile_id: id }) => id));
  const others = rows.filter((row) => !named.has(row.profile_id) && (row.priced_at !== null || row.node_ms > 0));
  return [...heavy, ...others].map(priceOf).sort((a, b) => (a.profile_id < b.profile_id ? -1 : 1));
}

function varianceOf(requests: number, rows: readonly CostRow[], { heavy }: TrafficRow): string | null {
  const priced =
    rows.some(({ priced_at: at }) => at !== null) || heavy.some(({ node_hourly_usd: usd }) => Number(usd) > 0);
  const thin = requests < ENOUGH_REQUESTS;
  const few = `${requests} ${requests === 1 ? 'request is' : 'requests are'} fewer than ${ENOUGH_REQUESTS}: shares and means may be chance`;
  if (!priced) return `No unit prices are saved, so every amount is 0${thin ? `; ${few}` : ''}.`;
  return thin ? `${few.charAt(0).toUpperCase()}${few.slice(1)}.` : null;
}
