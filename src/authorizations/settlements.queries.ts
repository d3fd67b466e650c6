import type { StatementPool } from '../database/statement-pool';
import type { Tx } from '../database/tx';
import { USAGE_PARAMETERS, usageArrays, type UsageRow } from '../usage/usage.queries';

// What became of requests, and what they cost their keys, at once: see the function of the migration. An authorization that is settled
// already, or that expired and was given back or charged, stays as it is. A request without one (an access token asked) is only
// written down. Its key is looked for where the caller does not know it.
const SETTLE = {
  name: 'settle-requests',
  text: `select settle_requests(${USAGE_PARAMETERS.join(', ')}, durable => $${USAGE_PARAMETERS.length + 1}) as settled`,
};

/**
 * @param durable it is on the disk when this resolves; else within a second: a database that breaks down meanwhile has the reservations of
 *   these requests still, and they are charged
 */
export async function settle(statements: StatementPool, rows: readonly UsageRow[], durable: boolean): Promise<void> {
  // Of one that is told twice, the first counts, for its usage and for its key alike.
  const told = new Map(rows.toReversed().map((row) => [`${row.org_id} ${row.request_id}`, row]));
  await statements.run(SETTLE, [...usageArrays([...told.values()]), durable]);
}

/** Authorizations that one round closes. */
export const CLOSED_AT_ONCE = 1_000;

// What was sent to a worker may have cost something, up to what was reserved for it; what was not cost nothing.
const EXPIRE = {
  name: 'authorizations-expire',
  text: `
    with due as materialized (
      select org_id, request_id, case when resolved_at is null then 'release' else 'charge' end as kind,
        case when resolved_at is null then 0 else reserved_usd end as cost_usd
      from authorizations where settled_at is null and held_until <= (select clock_timestamp())
      order by held_until limit ${CLOSED_AT_ONCE} for no key update skip locked
    )
    select close_authorizations(array_agg(org_id), array_agg(request_id), array_agg(kind), array_agg(cost_usd)) as closed from due`,
};

/** Over all organisations. @returns how many authorizations that nobody settled it closed */
export async function expireAuthorizations(tx: Tx): Promise<number> {
  const [row] = await tx.prepared<{ closed: number }>(EXPIRE, []);
  return row?.closed ?? 0;
}

// Ids are in the order in which they were made.
const FORGET = {
  name: 'authorizations-forget',
  text: `
    delete from authorizations z using (
      select o.id as org_id, page.id from organisations o cross join lateral (
        select id, settled_at from authorizations where org_id = o.id order by id limit $2
      ) page
      where page.settled_at < (select clock_timestamp()) - make_interval(days => $1) limit $2
    ) old
    where z.org_id = old.org_id and z.id = old.id returning z.id`,
};

/** Over all organisations; the ledger stays. @returns how many authorizations settled longer ago than so many days it forgot */
export const forgetAuthorizations = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, [days, limit])).length;
