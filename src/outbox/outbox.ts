import { newId } from '../common/ids';
import type { Tx } from '../database/tx';

export interface NewOutboxEvent {
  /** `aggregate_type.what_happened`, such as `action.checkpoint_requested`. */
  readonly type: `${string}.${string}`;
  readonly aggregateId: string;
  /** Cluster whose controller is to act; null where every controller is. */
  readonly clusterId: string | null;
  readonly payload: object;
}

const APPEND = {
  name: 'outbox-append',
  text: `
    insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, cluster_id, payload)
    values ($1, $2, $3, split_part($3, '.', 1), $4, $5, $6)`,
};

/** Writes an event with the change it tells of: both are there, or neither. */
export async function appendEvent(tx: Tx, { type, aggregateId, clusterId, payload }: NewOutboxEvent): Promise<void> {
  await tx.prepared(APPEND, [tx.orgId, newId(), type, aggregateId, clusterId, JSON.stringify(payload)]);
}
