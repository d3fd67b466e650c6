import type { QueryResultRow } from 'pg';
import type { ReportWindow } from '../analytics/report-window.queries';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PriceRow } from './cost-breakdown.queries';
import { usageSums, usageSumValues } from '../../5-traffic/usage/usage-window.queries';

/** The most expensive target of each route; the first of equals. */
const HEAVY = `
  select distinct on (t.logical_model) t.logical_model, t.profile_id,
    coalesce(c.node_hourly_usd, 0)::text as node_hourly_usd,
    coalesce(c.storage_gb_hour_usd, 0)::text as storage_gb_hour_usd,
    coalesce(c.transfer_gb_usd, 0)::text as transfer_gb_usd, c.updated_at as priced_at
  from route_targets t left join cost_rates c on c.org_id = $org_id and c.profile_id = t.profile_id
  where t.org_id = $org_id
  order by t.logical_model, c.node_hourly_usd desc nulls last, t.priority, t.position`;

interface TrafficSums {
  requests: number;
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
 * ttft_count = those that report a ttft_ms                         [requests]
 * avg_ttft_ms = Σ ttft_ms ÷ ttft_count                              [ms]
 */
const SUMS = usageSums({
  where: '($shown_profile_id::text is null or profile_id = $shown_profile_id)',
  sums: {
    requests: 'requests',
    escalations: `case when (logical_model, profile_id) in (select logical_model, profile_id from heavy)
      then requests end`,
    refusals: 'refusals',
    ttft_count: 'ttft_count',
    ttft_ms: 'ttft_ms',
  },
});

const totalsIn = (source: keyof typeof SUMS): string => `
  with heavy as materialized (${HEAVY})
  select coalesce(requests, 0)::bigint as requests, coalesce(refusals, 0)::bigint as refusals,
    coalesce(escalations, 0)::bigint as escalations, (ttft_ms / nullif(ttft_count, 0))::float8 as avg_ttft_ms,
    coalesce(ttft_count, 0)::bigint as ttft_count,
    (select coalesce(json_agg(distinct to_jsonb(heavy) - 'logical_model'), '[]') from heavy
      where $compared_profile_id::text is null or exists (
        select from route_targets o
        where o.org_id = $org_id and o.logical_model = heavy.logical_model
          and o.profile_id = $compared_profile_id
      )) as heavy
  from (${SUMS[source]}) sums`;

const TOTALS = { all: totalsIn('all'), ofExperiment: totalsIn('ofExperiment') };

export async function trafficOf(tx: Tx, window: ReportWindow): Promise<TrafficRow> {
  const { source, values } = usageSumValues(tx.orgId, window);
  const [row] = await tx.query<ReadRow>(TOTALS[source], {
    ...values,
    shown_profile_id: window.profileId,
    // An experiment with a profile is compared with a baseline of that profile's routes.
    compared_profile_id: window.profileId ?? window.run.profileId,
  });
  invariant(row, 'an aggregate is a row');
  const { heavy, ...sums } = row;
  return { ...sums, heavy: heavy.map((price) => ({ ...price, priced_at: momentOf(price.priced_at) })) };
}

const momentOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
