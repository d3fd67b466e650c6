import { oldestInOrder, removalByPlace } from '../../1-platform/database/rows/oldest-rows';
import { statement, unscoped, type Statement } from '../../1-platform/database/transactions/statement';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { USAGE_ARGUMENTS, USAGE_SETTINGS, usageArrays, type UsageRow } from '../usage/usage.queries';

// Records the results of requests and charges their keys, in one statement: see
// `functions/settle_requests.sql`. An authorization stays unchanged if it is settled already, or if it
// expired and was given back or charged: then the record has the cost that its key was charged. A request
// without an authorization (made with an access token) only gets a usage record. If the caller does not know
// the key, the statement finds it.
const SETTLE = unscoped(
  'settle-requests',
  `
    select settle_requests(${[...USAGE_ARGUMENTS.values()].join(', ')}, durable => $durable) as settled
    from ${USAGE_SETTINGS}`,
);

/** Replaces the reported avoided time by the time that was credited. */
const CREDITED_MS = `reported_cold_start_avoided_ms => (
  select array_agg(case when c.start_id is null then 0 else a.avoided_ms end order by a.place)
  from asked a left join first f on f.place = a.place
  left join credited c on c.org_id = f.org_id and c.start_id = f.start_id)`;
const CREDITED_USAGE = new Map(USAGE_ARGUMENTS).set('cold_start_avoided_ms', CREDITED_MS);

// The same for requests of which some may be the first of a restored start. A start is credited to one
// request, once over all replicas, and never to a request that is already recorded. Credits are inserted in
// one order, so that two statements for the same starts cannot deadlock.
const SETTLE_AND_CREDIT = unscoped(
  'settle-requests-and-credit-starts',
  `
    with asked as materialized (
      select * from unnest($each_org_id::uuid[], $each_request_id::text[], $each_began_ms_ago::float8[],
        $each_cold_start_avoided_ms::bigint[], $each_credited_start_id::uuid[])
        with ordinality as t(org_id, request_id, began_ms_ago, avoided_ms, start_id, place)
    ), first as materialized (
      select distinct on (a.org_id, a.start_id) a.org_id, a.start_id, a.request_id, a.place from asked a
      join starts s on s.org_id = a.org_id and s.id = a.start_id
      where not exists (select from usage_records u where u.org_id = a.org_id and u.request_id = a.request_id)
      order by a.org_id, a.start_id, a.began_ms_ago desc
    ), credited as (
      insert into start_credits (org_id, start_id, request_id)
      select org_id, start_id, request_id from first order by org_id, start_id
      on conflict (org_id, start_id) do nothing returning org_id, start_id
    )
    select settle_requests(${[...CREDITED_USAGE.values()].join(', ')}, durable => $durable) as settled
    from ${USAGE_SETTINGS}`,
);

/** A result that waits to be written. */
export interface Reported {
  readonly row: UsageRow;
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
  /** A caller waits until it is written. */
  readonly durable: boolean;
}

/** However long the write waits, also for a lock, the request keeps its time of arrival. */
const asOfNow = ({ row, at }: Reported): UsageRow => ({
  ...row,
  began_ms_ago: row.began_ms_ago + performance.now() - at,
});

/**
 * If one of them is durable, all are on the disk when this resolves. Otherwise within a second: if the
 * database crashes before that, the reservations of these requests are charged.
 */
export async function settle(statements: StatementPool, reports: readonly Reported[]): Promise<void> {
  // If a request occurs several times, the first one counts.
  const requestOf = ({ row }: Reported) => `${row.org_id} ${row.request_id}`;
  const byRequest = new Map(reports.toReversed().map((one) => [requestOf(one), one]));
  const unique = [...byRequest.values()];
  const durable = reports.some((one) => one.durable);
  const values = () => ({ ...usageArrays(unique.map(asOfNow)), durable });
  const startIds = unique.map(({ row }) => row.credited_start_id);
  if (startIds.every((id) => id === null)) await statements.run(SETTLE, values);
  else {
    const each = arrayLiteral(startIds);
    await statements.run(SETTLE_AND_CREDIT, () => ({ ...values(), each_credited_start_id: each }));
  }
}

/** A request in progress. */
export interface Expected {
  readonly orgId: string;
  readonly requestId: string;
}

// In the order of settlements, and it waits for none of them: they close what they have locked.
const HOLD = unscoped(
  'authorizations-hold',
  `
    with expected as materialized (
      select t.org_id, t.request_id
      from unnest($org_ids::uuid[], $request_ids::text[]) as t(org_id, request_id)
      order by t.org_id, t.request_id
    ), held as materialized (
      select e.org_id, e.request_id from expected e cross join lateral (
        select from authorizations a
        where a.org_id = e.org_id and a.request_id = e.request_id and a.settled_at is null
          and a.resolved_at is not null
        limit 1 for no key update skip locked
      ) z
    )
    update authorizations a
    set held_until = clock_timestamp() + make_interval(secs => $held_ms::float8 / 1000)
    from held h where a.org_id = h.org_id and a.request_id = h.request_id`,
);

