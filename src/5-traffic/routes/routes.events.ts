import type { Tx } from '../../1-platform/database/transactions/tx';
import { appendEvent } from '../../1-platform/outbox/outbox';

/** Changes of a route; the aggregate is its logical model. */
export const ROUTE_EVENTS = { published: 'route.published' } as const;

export const appendPublished = (tx: Tx, model: string, generation: number): Promise<void> =>
  appendEvent(tx, {
    type: ROUTE_EVENTS.published,
    aggregateId: model,
    clusterId: null,
    payload: { logical_model: model, generation },
  });
