import { newId } from '../common/ids';
import type { Tx } from '../database/transactions/tx';
import { APPEND, APPEND_ALL } from './outbox.queries';

export interface NewOutboxEvent {
  /** `aggregate_type.what_happened`, such as `action.checkpoint_requested`. */
  readonly type: `${string}.${string}`;
  readonly aggregateId: string;
  /** Cluster whose controller is to act; null where every controller is. */
  readonly clusterId: string | null;
  readonly payload: object;
}

/** As `appendEvent`, many in one statement, in their order. */
export async function appendEvents(tx: Tx, events: readonly NewOutboxEvent[]): Promise<void> {
  const rows = events.map(({ type, aggregateId, clusterId, payload }, place) => ({
    id: newId(),
    type,
    aggregate_id: aggregateId,
    cluster_id: clusterId,
    payload,
    place,
  }));
  await tx.prepared(APPEND_ALL, { org_id: tx.orgId, events: JSON.stringify(rows) });
}

/** Writes an event in the transaction of the change that it describes: both are committed, or neither. */
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