/** Requests in progress that were sent to a worker keep their reservations for this long from now on. */
export async function hold(statements: StatementPool, requests: readonly Expected[], heldMs: number): Promise<void> {
  await statements.run(HOLD, {
    org_ids: arrayLiteral(requests.map(({ orgId }) => orgId)),
    request_ids: arrayLiteral(requests.map(({ requestId }) => requestId)),
    held_ms: heldMs,
  });
}

/** Authorizations that one run closes. */
export const CLOSED_AT_ONCE = 1_000;

// See `functions/held_keys.sql`.
const HELD_KEYS = statement('authorizations-held-keys', 'select held_keys($sent, $most) as key_id');

// Of one key only, by leaving out the others that have any due.
const OTHER_KEYS = statement(
  'authorizations-other-keys',
  `
    select distinct key_id from authorizations
    where settled_at is null and (resolved_at is not null) = $sent
      and held_until <= (select clock_timestamp()) and key_id <> $key_id`,
);

// A request that was sent to a worker may have cost something: its reservation is charged, and it leaves a
// usage record. See `functions/charge_unsettled.sql`.
const CHARGE = statement(
  'authorizations-charge',
  `select charge_unsettled($most) as closed from set_config('app.held_keys', $held_keys, true)`,
);

// One that was not sent costs nothing.
const RELEASE = statement(
  'authorizations-release',
  `
    with due as materialized (
      select org_id, request_id from authorizations
      where settled_at is null and resolved_at is null and held_until <= (select clock_timestamp())
        and key_id <> all ($held_keys::uuid[])
      order by held_until limit $most for no key update skip locked
    )
    select close_authorizations(array_agg(org_id), array_agg(request_id), array_agg('release'::text),
      array_agg(0::numeric)) as closed
    from due`,
);

export interface Expired {
  /** How many authorizations were closed. */
  readonly closed: number;
  /** Ids of the keys whose authorizations were left out because others hold their rows. */
  readonly heldKeys: readonly string[];
}

/** @param keyId only of this key, for whose row it waits; of all others that are free without one */
export type Expire = (tx: Tx, keyId?: string) => Promise<Expired>;

/** Charges requests that nobody settled in time, of all organisations. */
export const chargeUnsettled: Expire = (tx, keyId) => expired(tx, CHARGE, true, keyId);

/** Gives back the reservations of requests that nobody sent to a worker in time, of all organisations. */
export const releaseUnused: Expire = (tx, keyId) => expired(tx, RELEASE, false, keyId);

async function expired(tx: Tx, expire: Statement, sent: boolean, keyId?: string): Promise<Expired> {
  const most = CLOSED_AT_ONCE;
  const leftOut = (
    await (keyId === undefined
      ? tx.prepared<{ key_id: string }>(HELD_KEYS, { sent, most })
      : tx.prepared<{ key_id: string }>(OTHER_KEYS, { sent, key_id: keyId }))
  ).map(({ key_id: id }) => id);
  const [row] = await tx.prepared<{ closed: number }>(expire, { most, held_keys: arrayLiteral(leftOut) });
  return { closed: row?.closed ?? 0, heldKeys: keyId === undefined ? leftOut : [] };
}

// The same as the sweep would do a moment later. It waits for whoever has locked the authorization, also if
// that is closed already.
const RELEASE_EXPIRED = unscoped(
  'authorization-release-expired',
  `
    with due as materialized (
      select org_id, request_id from authorizations
      where org_id = $org_id and request_id = $request_id and resolved_at is null
        and held_until <= (select clock_timestamp())
      for no key update
    )
    select close_authorizations(array_agg(org_id), array_agg(request_id), array_agg('release'::text),
      array_agg(0::numeric)) as closed
    from due`,
);

/**
 * Gives back the reservation of an admitted request that was never sent to a worker, after its time is over.
 * Resolves when nobody else has its authorization locked.
 */
export async function releaseExpired(statements: StatementPool, orgId: string, requestId: string): Promise<void> {
  await statements.run(RELEASE_EXPIRED, { org_id: orgId, request_id: requestId });
}

/** Authorizations that stay, behind which the search for old ones in an organisation ends. */
const STAYING = 100;

// Ids are in the order of creation, and most are settled soon after it. Skip locked rows, as a very late
// report of usage may have locked several in another order; the next round catches them.
const FORGET = removalByPlace(
  'authorizations-forget',
  'authorizations',
  `
    select ctid from authorizations where ctid = any(array(${oldestInOrder({
      table: 'authorizations',
      of: 'organisations o',
      orgId: 'o.id',
      order: 'id',
      at: 'settled_at',
      staying: STAYING,
    })})) for update skip locked`,
);

/**
 * For all organisations; the ledger stays. @returns the number of deleted authorizations that were settled
 * more than this many days ago
 */
export const forgetAuthorizations = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, { days, limit })).length;
