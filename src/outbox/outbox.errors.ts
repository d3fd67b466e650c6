import { invalidField, notFound, Problem } from '../common/problem';

export const consumerNotFound = () => notFound('consumer_not_found', 'No consumer of that name has read the outbox.');
export const aboveHead = () => invalidField('event_id', 'is above the newest event');
/** @param oldest the lowest event id that is kept */
export const cursorBehind = (oldest: number) =>
  new Problem(410, 'outbox_cursor_gone', 'Events behind the cursor are not kept any more: read the state anew.', {
    members: { oldest_event_id: oldest },
  });
