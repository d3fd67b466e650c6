import type { Tx } from '../../1-platform/database/transactions/tx';
import { appendEvent } from '../../1-platform/outbox/outbox';

/** Changes of a route; the aggregate is its logical model. */
export const ROUTE_EVENTS = { published: 'route.published', withdrawn: 'route.withdrawn' } as const;

type RouteEvent = (typeof ROUTE_EVENTS)[keyof typeof ROUTE_EVENTS];

const append = (tx: Tx, type: RouteEvent, model: string, generation: number): Promise<void> =>
  appendEvent(tx, { type, aggregateId: model, clusterId: null, payload: { logical_model: model, generation } });

export const appendPublished = (tx: Tx, model: string, generation: number): Promise<void> =>
  append(tx, ROUTE_EVENTS.published, model, generation);

export const appendWithdrawn = (tx: Tx, model: string, generation: number): Promise<void> =>
  append(tx, ROUTE_EVENTS.withdrawn, model, generation);
