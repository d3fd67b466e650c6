import { conflict } from '../common/problem';

export const eventSeen = () => conflict('event_seen', 'An event of this id was recorded before; nothing was changed.');
