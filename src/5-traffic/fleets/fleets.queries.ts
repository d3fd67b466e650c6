import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { FleetView } from './fleets.dto';

const COLUMNS =
  'f.fleet_id, f.name, f.logical_model, f.created_at, f.profile_ids, f.budgets, f.availability, f.residency';

const FLEETS = `
  select f.*, coalesce((
    select json_agg(m.profile_id order by m.position) from fleet_profiles m where m.org_id = f.org_id and m.fleet_id = f.fleet_id
  ), '[]'::json) as profile_ids
  from fleets f where f.org_id = $1`;

const LIST = boundedPage({
  as: 'f',
  found: `${FLEETS} order by f.fleet_id limit $2 offset $3`,
  bytes: 'coalesce(octet_length(f.budgets::text), 0) + octet_length(f.profile_ids::text)',
  order: 'f.fleet_id',
  columns: COLUMNS,
});

/** Ordered by id. */
export const listFleets = (tx: Tx, slice: Slice): Promise<Page<FleetView>> =>
  readPage(tx, LIST, [tx.orgId, slice.limit + 1, slice.offset], slice);

const GET = `select ${COLUMNS} from (${FLEETS} and f.fleet_id = $2) f`;

export async function findFleet(tx: Tx, fleetId: string): Promise<FleetView | undefined> {
  const [row] = await tx.query<FleetView & QueryResultRow>(GET, [tx.orgId, fleetId]);
  return row;
}

const SAVE = `
  insert into fleets as f (org_id, fleet_id, name, logical_model, budgets, max_node_usd_per_hour, availability, residency)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (org_id, fleet_id) do update set name = excluded.name, logical_model = excluded.logical_model, budgets = excluded.budgets,
    max_node_usd_per_hour = excluded.max_node_usd_per_hour, availability = excluded.availability, residency = excluded.residency,
    updated_at = clock_timestamp()`;

const REPLACE_PROFILES = [
  'delete from fleet_profiles where org_id = $1 and fleet_id = $2',
  `insert into fleet_profiles (org_id, fleet_id, profile_id, position)
   select $1, $2, m.profile_id, m.position from unnest($3::text[]) with ordinality as m(profile_id, position)`,
] as const;

/**
 * Writes a fleet as requested. Concurrent writers run one after the other.
 * @param maximum the limit in `budgets`
 */
export async function saveFleet(
  tx: Tx,
  fleet: Omit<FleetView, 'created_at'>,
  maximum: string | null,
): Promise<FleetView> {
  const { fleet_id: fleetId, name, logical_model: model, budgets, availability, residency } = fleet;
  const kept = budgets === null ? null : JSON.stringify(budgets);
  await tx.query(SAVE, [tx.orgId, fleetId, name, model, kept, maximum, availability, residency]);
  const [forget, insert] = REPLACE_PROFILES;
  await tx.query(forget, [tx.orgId, fleetId]);
  await tx.query(insert, [tx.orgId, fleetId, fleet.profile_ids]);
  const saved = await findFleet(tx, fleetId);
  invariant(saved, 'a saved fleet is there');
  return saved;
}

// Both counts are from before the statement.
const DELETE = `
  with used as materialized (
    select exists (
      select from fleet_profiles m join route_targets t on t.org_id = $1 and t.profile_id = m.profile_id
      where m.org_id = $1 and m.fleet_id = $2
    ) as by_route
  ), gone as (
    delete from fleets where org_id = $1 and fleet_id = $2 and not (select by_route from used) returning fleet_id
  )
  select exists (select from gone) as deleted, exists (select from fleets where org_id = $1 and fleet_id = $2) as known`;

/** Deletes a fleet unless a route targets one of its profiles. */
export async function deleteFleet(tx: Tx, fleetId: string): Promise<'deleted' | 'in use' | 'unknown'> {
  const [row] = await tx.query<{ deleted: boolean; known: boolean }>(DELETE, [tx.orgId, fleetId]);
  return row?.deleted ? 'deleted' : row?.known ? 'in use' : 'unknown';
}
