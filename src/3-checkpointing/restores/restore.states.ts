/** Statuses that follow from the events. A fallback to a cold start is a result of the attempt. */
export const RESTORE_STATUSES = ['started', 'succeeded', 'failed'] as const;
export type RestoreStatus = (typeof RESTORE_STATUSES)[number];

export const RESTORE_EVENT_KINDS = ['restore_start', 'restore_success', 'restore_error'] as const;
export type RestoreEventKind = (typeof RESTORE_EVENT_KINDS)[number];

const OUTCOME: Readonly<Partial<Record<RestoreEventKind, RestoreStatus>>> = {
  restore_success: 'succeeded',
  restore_error: 'failed',
};

interface Received {
  readonly kind: RestoreEventKind;
}

/**
 * The outcome of the first final event; undefined if there is none.
 * @param events as received, oldest first
 */
export const standing = <E extends Received>(events: readonly E[]): E | undefined =>
  events.find(({ kind }) => kind in OUTCOME);

/** The most advanced status of the events, in whatever order they came. */
export function restoreStatus(events: readonly Received[]): RestoreStatus {
  const outcome = standing(events);
  return (outcome && OUTCOME[outcome.kind]) ?? 'started';
}

/**
 * The events in rising order of precedence: the start, then an end that contradicts the first end, then the
 * first end. So the order of arrival does not change the record.
 */
export function byWeight<E extends Received>(events: readonly E[]): E[] {
  const outcome = standing(events);
  const weight = (event: E) => (event === outcome ? 2 : event.kind in OUTCOME ? 1 : 0);
  return [...events].sort((a, b) => weight(a) - weight(b));
}
