import { invalidField, notFound, Problem } from '../common/answers/problem';

export const consumerNotFound = () => notFound('consumer_not_found', 'No consumer of that name has read the outbox.');
export const aboveHead = () => invalidField('event_id', 'is above the newest event');
/**
 * A database that was restored from a backup gives these numbers
 * to other events: nothing may be skipped silently.
 */
export const cursorAhead = (head: number) =>
  new Problem(410, 'cursor_ahead', 'The cursor is beyond the newest event: read the state anew, and go on from head.', {
    members: { head },
  });
/** @param oldest the lowest event id that is kept */
export const cursorBehind = (oldest: number) =>
  new Problem(410, 'outbox_cursor_gone', 'Events behind the cursor are not kept any more: read the state anew.', {
    members: { oldest_event_id: oldest },
  });
