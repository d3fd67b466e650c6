import type { QueryResultRow } from 'pg';
import type { ReportWindow } from '../analytics/report-window.queries';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { USED, type PriceRow } from './cost-breakdown.queries';

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
const TRAFFIC = `
  with heavy as materialized (${HEAVY})
  select coalesce(sum(u.requests), 0)::bigint as requests, coalesce(sum(u.refusals), 0)::bigint as refusals,
    coalesce(sum(u.requests) filter (where h.profile_id is not null), 0)::bigint as escalations,
    (sum(u.ttft_ms) / nullif(sum(u.ttft_count), 0))::float8 as avg_ttft_ms,
    coalesce(sum(u.ttft_count), 0)::bigint as ttft_count,
    (select coalesce(json_agg(distinct to_jsonb(heavy) - 'logical_model'), '[]') from heavy
      where $compared_profile_id::text is null or exists (
        select from route_targets o
        where o.org_id = $org_id and o.logical_model = heavy.logical_model
          and o.profile_id = $compared_profile_id
      )) as heavy
  from ${USED} left join heavy h on h.logical_model = u.logical_model and h.profile_id = u.profile_id
  where $profile_id::text is null or u.profile_id = $profile_id`;

/** @param requests see `requestsOf` */
export async function trafficOf(tx: Tx, window: ReportWindow, requests: string): Promise<TrafficRow> {
  // An experiment with a profile is compared with a baseline of that profile's routes.
  const profileId = window.profileId ?? window.run.profileId;
  const [row] = await tx.query<ReadRow>(TRAFFIC, {
    org_id: tx.orgId,
    used: requests,
    profile_id: window.profileId,
    compared_profile_id: profileId,
  });
  invariant(row, 'an aggregate is a row');
  const { heavy, ...sums } = row;
  return { ...sums, heavy: heavy.map((price) => ({ ...price, priced_at: momentOf(price.priced_at) })) };
}

const momentOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
