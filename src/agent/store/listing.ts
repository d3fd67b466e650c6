import { AgentFailure } from '../failures';
import type { CheckpointStore, Found } from './checkpoint-store';
import type { Manifest } from './manifest';

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

/** Every manifest of a store that can be used, one after the other. */
export async function* usable(store: Pick<CheckpointStore, 'ids' | 'find'>): AsyncIterable<Manifest> {
  for await (const id of store.ids()) {
    const manifest = await store.find(id);
    if (typeof manifest !== 'string') yield manifest;
  }
}
