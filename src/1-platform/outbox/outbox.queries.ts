import type { QueryResultRow } from 'pg';
import { invariant } from '../common/invariant';
import { boundedPage } from '../database/rows/bounded-page';
import type { StatementPool } from '../database/connections/statement-pool';
import { oldestInOrder, removalByPlace } from '../database/rows/oldest-rows';
import { statement, unscoped } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';
import { OutboxConsumer } from './outbox-consumer.entity';

/** At the commit, this notifies every replica that the organisation has an event. */
export const OUTBOX_CHANNEL = 'outbox';
const NOTIFY = `select pg_notify('${OUTBOX_CHANNEL}', org_id::text) from written limit 1`;

/** One event: organisation, id, type, aggregate, cluster or null, payload. */
export const APPEND = statement(
  'outbox-append',
  `
    with written as (
      insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, cluster_id, payload)
      values ($org_id, $id, $type, split_part($type, '.', 1), $aggregate_id, $cluster_id, $payload)
      returning org_id
    ) ${NOTIFY}`,
);

export const APPEND_ALL = statement(
  'outbox-append-all',
  `
    with written as (
      insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, cluster_id, payload)
      select $org_id, e.id, e.type, split_part(e.type, '.', 1), e.aggregate_id, e.cluster_id, e.payload
      from json_to_recordset($events::json)
        as e(id uuid, type text, aggregate_id text, cluster_id uuid, payload json, place int)
      order by e.place returning org_id
    ) ${NOTIFY}`,
);

/**
 * Two parts of a `with`, for statements that write events together with the changes that the events describe,
 * for one organisation or for many. The statement must read `(select count(*) from events_notified)`,
 * otherwise no replica is notified.
 *
 * @param source a query of org_id, type, aggregate_id, cluster_id and payload, in the order of the events
 */
export const eventsWrittenFrom = (source: string): string => `
  events_written as (
    insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, cluster_id, payload)
    select e.org_id, gen_random_uuid(), e.type, split_part(e.type, '.', 1),
      e.aggregate_id, e.cluster_id, e.payload
    from (${source}) e returning org_id
  ), events_notified as (
    select pg_notify('${OUTBOX_CHANNEL}', org_id::text)
    from (select distinct org_id from events_written) woken
  )`;

/** Events that are numbered at once: some 20 ms on an idle machine. */
const NUMBERED_AT_ONCE = 500;
const SEQUENCE = unscoped('outbox-sequence', 'select outbox_sequence($org_id, $limit) as numbered');

/** Gives committed events their numbers. @returns whether there may be more */
export async function numberEvents(statements: StatementPool, orgId: string): Promise<boolean> {
  const [row] = await statements.run<{ numbered: number }>(SEQUENCE, { org_id: orgId, limit: NUMBERED_AT_ONCE });
  return row?.numbered === NUMBERED_AT_ONCE;
}

export interface OutboxRow {
  id: number;
  aggregate_type: string;
  aggregate_id: string;
  event_type: string;
  payload: unknown;
  created_at: Date;
  /** Missing without a trace. */
  traceparent?: string;
}

type StoredRow = Omit<OutboxRow, 'traceparent'> & { traceparent: string | null };

const READ = unscoped(
  'outbox-read',
  boundedPage({
    as: 'e',
    found: `
      select * from outbox_events where org_id = $org_id and event_id > $after
      order by event_id limit $limit`,
    bytes: 'octet_length(e.payload::text)',
    order: 'e.event_id',
    columns: `e.event_id as id, e.aggregate_type, e.aggregate_id, e.event_type, e.payload, e.created_at,
      e.traceparent`,
  }),
);

