import type { QueryResultRow } from 'pg';
import { invariant } from '../../1-platform/common/invariant';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { FleetProfile } from './fleet.entity';
import type { FleetView } from './fleets.dto';

const COLUMNS =
  'f.fleet_id, f.name, f.logical_model, f.created_at, f.profile_ids, f.budgets, f.availability, f.residency';

const FLEETS = `
  select f.*, coalesce((
    select json_agg(m.profile_id order by m.position) from fleet_profiles m
    where m.org_id = f.org_id and m.fleet_id = f.fleet_id
  ), '[]'::json) as profile_ids
  from fleets f where f.org_id = $org_id`;

const LIST = boundedPage({
  as: 'f',
  found: `${FLEETS} order by f.fleet_id limit $limit offset $offset`,
  bytes: 'coalesce(octet_length(f.budgets::text), 0) + octet_length(f.profile_ids::text)',
  order: 'f.fleet_id',
  columns: COLUMNS,
});

/** Ordered by id. */
export const listFleets = (tx: Tx, slice: Slice): Promise<Page<FleetView>> =>
  readPage(tx, LIST, { org_id: tx.orgId, ...rowsOf(slice) }, slice);

const GET = `select ${COLUMNS} from (${FLEETS} and f.fleet_id = $fleet_id) f`;

export async function findFleet(tx: Tx, fleetId: string): Promise<FleetView | undefined> {
  const [row] = await tx.query<FleetView & QueryResultRow>(GET, { org_id: tx.orgId, fleet_id: fleetId });
  return row;
}

const SAVE = `
  insert into fleets as f (org_id, fleet_id, name, logical_model, budgets, max_node_usd_per_hour,
    availability, residency)
  values ($org_id, $fleet_id, $name, $logical_model, $budgets, $max_node_usd_per_hour, $availability,
    $residency)
  on conflict (org_id, fleet_id) do update set name = excluded.name, logical_model = excluded.logical_model,
    budgets = excluded.budgets, max_node_usd_per_hour = excluded.max_node_usd_per_hour,
    availability = excluded.availability, residency = excluded.residency, updated_at = clock_timestamp()`;

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
  await tx.query(SAVE, {
    org_id: tx.orgId,
    fleet_id: fleetId,
    name,
    logical_model: model,
    budgets: kept,
    max_node_usd_per_hour: maximum,
    availability,
    residency,
  });
  const profiles = tx.store(FleetProfile);
  await profiles.delete({ fleetId });
  const members = fleet.profile_ids.map((profileId, place) => ({ fleetId, profileId, position: place + 1 }));
  if (members.length > 0) await profiles.insert(members);
  const saved = await findFleet(tx, fleetId);
  invariant(saved, 'a saved fleet is there');
  return saved;
}

// `known` is from before the deletion: all parts of a statement see the same snapshot.
const DELETE = `
  with used as materialized (
    select exists (
      select from fleet_profiles m join route_targets t on t.org_id = $org_id and t.profile_id = m.profile_id
      where m.org_id = $org_id and m.fleet_id = $fleet_id
    ) as by_route
  ), gone as (
    delete from fleets where org_id = $org_id and fleet_id = $fleet_id and not (select by_route from used)
    returning fleet_id
  )
  select exists (select from gone) as deleted,
    exists (select from fleets where org_id = $org_id and fleet_id = $fleet_id) as known`;

/** Deletes a fleet unless a route targets one of its profiles. */
export async function deleteFleet(tx: Tx, fleetId: string): Promise<'deleted' | 'in use' | 'unknown'> {
  const [row] = await tx.query<{ deleted: boolean; known: boolean }>(DELETE, { org_id: tx.orgId, fleet_id: fleetId });
  return row?.deleted ? 'deleted' : row?.known ? 'in use' : 'unknown';
}
