import { join } from 'node:path';
import { readJson, writeJson } from '../../files/json-file';
import type { Cursor } from '../../service/outbox-reader';

/** The number of the last event that a cluster's controller has taken, in its directory. */
export function outboxCursor(directory: string): Cursor {
  const file = join(directory, 'cursor.json');
  return {
    load: async () => (await readJson<{ event_id: number }>(file))?.event_id,
    save: (eventId) => writeJson(file, { event_id: eventId }),
  };
}
