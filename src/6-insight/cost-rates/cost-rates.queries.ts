import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { CostRateView, SaveCostRateBody } from './cost-rates.dto';

const COLUMNS = `profile_id, node_hourly_usd::float8 as node_hourly_usd, storage_gb_hour_usd::float8 as storage_gb_hour_usd,
  transfer_gb_usd::float8 as transfer_gb_usd`;

const LIST = `select ${COLUMNS} from cost_rates where org_id = $1 order by profile_id limit $2 offset $3`;

export const listCostRates = async (tx: Tx, slice: Slice): Promise<Page<CostRateView>> =>
  Page.of(await tx.query<CostRateView & QueryResultRow>(LIST, [tx.orgId, slice.limit + 1, slice.offset]), slice);

const SAVE = `
  insert into cost_rates as c (org_id, profile_id, node_hourly_usd, storage_gb_hour_usd, transfer_gb_usd)
  values ($1, $2, coalesce($3::numeric, 0), coalesce($4::numeric, 0), coalesce($5::numeric, 0))
  on conflict (org_id, profile_id) do update set node_hourly_usd = coalesce($3, c.node_hourly_usd),
    storage_gb_hour_usd = coalesce($4, c.storage_gb_hour_usd), transfer_gb_usd = coalesce($5, c.transfer_gb_usd),
    updated_at = clock_timestamp()
  returning ${COLUMNS}`;

export async function saveCostRate(tx: Tx, body: SaveCostRateBody): Promise<CostRateView> {
  const [row] = await tx.query<CostRateView & QueryResultRow>(SAVE, [
    tx.orgId,
    body.profile_id,
    body.node_hourly_usd ?? null,
    body.storage_gb_hour_usd ?? null,
    body.transfer_gb_usd ?? null,
  ]);
  invariant(row, 'an upsert leaves a row');
  return row;
}
