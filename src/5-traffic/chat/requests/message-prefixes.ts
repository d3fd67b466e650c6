import { createHash } from 'node:crypto';
import { JsonScan, kindOf } from '../workers/json-scan';

/** Only this much of the messages is hashed: the beginning of a conversation is enough to recognise it. */
const HASHED_BYTES = 64 * 1024;

/** A turn adds the last answer and a question, and sometimes calls of tools and their results. */
const LOOKED_BACK = 8;

const NONE: readonly string[] = [];

/**
 * Hashes of the messages up to each of the last ones, the longest first. The next turn of a conversation
 * begins with the same bytes, so one of its hashes equals the first one of this turn.
 * @param messages a JSON array
 */
export function messagePrefixes(messages: Buffer): readonly string[] {
  if (kindOf(messages[0]) !== 'array') return NONE;
  const ends: number[] = [];
  const part = messages.subarray(0, HASHED_BYTES);
  // The last value may be cut off: then it is not reported.
  const scan = new JsonScan(part, (_start, end) => ends.push(end));
  scan.advance(part.length);
  if (ends.length === 0) return NONE;
  const hash = createHash('sha1');
  const prefixes: string[] = [];
  let from = 0;
  for (const end of ends.slice(-LOOKED_BACK)) {
    hash.update(part.subarray(from, end));
    prefixes.push(hash.copy().digest('base64'));
    from = end;
  }
  return prefixes.reverse();
}
