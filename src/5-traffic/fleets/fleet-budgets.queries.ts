import type { QueryResultRow } from 'pg';
import type { Activation } from '../../4-serving/capacity-intents/capacity-intents.ports';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';

// In the order of the ids, as in every statement that locks several fleets.
const LOCK = statement(
  'fleets-lock-with-maximum',
  `
    select f.fleet_id from fleet_profiles m join fleets f on f.org_id = $org_id and f.fleet_id = m.fleet_id
    where m.org_id = $org_id and m.profile_id = $profile_id and f.max_node_usd_per_hour is not null
    order by f.fleet_id for no key update of f`,
);

/**
 * Fleets of the profile that have a budget. The profile is locked, so it cannot enter another fleet
 * meanwhile.
 */
export const lockFleetsWithMaximum = async (tx: Tx, profileId: string): Promise<string[]> =>
  (await tx.prepared<{ fleet_id: string }>(LOCK, { org_id: tx.orgId, profile_id: profileId })).map(
    ({ fleet_id: id }) => id,
  );

/**
 * Replicas of the profile of `m` that cost money, or soon will: the last requested ones, or the running ones
 * if they are more. If only reports describe the workers, one counts; during a release, as many as were
 * requested before.
 */
const REPLICAS = `
  select greatest(
    case
      when i.desired_state = 'Active' and i.status in ('Pending', 'Fulfilled') then i.desired_replicas
      else 0
    end,
    (
      select greatest(count(s.pod_uid), max(case
        when s.pod_uid is not null then 0
        when s.began_at < released.at then released.replicas
        else 1
      end), 0)
      from starts s
      where s.org_id = $org_id and s.profile_id = m.profile_id and s.ended_at is null and s.failed_at is null
    )
  ) as count
  from (values (1)) one left join lateral (
    select i.desired_state, i.desired_replicas, i.status from capacity_intents i
    where i.org_id = $org_id and i.profile_id = m.profile_id order by i.generation desc limit 1
  ) i on true left join lateral (
    select k.desired_replicas as replicas, (
      select n.requested_at from capacity_asks n
      where n.org_id = $org_id and n.profile_id = m.profile_id and n.generation > k.generation
      order by n.generation limit 1
    ) as at
    from capacity_asks k
    where i.desired_replicas = 0 and k.org_id = $org_id and k.profile_id = m.profile_id
      and k.desired_replicas > 0
    order by k.generation desc limit 1
  ) released on true`;

// A separate statement, because it must see what transactions that held the locks before were granted. A
// profile without a rate costs nothing.
const OVERRUN = statement(
  'fleets-overrun',
  `
    select f.fleet_id as "fleetId", trim_scale(f.max_node_usd_per_hour)::text as maximum,
      trim_scale(sums.committed)::text as committed,
      trim_scale(sums.committed + sums.added)::text as "wouldBe"
    from fleets f cross join lateral (
      select sum(c.node_hourly_usd * replicas.count) as committed,
        sum(c.node_hourly_usd * greatest($replicas - replicas.count, 0))
          filter (where m.profile_id = $profile_id) as added
      from fleet_profiles m join cost_rates c on c.org_id = $org_id and c.profile_id = m.profile_id
      cross join lateral (${REPLICAS}) replicas
      where m.org_id = $org_id and m.fleet_id = f.fleet_id
    ) sums
    where f.org_id = $org_id and f.fleet_id = any($fleet_ids::text[]) and sums.added > 0
      and sums.committed + sums.added > f.max_node_usd_per_hour
    order by f.fleet_id limit 1`,
);

/** A fleet whose budget would be exceeded. Amounts are US dollars per hour, in decimals. */
export interface Overrun {
  readonly fleetId: string;
  readonly maximum: string;
  readonly committed: string;
  readonly wouldBe: string;
}

/** The first of these fleets whose budget the activation would exceed. They are locked. */
export async function findOverrun(
  tx: Tx,
  fleetIds: readonly string[],
  { profileId, replicas }: Activation,
): Promise<Overrun | undefined> {
  const [row] = await tx.prepared<Overrun & QueryResultRow>(OVERRUN, {
    org_id: tx.orgId,
    profile_id: profileId,
    replicas,
    fleet_ids: fleetIds,
  });
  return row;
}
