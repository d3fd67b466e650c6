import { randomFillSync } from 'node:crypto';
import { v5, v7, validate } from 'uuid';

const ID_BYTES = 16;

/**
 * Randomness is had for many ids at a time: the library asks for
 * that of each, which took a tenth of a hot request.
 */
const randomness = Buffer.alloc(256 * ID_BYTES);
let used = randomness.length;

/**
 * As the library does where it is not given its randomness:
 * of one millisecond, a later id is the greater one.
 */
let milliseconds = 0;
let sequence = 0;

/** A new row id (UUIDv7: sorts by creation). Made by the app, so that an insert can be tried again. */
export function newId(): string {
  if (used === randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  const random = randomness.subarray(used, (used += ID_BYTES));
  // eslint-disable-next-line no-restricted-syntax -- the time of an id is nobody's to hold still
  const now = Date.now();
  if (now > milliseconds) {
    milliseconds = now;
    sequence = random.readUInt32BE(6) >>> 1;
  } else {
    sequence = (sequence + 1) >>> 0;
    if (sequence === 0) milliseconds++;
  }
  return v7({ random, msecs: milliseconds, seq: sequence });
}

/** The id of somebody whom an issuer (a URL) names: always the same for both (UUIDv5). */
export const idOfSubject = (issuer: string, subject: string): string => v5(subject, v5(issuer, v5.URL));

/** True for any RFC 9562 UUID, either case. */
export const isUuid = (value: unknown): value is string => typeof value === 'string' && validate(value);
