import { newId } from '../common/ids';
import { statement } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';

export interface NewOutboxEvent {
  /** `aggregate_type.what_happened`, such as `action.checkpoint_requested`. */
  readonly type: `${string}.${string}`;
  readonly aggregateId: string;
  /** Cluster whose controller is to act; null where every controller is. */
  readonly clusterId: string | null;
  readonly payload: object;
}

/** Tells every replica, at the commit, which organisation has an event. */
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

const APPEND_ALL = statement(
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
 * Two parts of a `with`, for statements that write events together with what they
 * tell of, of one organisation or of many. The statement must read `(select
 * count(*) from events_notified)`, or nobody is woken.
 *
 * @param source a query of org_id, type, aggregate_id, cluster_id and payload, in the order of the events
 */
export const eventsWrittenFrom = (source: string): string => `
  events_written as (
    insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, cluster_id, payload)
    select e.org_id, gen_random_uuid(), e.type, split_part(e.type, '.', 1), e.aggregate_id, e.cluster_id, e.payload
    from (${source}) e returning org_id
  ), events_notified as (
    select pg_notify('${OUTBOX_CHANNEL}', org_id::text) from (select distinct org_id from events_written) woken
  )`;

/** As `appendEvent`, many in one statement, in their order. */
export async function appendEvents(tx: Tx, events: readonly NewOutboxEvent[]): Promise<void> {
  const told = events.map(({ type, aggregateId, clusterId, payload }, place) => ({
    id: newId(),
    type,
    aggregate_id: aggregateId,
    cluster_id: clusterId,
    payload,
    place,
  }));
  await tx.prepared(APPEND_ALL, { org_id: tx.orgId, events: JSON.stringify(told) });
}

/** Writes an event with the change it tells of: both are there, or neither. */
export async function appendEvent(tx: Tx, { type, aggregateId, clusterId, payload }: NewOutboxEvent): Promise<void> {
  await tx.prepared(APPEND, {
    org_id: tx.orgId,
    id: newId(),
    type,
    aggregate_id: aggregateId,
    cluster_id: clusterId,
    payload: JSON.stringify(payload),
  });
}