/** Events behind a cursor, in their order; fewer than the limit where they are large. */
export async function readEvents(
  statements: StatementPool,
  orgId: string,
  after: number,
  limit: number,
): Promise<OutboxRow[]> {
  const rows = await statements.run<StoredRow & QueryResultRow>(READ, { org_id: orgId, after, limit });
  return rows.map(({ id, aggregate_type, aggregate_id, event_type, payload, created_at, traceparent }) => ({
    id,
    aggregate_type,
    aggregate_id,
    event_type,
    payload,
    created_at,
    ...(traceparent !== null && { traceparent }),
  }));
}

export interface OutboxBounds {
  head: number;
  /** The lowest stored event id; one above the head if no event is stored. */
  oldest: number;
  /** The last event that the consumer has acknowledged; null if it is unknown. */
  acked: number | null;
  /** Whether it is stored that the consumer was seen lately. */
  seen: boolean;
}

/** Seconds after which it is stored again that a consumer was seen. */
const SEEN_EVERY = 30;

const BOUNDS = unscoped(
  'outbox-bounds',
  `
    select head, coalesce((
        select min(event_id) from outbox_events where org_id = $org_id and event_id is not null
      ), head + 1) as oldest,
      c.acked, coalesce(c.seen_at >= clock_timestamp() - interval '${SEEN_EVERY} seconds', false) as seen
    from (select coalesce((select head from outbox_heads where org_id = $org_id), 0) as head) numbered
    left join outbox_consumers c on c.org_id = $org_id and c.id = $consumer_id`,
);

export async function outboxBounds(
  statements: StatementPool,
  orgId: string,
  consumerId: string,
): Promise<OutboxBounds> {
  const [row] = await statements.run<OutboxBounds & QueryResultRow>(BOUNDS, { org_id: orgId, consumer_id: consumerId });
  return row ?? { head: 0, oldest: 1, acked: null, seen: false };
}

// Every read shows that its consumer is active, but this is stored only from time to time. Whoever was seen
// lately must not come here: a row that stays as it is is locked even so, which is a write and its commit.
const SEEN = unscoped(
  'outbox-consumer-seen',
  `
    insert into outbox_consumers as c (org_id, id, acked) values ($org_id, $consumer_id, $acked)
    on conflict (org_id, id) do update set seen_at = clock_timestamp()
      where c.seen_at < clock_timestamp() - interval '${SEEN_EVERY} seconds'
    -- A row that existed before has an xmax.
    returning xmax = 0 as made`,
);

/** @param acked the position of a new consumer */
export async function consumerSeen(
  statements: StatementPool,
  orgId: string,
  consumerId: string,
  acked: number,
): Promise<void> {
  const [row] = await statements.run<{ made: boolean }>(SEEN, { org_id: orgId, consumer_id: consumerId, acked });
  if (row?.made) await removeConsumers(statements, orgId);
}

const ACK = statement(
  'outbox-ack',
  `
    update outbox_consumers set acked = greatest(acked, $event_id), seen_at = clock_timestamp()
    where org_id = $org_id and id = $consumer_id
      and $event_id <= coalesce((select head from outbox_heads where org_id = $org_id), 0)
    returning acked`,
);

/** @returns whether it was stored, is above the head, or belongs to a consumer that has never read */
export async function acknowledge(
  tx: Tx,
  consumerId: string,
  eventId: number,
): Promise<'noted' | 'above_head' | 'unknown'> {
  const values = { org_id: tx.orgId, consumer_id: consumerId, event_id: eventId };
  if ((await tx.prepared(ACK, values)).length > 0) return 'noted';
  return (await tx.store(OutboxConsumer).exists({ id: consumerId })) ? 'above_head' : 'unknown';
}

const UNNUMBERED = unscoped(
  'outbox-unnumbered',
  `
    select distinct org_id from outbox_events where event_id is null`,
);

/**
 * Organisations with events without a number. Over all organisations: only for the service's own
 * transactions.
 */
export const organisationsToNumber = async (statements: StatementPool): Promise<string[]> =>
  (await statements.run<{ org_id: string }>(UNNUMBERED, {})).map(({ org_id: orgId }) => orgId);

