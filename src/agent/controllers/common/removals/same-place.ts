import type { CheckpointStore } from '../../../store/checkpoint-store';
import { storeFailed } from '../../../store/store-failures';

/**
 * After a removal and before its confirmation. A directory that was not mounted any more had nothing to
 * remove, and the bytes are still on what it was mounted from.
 * @param place of the store when it had the bytes
 */
export async function requireSamePlace(
  store: CheckpointStore,
  place: string | undefined,
  reference: string,
): Promise<void> {
  if ((await store.place()) !== place)
    throw storeFailed(`the store of ${reference} is not the one that had it, so nobody knows whether it is gone`);
}
