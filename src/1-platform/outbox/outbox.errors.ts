import { invalidField, notFound, Problem } from '../common/answers/problem';

export const consumerNotFound = () => notFound('consumer_not_found', 'No consumer with that name has read the outbox.');
export const aboveHead = () => invalidField('event_id', 'is above the newest event');
/**
 * A database that was restored from a backup assigns these numbers to other events: nothing may be skipped
 * silently.
 */
export const cursorAhead = (head: number) =>
  new Problem(
    410,
    'cursor_ahead',
    'The cursor is beyond the newest event: read the state again, and continue from head.',
    {
      members: { head },
    },
  );
/** @param oldest the lowest stored event id */
export const cursorBehind = (oldest: number) =>
  new Problem(410, 'outbox_cursor_gone', 'Events after the cursor have been removed: read the state again.', {
    members: { oldest_event_id: oldest },
  });
