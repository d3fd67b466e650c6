import type { QueryResultRow } from 'pg';
import type { Tx } from '../database/tx';
import type { PolicyResource, PolicyTrigger } from './policy.states';

/** Policies of one round. */
export const DUE_AT_ONCE = 500;

// The time of the statement: that of the clock, which moves on meanwhile, is no bound of an index.
const DUE = {
  name: 'policies-due',
  text: `
    select org_id, id, cluster_id from policies
    where status = 'active' and next_at <= statement_timestamp() order by next_at limit ${DUE_AT_ONCE}`,
};
const NEXT = {
  name: 'policies-next',
  text: `
    select extract(epoch from min(next_at) - statement_timestamp())::float8 as seconds from policies
    where status = 'active' and next_at > statement_timestamp()`,
};

/** Over all organisations: only for the service's own transactions. */
export const duePolicies = (tx: Tx): Promise<{ org_id: string; id: string; cluster_id: string }[]> =>
  tx.prepared(DUE, []);

/** In how many seconds the next policy falls due; undefined when none does. Over all organisations. */
export async function secondsToNext(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.prepared<{ seconds: number | null }>(NEXT, []);
  return row?.seconds ?? undefined;
}

/** A policy that is due, which this transaction alone has in hand. */
export interface Beat {
  id: string;
  trigger: PolicyTrigger;
  resource: PolicyResource;
  kind: string;
  runc_root: string | null;
  /** The moment of its grid that it was due at; null when a window is over and there is nothing to ask for. */
  beat_at: Date | null;
}

/*
 * Moves a policy on to when it is due next, once over all replicas: who does not get the row, or finds it moved on, has
 * nothing to do. A heartbeat keeps to the grid of its first moment, and beats that were missed are one: the latest. A
 * window acts once, at its start or as soon as anything runs again, and ends at its end.
 */
const TAKE = {
  name: 'policy-take',
  text: `
    with due as (
      select id, trigger, next_at, clock_timestamp() as now, make_interval(secs => interval_seconds) as step,
        floor(extract(epoch from clock_timestamp() - next_at) / interval_seconds) as missed,
        trigger = 'maintenance' and (last_beat_at is not null or ends_at <= clock_timestamp()) as over
      from policies where org_id = $1 and id = $2 and status = 'active' and next_at <= clock_timestamp()
      for no key update skip locked
    ), beat as (
      select id, now, over,
        case when over then null when trigger = 'heartbeat' then next_at + step * missed else next_at end as beat_at,
        case when over then null when trigger = 'heartbeat' then next_at + step * (missed + 1) end as next_at
      from due
    )
    update policies p set status = case when over then 'disabled' else 'active' end,
      next_at = case when over then null else coalesce(beat.next_at, p.ends_at) end,
      last_beat_at = coalesce(beat.beat_at, p.last_beat_at), matched_at = case when over then p.matched_at else now end
    from beat where p.org_id = $1 and p.id = beat.id
    returning p.id, p.trigger, p.resource, p.kind, p.runc_root, beat.beat_at`,
};

export async function takeBeat(tx: Tx, id: string): Promise<Beat | undefined> {
  const [row] = await tx.prepared<Beat & QueryResultRow>(TAKE, [tx.orgId, id]);
  return row;
}

// Two statements: the second one sees what was committed while the first one waited, so of two last successes one is seen
// by the other.
const LOCK = {
  name: 'policy-lock',
  text: "select from policies where org_id = $1 and id = $2 and status = 'active' and max_checkpoints is not null for no key update",
};
const DISABLE_WHEN_DONE = {
  name: 'policy-disable-when-done',
  text: `
    update policies set status = 'disabled', next_at = null
    where org_id = $1 and id = $2 and status = 'active'
      and max_checkpoints <= (select count(*) from actions where org_id = $1 and policy_id = $2 and status = 'ready')`,
};

/** Disables a policy that has made as many checkpoints as it was to make. */
export async function disableWhenDone(tx: Tx, id: string): Promise<void> {
  if ((await tx.prepared(LOCK, [tx.orgId, id])).length === 0) return;
  await tx.prepared(DISABLE_WHEN_DONE, [tx.orgId, id]);
}
