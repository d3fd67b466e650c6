import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { InstanceTypePriceView, SaveInstanceTypePriceBody } from './instance-prices.dto';

const COLUMNS = `id, instance_type, capacity_type, ondemand_price_per_hour::float8 as ondemand_price_per_hour,
  spot_price_per_hour::float8 as spot_price_per_hour, created_at, updated_at`;

const LIST = `
  select ${COLUMNS} from instance_type_prices where org_id = $org_id
  order by instance_type, capacity_type limit $limit offset $offset`;

export const listPrices = async (tx: Tx, slice: Slice): Promise<Page<InstanceTypePriceView>> =>
  Page.of(
    await tx.query<InstanceTypePriceView & QueryResultRow>(LIST, {
      org_id: tx.orgId,
      ...rowsOf(slice),
    }),
    slice,
  );

// A price that the body leaves out stays; null removes it.
const SAVE = `
  insert into instance_type_prices as p (org_id, id, instance_type, capacity_type, ondemand_price_per_hour,
    spot_price_per_hour)
  values ($org_id, $id, $instance_type, $capacity_type, $ondemand_price, $spot_price)
  on conflict (org_id, instance_type, capacity_type) do update
    set ondemand_price_per_hour = case
        when $names_ondemand::boolean then excluded.ondemand_price_per_hour
        else p.ondemand_price_per_hour
      end,
      spot_price_per_hour = case
        when $names_spot::boolean then excluded.spot_price_per_hour
        else p.spot_price_per_hour
      end,
      updated_at = clock_timestamp()
  returning ${COLUMNS}`;

/** @param id of the row, if it is new */
export async function savePrice(tx: Tx, id: string, body: SaveInstanceTypePriceBody): Promise<InstanceTypePriceView> {
  const { ondemand_price_per_hour: onDemand, spot_price_per_hour: spot } = body;
  const [row] = await tx.query<InstanceTypePriceView & QueryResultRow>(SAVE, {
    org_id: tx.orgId,
    id,
    instance_type: body.instance_type,
    capacity_type: body.capacity_type,
    ondemand_price: onDemand ?? null,
    names_ondemand: onDemand !== undefined,
    spot_price: spot ?? null,
    names_spot: spot !== undefined,
  });
  invariant(row, 'an upsert leaves a row');
  return row;
}

const DELETE = `
  delete from instance_type_prices where org_id = $org_id and instance_type = $instance_type
  returning capacity_type`;

/** @returns the capacity types that had a price */
export const deletePrices = async (tx: Tx, instanceType: string): Promise<string[]> =>
  (await tx.query<{ capacity_type: string }>(DELETE, { org_id: tx.orgId, instance_type: instanceType }))
    .map((row) => row.capacity_type)
    .sort();

/**
 * Both prices of every instance type of the organisation, in one row each. The row of a capacity type gives
 * the price of that type; if it has none, the other row does.
 */
export const PRICES_BY_TYPE = `
  select instance_type, coalesce(
      max(ondemand_price_per_hour) filter (where capacity_type = 'on-demand'), max(ondemand_price_per_hour)
    ) as ondemand_price_per_hour, coalesce(
      max(spot_price_per_hour) filter (where capacity_type = 'spot'), max(spot_price_per_hour)
    ) as spot_price_per_hour
  from instance_type_prices where org_id = $org_id group by instance_type`;
