import { AgentFailure } from '../failures';
import type { CheckpointStore, Found, PassOver } from './checkpoint-store';
import type { Manifest } from './manifest';
import { UnreadableManifest } from './store-failures';

/** What reading a manifest gives. Throws `AgentFailure` if the store fails. */
export async function found(reading: Promise<Manifest>): Promise<Found> {
  try {
    return await reading;
  } catch (error) {
    const cause = error instanceof AgentFailure ? error.facts.cause : undefined;
    if (cause === 'checkpoint_missing') return 'missing';
    if (cause === 'checkpoint_damaged' || cause === 'checkpoint_untrusted') return 'unusable';
    throw error;
  }
}

/**
 * Every manifest of a store that can be used, one after the other. One that cannot be read keeps none of the
 * others away. If that is so of all, the store is not there.
 */
export async function* usable(
  store: Pick<CheckpointStore, 'ids' | 'find'>,
  passOver: PassOver = () => undefined,
): AsyncIterable<Manifest> {
  let unreadable: UnreadableManifest | undefined;
  let isThere = false;
  for await (const id of store.ids())
    try {
      const manifest = await store.find(id);
      isThere = true;
      if (typeof manifest !== 'string') yield manifest;
    } catch (error) {
      if (!(error instanceof UnreadableManifest)) throw error;
      unreadable ??= error;
      passOver(error);
    }
  if (unreadable && !isThere) throw unreadable;
}
