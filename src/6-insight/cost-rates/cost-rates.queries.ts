import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { CostRateView, SaveCostRateBody } from './cost-rates.dto';

const COLUMNS = `profile_id, node_hourly_usd::float8 as node_hourly_usd,
  storage_gb_hour_usd::float8 as storage_gb_hour_usd, transfer_gb_usd::float8 as transfer_gb_usd`;

const LIST = `
  select ${COLUMNS} from cost_rates where org_id = $org_id order by profile_id limit $limit offset $offset`;

export const listCostRates = async (tx: Tx, slice: Slice): Promise<Page<CostRateView>> =>
  Page.of(
    await tx.query<CostRateView & QueryResultRow>(LIST, {
      org_id: tx.orgId,
      ...rowsOf(slice),
    }),
    slice,
  );

/**
 * Prices apply from the beginning of the quarter of an hour in which they are saved, in seconds: a mistake
 * that is corrected soon costs nothing, and reports read whole sums.
 */
export const RATE_STEP = 900;

const EFFECTIVE = `date_bin('${RATE_STEP} seconds', until, 'epoch'::timestamptz)`;

const CHANGES = `
  select distinct ${EFFECTIVE} as at from past_cost_rates
  where org_id = $org_id and until > $from and until < $to`;

/** When prices of any profile changed within a span. */
export const rateChanges = async (tx: Tx, { from, to }: { from: Date; to: Date }): Promise<Date[]> =>
  (await tx.query<{ at: Date }>(CHANGES, { org_id: tx.orgId, from, to })).map(({ at }) => at);

const NAMES = ['node_hourly_usd', 'storage_gb_hour_usd', 'transfer_gb_usd'] as const;

/**
 * The unit prices of each profile between `$from` and `$to`, without rounding: their mean by time, where they
 * changed. Before any others were saved, the first ones apply. Part of a statement.
 */
export const RATES = `
    select profile_id, ${NAMES.map((name) => `sum(${name} * ms) / sum(ms) as ${name}`).join(', ')}
    from (
      select profile_id, ${NAMES.join(', ')}, extract(epoch from least(until, $to::timestamptz) - greatest(
          lag(until) over (partition by profile_id order by replaced_at), $from::timestamptz
        )) * 1000 as ms
      from (
        select profile_id, ${NAMES.join(', ')}, until as replaced_at, ${EFFECTIVE} as until
        from past_cost_rates where org_id = $org_id and until > $from
        union all
        select profile_id, ${NAMES.join(', ')}, 'infinity', 'infinity' from cost_rates where org_id = $org_id
      ) saved
    ) applied where ms > 0 group by profile_id`;

/** Of replaced prices: no report goes back so far. */
export const OLD_RATES: AgingRows = { table: 'past_cost_rates', at: 'until', key: { profile_id: 'text' } };

const SAVE = `
  insert into cost_rates as c (org_id, profile_id, node_hourly_usd, storage_gb_hour_usd, transfer_gb_usd)
  values ($org_id, $profile_id, coalesce($node_hourly_usd::numeric, 0),
    coalesce($storage_gb_hour_usd::numeric, 0), coalesce($transfer_gb_usd::numeric, 0))
  on conflict (org_id, profile_id) do update set
    node_hourly_usd = coalesce($node_hourly_usd, c.node_hourly_usd),
    storage_gb_hour_usd = coalesce($storage_gb_hour_usd, c.storage_gb_hour_usd),
    transfer_gb_usd = coalesce($transfer_gb_usd, c.transfer_gb_usd), updated_at = clock_timestamp()
  returning ${COLUMNS}`;

export async function saveCostRate(tx: Tx, body: SaveCostRateBody): Promise<CostRateView> {
  const [row] = await tx.query<CostRateView & QueryResultRow>(SAVE, {
    org_id: tx.orgId,
    profile_id: body.profile_id,
    node_hourly_usd: body.node_hourly_usd ?? null,
    storage_gb_hour_usd: body.storage_gb_hour_usd ?? null,
    transfer_gb_usd: body.transfer_gb_usd ?? null,
  });
  invariant(row, 'an upsert leaves a row');
  return row;
}
