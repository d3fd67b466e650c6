import { NIL, v5 } from 'uuid';

/**
 * What everything done for one request has in common. Repeated work has the same ids, so nothing is done
 * twice. The number of an event alone would not do: a database that was restored from a backup gives it to
 * another event.
 */
export interface RequestId {
  /** Missing if the request was read from the state of the service. */
  readonly eventId?: number | undefined;
  readonly actionId: string;
}

/** @param step what is requested, such as `create_checkpoint` */
export const idempotencyKey = ({ eventId, actionId }: RequestId, step: string): string =>
  `event:${eventId ?? 'none'}/action:${actionId}/${step}`;

/** The UUID of a thing that a request creates. */
export const idFor = ({ actionId }: RequestId, thing: string): string => v5(thing, actionId);

/** The name of a consumer may hold anything, and a key may not. */
export const acknowledgementKey = (consumerId: string, eventId: number): string =>
  `ack/${v5(consumerId, NIL)}/${eventId}`;
