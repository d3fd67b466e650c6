import { text } from './figures';
import type { Cell, Tone } from './table';

/** Words of the service's states, in lower case. */
const WORDS: Readonly<Record<Tone, readonly string[]>> = {
  good: ['active', 'available', 'complete', 'completed', 'fulfilled', 'golden', 'idle', 'ready', 'restorable'].concat([
    'running',
    'serving',
    'succeeded',
    'allocated',
    'up',
  ]),
  busy: ['checkpoint_created', 'initialized', 'initializing', 'loading', 'mixed', 'pending', 'possibly_uploaded']
    .concat(['processing', 'pulling', 'restoring', 'scheduled', 'scheduling', 'started', 'starting', 'activating'])
    .concat(['suspended', 'updated_info', 'warming', 'draining', 'fallback', 'outdated', 'deleting', 'queued']),
  bad: [
    'error',
    'expired',
    'failed',
    'inactive',
    'notready',
    'quarantined',
    'revoked',
    'orphaned',
    'unknown',
    'down',
  ].concat(['drain', 'stale', 'superseded', 'deprecated', 'disabled', 'cancelled']),
};

const TONES = new Map(
  (Object.entries(WORDS) as [Tone, readonly string[]][]).flatMap(([tone, words]) => words.map((word) => [word, tone])),
);

/** A state as a cell: the word, and what it means where that is known. */
export function state(word: string | null | undefined): Cell {
  const tone = TONES.get((word ?? '').toLowerCase());
  return tone === undefined ? text(word) : { text: word ?? '', tone };
}
