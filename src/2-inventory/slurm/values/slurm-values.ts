/**
 * Readers for the values that Slurm prints, in every release since 20.11. A reader returns null for a missing
 * value (absent, unset, one of Slurm's sentinels) and throws a `RecordFault` for an invalid one.
 */
import { isJsonObject, isRawNumber, unstorable, type JsonObject } from '../../../1-platform/common/json/json';

/** Why a record is invalid. The message repeats none of its values. */
export class RecordFault extends Error {}

export type Reader<T> = (value: unknown, record: JsonObject) => T | null;

/** NO_VAL and INFINITE of 32 bits: no number, time or id of Slurm comes near. */
const SENTINELS = new Set([0xfffffffe, 0xffffffff]);
/** Sentinels of 16 bits: these are ordinary numbers elsewhere. */
const SENTINELS_16 = new Set([0xfffe, 0xffff]);
/** Sentinels of 64 bits, by their digits, because a double does not hold them. */
const SENTINELS_64 = new Set(['18446744073709551614', '18446744073709551615']);

const NO_INTEGER = 'must be an integer that a double holds exactly';

/** A number, or since 23.02 `{set, infinite, number}`. */
export function integer(value: unknown): number | null {
  const found = isJsonObject(value) ? (value.set === false || value.infinite === true ? null : value.number) : value;
  if (found === undefined || found === null) return null;
  if (isRawNumber(found) && SENTINELS_64.has(found.rawJSON)) return null;
  if (!Number.isSafeInteger(found)) throw new RecordFault(NO_INTEGER);
  return SENTINELS.has(found as number) ? null : (found as number);
}

/**
 * An integer within bounds. @param sixteenBits whether Slurm stores it in 16 bits, with sentinels of their
 * own
 */
export const integerOf =
  (min: number, max: number, { sixteenBits = false } = {}): Reader<number> =>
  (value) => {
    const number = integer(value);
    if (number === null || (sixteenBits && SENTINELS_16.has(number))) return null;
    if (number < min) throw new RecordFault(`must be at least ${min}`);
    if (number > max) throw new RecordFault(`must be at most ${max}`);
    return number;
  };

const INT32_MAX = 2 ** 31 - 1;
export const int32 = integerOf(-INT32_MAX - 1, INT32_MAX);
export const count32 = integerOf(0, INT32_MAX);
export const count = integerOf(0, Number.MAX_SAFE_INTEGER);

/** The last second of a four-digit year. */
const LAST_SECOND = 253_402_300_799;
/** Epoch seconds; 0 while Slurm has no time. */
export const epochSeconds = integerOf(0, LAST_SECOND);

/** A limit in minutes, -1 for none. */
export function minutes(value: unknown): number | null {
  if (isJsonObject(value) && value.infinite === true) return -1;
  if (value === 0xffffffff) return -1;
  return integerOf(-1, Number.MAX_SAFE_INTEGER)(value, {});
}

/** A user's number; a name counts as missing. */
export function userId(value: unknown): number | null {
  if (typeof value === 'string') return /^\d{1,10}$/.test(value) ? userId(Number(value)) : null;
  const number = integer(value);
  return number === null || number < 0 ? null : number;
}

/** Empty text counts as missing. @param max maximum length in UTF-16 units */
export const text =
  (max: number): Reader<string> =>
  (value) => {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value !== 'string') throw new RecordFault('must be a string');
    if (value.length > max) throw new RecordFault(`must have at most ${max} characters`);
    const fault = unstorable(value);
    if (fault) throw new RecordFault(fault.message);
    return value;
  };

/** What Slurm prints for an empty list of nodes. */
const NO_NODES = new Set(['None assigned', '(null)', 'N/A']);

/** Names in Slurm's notation in one text, `n[1-3],m1`, or as an array. */
export const listText =
  (max: number): Reader<string> =>
  (value, record) => {
    const found = Array.isArray(value) ? texts(value).join(',') : value;
    return NO_NODES.has(found as string) ? null : text(max)(found, record);
  };

export function texts(value: unknown[]): string[] {
  if (value.every((item) => typeof item === 'string')) return value;
  throw new RecordFault('must hold strings only');
}

/** Words of an array, or of a text with commas. */
export function words(value: unknown): string[] | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
  if (Array.isArray(value)) return texts(value);
  throw new RecordFault('must be an array of strings');
}

const STATE = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * The state of a job or a partition: text, or since 23.02 a list with the state first and then its flags. In
 * upper case; `CANCELLED by 1000` is sacct's.
 */
export function state(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (first === undefined || first === null || first === '') return null;
  if (typeof first !== 'string') throw new RecordFault('must be a string or an array of strings');
  const word = first.trim().split(/[\s+]/, 1)[0]?.toUpperCase() ?? '';
  if (!STATE.test(word)) throw new RecordFault('must be a state of Slurm');
  return word;
}

const SIGNAL_BITS = 0x7f;
/** The exit code that a shell shows for a process ended by a signal. */
const SHELL_SIGNAL = 128;

/** Up to 22.05 the status of wait(2): 768 is exit 3. Later an object, as slurmdbd's always was. */
export function exitCode(value: unknown): number | null {
  if (!isJsonObject(value) || 'number' in value) {
    const status = count32Of(value);
    if (status === null) return null;
    const signal = status & SIGNAL_BITS;
    return signal > 0 ? SHELL_SIGNAL + signal : (status >> 8) & 0xff;
  }
  const found = isJsonObject(value.signal) ? (value.signal.id ?? value.signal.signal_id) : value.signal;
  const signal = signalOf(found, {});
  return signal !== null && signal > 0 ? SHELL_SIGNAL + signal : count32Of(value.return_code);
}

/** No signal has a number that does not fit into the status of wait(2). */
const signalOf = integerOf(0, SIGNAL_BITS, { sixteenBits: true });

const count32Of = (value: unknown): number | null => count32(value, {});
