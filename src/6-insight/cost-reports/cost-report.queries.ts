import type { QueryResultRow } from 'pg';
import type { ReportWindow } from '../analytics/report-window.queries';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { invariant } from '../../1-platform/common/invariant';
import { statement, type Statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PriceRow } from './cost-breakdown.queries';
import { COSTS, costFigures } from './cost-figures.queries';
import { BUSY } from './cost-traffic.queries';
import { ENABLED_TARGETS } from '../../5-traffic/routes/enabled-targets.queries';
import { OF_PROFILE, usageSums, usageValues } from '../../5-traffic/usage/usage-window.queries';

/** The most expensive enabled target of each route; the first of equals. */
const HEAVY = `
  select distinct on (t.logical_model) t.logical_model, t.profile_id,
    coalesce(c.node_hourly_usd, 0)::text as node_hourly_usd,
    coalesce(c.storage_gb_hour_usd, 0)::text as storage_gb_hour_usd,
    coalesce(c.transfer_gb_usd, 0)::text as transfer_gb_usd, c.updated_at as priced_at
  from ${ENABLED_TARGETS} t
  left join cost_rates c on c.org_id = $org_id and c.profile_id = t.profile_id
  order by t.logical_model, c.node_hourly_usd desc nulls last, t.priority, t.position`;

interface TrafficSums {
  requests: number;
  tokens: string;
  escalations: number;
  refusals: number;
  avg_ttft_ms: number | null;
  ttft_count: number;
}

export interface TrafficRow extends TrafficSums {
  /** The most expensive targets, once each: of all routes, or of those that target the profile. */
  heavy: PriceRow[];
}

/** As JSON represents it. */
type ReadPrice = Omit<PriceRow, 'priced_at'> & { priced_at: string | null };

type ReadRow = QueryResultRow & TrafficSums & { heavy: ReadPrice[] };

/*
 * requests, refusals                                               [requests]
 *   a refusal has a status of 4xx or 5xx, except 499 (the client left)
 * escalations = those that the most expensive target of their route served [requests]
 * tokens = Σ prompt and completion tokens that known profiles served [tokens]
 * ttft_count = those that report a ttft_ms                         [requests]
 * avg_ttft_ms = Σ ttft_ms ÷ ttft_count                              [ms]
 */
const SUMS = usageSums({
  where: OF_PROFILE,
  sums: {
    requests: 'requests',
    tokens: `case when profile_id in (select profile_id from existing)
      then prompt_tokens + completion_tokens end`,
    escalations: `case when (logical_model, profile_id) in (select logical_model, profile_id from heavy)
      then requests end`,
    refusals: 'refusals',
    ttft_count: 'ttft_count',
    ttft_ms: 'ttft_ms',
  },
});

const totalsIn = (source: keyof typeof SUMS): string => `
  with heavy as materialized (${HEAVY}), existing as materialized (
    select profile_id from profiles where org_id = $org_id
  )
  select coalesce(requests, 0)::bigint as requests, coalesce(refusals, 0)::bigint as refusals,
    coalesce(tokens, 0)::text as tokens,
    coalesce(escalations, 0)::bigint as escalations, (ttft_ms / nullif(ttft_count, 0))::float8 as avg_ttft_ms,
    coalesce(ttft_count, 0)::bigint as ttft_count,
    (select coalesce(json_agg(distinct to_jsonb(heavy) - 'logical_model'), '[]') from heavy
      where $compared_profile_id::text is null or exists (
        select from ${ENABLED_TARGETS} o
        where o.logical_model = heavy.logical_model and o.profile_id = $compared_profile_id
      )) as heavy
  from (${SUMS[source]}) sums`;

const TOTALS: Record<keyof typeof SUMS, Statement> = {
  all: statement('cost-report-traffic', totalsIn('all')),
  ofExperiment: statement('cost-report-traffic-of-experiment', totalsIn('ofExperiment')),
};

export async function trafficOf(tx: Tx, window: ReportWindow): Promise<TrafficRow> {
  const { source, values } = usageValues(tx.orgId, window);
  const [row] = await tx.prepared<ReadRow>(TOTALS[source], {
    ...values,
    // An experiment with a profile is compared with a baseline of that profile's routes.
    compared_profile_id: window.profileId ?? window.run.profileId,
  });
  invariant(row, 'an aggregate is a row');
  const { heavy, ...sums } = row;
  return { ...sums, heavy: pricesIn(heavy) };
}

const pricesIn = (prices: readonly ReadPrice[]): PriceRow[] =>
  prices.map(({ priced_at: at, ...price }) => ({ ...price, priced_at: at === null ? null : new Date(at) }));

/** Sums over the rows of the breakdown. Amounts are decimal text, in US dollars; times are milliseconds. */
interface ShownSums {
  node_ms: number;
  idle_ms: number;
  compute_usd: string;
  storage_usd: string;
  transfer_usd: string;
  used_usd: string;
  starting_usd: string;
  warm_idle_usd: string;
  release_usd: string;
  /** Over the most expensive targets only. */
  heavy_activation_count: number;
  heavy_active_ms: number;
  /** The mean over all releases; null without any. */
  release_latency_ms: number | null;
  /** Whether any profile has saved prices. */
  priced: boolean;
}

export interface CostSums extends ShownSums {
  /** Of the other profiles with prices or workers: the first ones, by id. */
  prices: PriceRow[];
}

const AMOUNTS = [
  'compute_usd',
  'storage_usd',
  'transfer_usd',
  'used_usd',
  'starting_usd',
  'warm_idle_usd',
  'release_usd',
] as const;

/** The rows of the breakdown are summed here: thousands of them take longer to read than to sum. */
const COST_SUMS = statement(
  'cost-report-sums',
  `
  with ${COSTS}, shown as materialized (
    select *, profile_id in (select unnest($heavy_ids::text[])) as heavy from costs
  )
  select coalesce(sum(node_ms), 0)::float8 as node_ms, coalesce(sum(idle_ms), 0)::float8 as idle_ms,
    ${AMOUNTS.map((amount) => `coalesce(sum(${amount}), 0)::text as ${amount}`).join(', ')},
    coalesce(sum(activation_count) filter (where heavy), 0)::bigint as heavy_activation_count,
    coalesce(sum(active_ms) filter (where heavy), 0)::float8 as heavy_active_ms,
    (sum(release_latency_ms * releases) / nullif(sum(releases), 0))::float8 as release_latency_ms,
    coalesce(bool_or(priced_at is not null), false) as priced,
    (
      select coalesce(json_agg(prices), '[]') from (
        select profile_id, node_hourly_usd::text, storage_gb_hour_usd::text, transfer_gb_usd::text, priced_at
        from shown where not heavy and (priced_at is not null or node_ms > 0)
        order by profile_id collate "C" limit ${MAX_ROWS}
      ) prices
    ) as prices
  from shown`,
);

/** @param heavy the most expensive targets */
export async function costSums(tx: Tx, window: ReportWindow, heavy: readonly PriceRow[]): Promise<CostSums> {
  const [row] = await tx.prepared<QueryResultRow & ShownSums & { prices: ReadPrice[] }>(COST_SUMS, {
    ...(await costFigures(tx, window, BUSY)),
    heavy_ids: heavy.map(({ profile_id: id }) => id),
  });
  invariant(row, 'an aggregate is a row');
  return { ...row, prices: pricesIn(row.prices) };
}
