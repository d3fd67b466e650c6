import type { ServiceClient } from './client';
import type { components } from './schema';

export type ListedCheckpoint = components['schemas']['CheckpointListItemView'];

/**
 * Ids in the query of one request. Its comma is escaped, so each takes 39 bytes: 100 take 4 KB of the request
 * line, of which a proxy such as nginx takes 8 KB, and the service 16 KB together with all headers.
 */
export const IDS_A_REQUEST = 100;

/** In sets of as many as one request may name. */
export function* inSets<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < all.length; start += IDS_A_REQUEST) yield all.slice(start, start + IDS_A_REQUEST);
}

/** What the service has of these checkpoints, however many they are. */
export async function listedCheckpoints(service: ServiceClient, ids: readonly string[]): Promise<ListedCheckpoint[]> {
  const found: ListedCheckpoint[] = [];
  for (const set of inSets(ids)) {
    const query = { ids: set.join(','), limit: set.length };
    found.push(...(await service.send('list_checkpoints', (api) => api.GET('/v1/checkpoints', { params: { query } }))));
  }
  return found;
}