// One step in the index for each organisation that has such events, and for so many at most: the first event
// of each is its oldest.
const OLDEST_UNNUMBERED = unscoped(
  'outbox-oldest-unnumbered',
  `
    with recursive oldest as (
      (select org_id, created_at from outbox_events where event_id is null order by org_id, position limit 1)
      union all
      select next.org_id, next.created_at from oldest o, lateral (
        select e.org_id, e.created_at from outbox_events e where e.event_id is null and e.org_id > o.org_id
        order by e.org_id, e.position limit 1
      ) next
    )
    select coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as seconds
    from (select created_at from oldest limit 1000) found`,
  { query_timeout: 1_000 },
);

/** Seconds since the oldest event without a number was written; 0 without one. Over all organisations. */
export async function oldestUnnumbered(statements: StatementPool): Promise<number> {
  const [row] = await statements.run<{ seconds: number }>(OLDEST_UNNUMBERED, {});
  invariant(row, 'an aggregate is a row');
  return row.seconds;
}

// No event goes before an earlier one, so the first that is young ends the search. Nobody locks an event that
// has a number.
const FORGET = removalByPlace(
  'outbox-forget',
  'outbox_events',
  oldestInOrder({
    table: 'outbox_events',
    // Row level security keeps a `coalesce` from being a bound in the index, so it is computed beside it.
    of: `(
      select h.org_id, coalesce((select min(c.acked) from outbox_consumers c
        where c.org_id = h.org_id and c.seen_at > clock_timestamp() - interval '1 day'), h.head) as last
      from outbox_heads h offset 0
    ) h`,
    orgId: 'h.org_id',
    order: 'event_id',
    at: 'created_at',
    among: 'event_id <= h.last',
    staying: 1,
  }),
);

/**
 * Deletes events, oldest first, that are old and that every consumer seen in the last day has acknowledged.
 * So the stored events have no gap. Over all organisations.
 * @returns their number; fewer than the limit if there are no more
 */
export const forgetEvents = async (tx: Tx, days: number, limit: number): Promise<number> =>
  (await tx.prepared(FORGET, { days, limit })).length;

/** Consumers that an organisation may have. */
export const MAX_CONSUMERS = 1_000;

export interface ConsumerRow {
  consumer_id: string;
  acked: number;
  lag: number;
  seen_at: Date;
}

const CONSUMERS = unscoped(
  'outbox-consumers',
  `
    select c.id as consumer_id, c.acked, greatest(0, coalesce(h.head, 0) - c.acked) as lag, c.seen_at
    from outbox_consumers c left join outbox_heads h using (org_id)
    where c.org_id = $org_id order by c.id limit $limit`,
);

export const listConsumers = (statements: StatementPool, orgId: string): Promise<ConsumerRow[]> =>
  statements.run<ConsumerRow & QueryResultRow>(CONSUMERS, { org_id: orgId, limit: MAX_CONSUMERS });

// Chosen without locks: with locks, rows that another transaction holds would not be counted. A consumer that
// is seen meanwhile has another time, and is not deleted. One that another replica is deleting is left to
// that replica.
const REMOVE_CONSUMERS = unscoped(
  'outbox-consumers-remove',
  `
    with beyond as materialized (
      select id, seen_at from outbox_consumers where org_id = $org_id order by seen_at desc, id offset $kept
    ), held as materialized (
      select c.id from outbox_consumers c join beyond b on b.id = c.id and b.seen_at = c.seen_at
      where c.org_id = $org_id for update of c skip locked
    )
    delete from outbox_consumers c using held where c.org_id = $org_id and c.id = held.id`,
);

/** Deletes consumers beyond the limit, those first that were not seen for the longest time. */
async function removeConsumers(statements: StatementPool, orgId: string): Promise<void> {
  await statements.run(REMOVE_CONSUMERS, { org_id: orgId, kept: MAX_CONSUMERS });
}
