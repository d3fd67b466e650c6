import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
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
