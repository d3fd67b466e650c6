import { conflict } from '../../1-platform/common/answers/problem';

export const eventSeen = () =>
  conflict('event_seen', 'An event with this id was recorded before; nothing was changed.');
