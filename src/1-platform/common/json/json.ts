/**
 * JSON without loss of digits. `JSON.parse` rounds integers beyond 2^53-1, but values in members of any type
 * and in stored objects must be returned as received. Numbers that a double cannot hold become raw JSON
 * values, which `JSON.stringify` prints digit by digit and no typed field accepts.
 */

import { randomBytes } from 'node:crypto';
import { MAX_DEPTH } from './json-structure';
import { stepsInSlices, type Steps } from '../work/slices';

/** A number stored as its digits. It is only stored and returned. */
export interface RawNumber {
  readonly rawJSON: string;
}

interface LosslessJson {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
}
// Present in Node 24; TypeScript's library does not know these members yet.
const json = JSON as unknown as LosslessJson;

export const isRawNumber = (value: unknown): value is RawNumber => json.isRawJSON(value);
export const rawNumber = (digits: string): RawNumber => json.rawJSON(digits);

/**
 * Only a number with many digits or a large exponent can be rounded. It is searched only where a number may
 * be, because the digests and ids in every Kubernetes object have long runs of digits too.
 */
const MAY_ROUND = /(?:^|[:,[\s])(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d{3,}))(?=[\s,\]}]|$)/g;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export function parseJson(text: string): unknown {
  const tokens = roundingTokens(text);
  if (tokens.length === 0) return JSON.parse(text);
  // The few rounded numbers are replaced before parsing and restored afterwards: a reviver would be called
  // for every value of a text of megabytes. No text can contain the name of the replacement.
  const aside = `raw-${randomBytes(12).toString('hex')}`;
  const parts: string[] = [];
  let from = 0;
  for (const { at, digits } of tokens) {
    parts.push(text.slice(from, at), `{"${aside}":"${digits}"}`);
    from = at + digits.length;
  }
  return putBack(JSON.parse(parts.join('') + text.slice(from)), aside);
}

/** Parses anything that another service answered. @returns undefined if it is not JSON */
export function jsonIfAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Numbers that a double would round, by position; none within a string. */
function roundingTokens(text: string): { at: number; digits: string }[] {
  const found: { at: number; digits: string }[] = [];
  let quoted = false;
  // Kept between the numbers, so that the text is read once.
  let quote = text.indexOf('"');
  for (const match of text.matchAll(MAY_ROUND)) {
    const [whole, digits = ''] = match;
    const at = match.index + whole.length - digits.length;
    for (; quote >= 0 && quote < at; quote = text.indexOf('"', quote + 1)) {
      if (!quoted || !escaped(text, quote)) quoted = !quoted;
    }
    if (!quoted && JSON_NUMBER.test(digits) && rounds(Number(digits), digits)) found.push({ at, digits });
  }
  return found;
}

/** Whether an odd number of backslashes precedes the character. */
function escaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

function putBack(value: unknown, aside: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const member: unknown = value[index];
      if (typeof member === 'object' && member !== null) value[index] = putBack(member, aside);
    }
    return value;
  }
  const object = value as JsonObject;
  const digits = object[aside];
  if (typeof digits === 'string') return rawNumber(digits);
  for (const key of Object.keys(object)) {
    const member = object[key];
    // Defined, not assigned: assigning a member named __proto__ would change the prototype.
    if (typeof member === 'object' && member !== null) {
      Object.defineProperty(object, key, {
        value: putBack(member, aside),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return object;
}

function rounds(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return true;
  const significant = source
    .replace(/[eE][^eE]*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    // Only from the first of them: from each one, many zeros before another digit take minutes.
    .replace(/(?<!0)0+$/, '');
  return significant.length > 17 || (value === 0 && significant !== '');
}

/** A sum from the database, given as digits: a number if that is exact, raw digits otherwise. */
export function exactNumber(digits: string): number | RawNumber {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : rawNumber(digits);
}

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Whether a value takes more than this many bytes as JSON text. Stops as soon as it does. */
export function isLargerThan(value: unknown, maxBytes: number): boolean {
  return bytesLeft(value, maxBytes) < 0 || Buffer.byteLength(JSON.stringify(value)) > maxBytes;
}

/** Subtracts the minimum size of a value: escapes and characters beyond ASCII take more. */
function bytesLeft(value: unknown, size: number): number {
  if (typeof value === 'string') return size - value.length - 2;
  if (typeof value !== 'object' || value === null) return size - 1;
  if (isRawNumber(value)) return size - value.rawJSON.length;
  let left = size - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++)
      left = bytesLeft(value[index], index === 0 ? left : left - 1);
    return left;
  }
  let first = true;
  for (const name of Object.keys(value)) {
    // The name's quotes, the colon, and the comma before all members but the first.
    left = bytesLeft((value as JsonObject)[name], left - name.length - (first ? 3 : 4));
    first = false;
    if (left < 0) return left;
  }
  return left;
}

/** Why PostgreSQL cannot store a value, and its path. */
export interface StorageFault {
  readonly path: string;
  readonly message: string;
}

/**
 * Searches a whole value at once; see `unstorableInSlices`.
 * @returns undefined if PostgreSQL can store the value
 */
export function unstorable(value: unknown): StorageFault | undefined {
  if (typeof value === 'string') return faultAt('', textFault(value));
  const search = new StorageFaultSearch(value);
  search.advance(Infinity);
  return search.fault;
}

/** Cost of a step, in values: well under a millisecond. */
const STEP_COST = 4_096;

/** Characters of a text that cost as much as one value. */
const CHARACTERS_OF_COST = 256;

/** Like `unstorable`, for values of any size. Small ones are searched at once. */
export async function unstorableInSlices(value: unknown): Promise<StorageFault | undefined> {
  const search = new StorageFaultSearch(value);
  function* steps(): Steps<void> {
    while (search.advance(STEP_COST)) yield;
  }
  if (search.advance(STEP_COST)) await stepsInSlices(steps());
  return search.fault;
}

/** An array or object that is being searched. */
interface Level {
  readonly container: readonly unknown[] | JsonObject;
  /** Undefined in an array. */
  readonly names: readonly string[] | undefined;
  /** Index of the current element or member. */
  at: number;
}

/**
 * Depth first, with pauses between any two values. A path is created for a fault only, because paths of all
 * values cost too much.
 */
class StorageFaultSearch {
  fault: StorageFault | undefined;
  private readonly levels: Level[] = [];
  private cost = 0;

  constructor(value: unknown) {
    this.look(value);
  }

  /** Searches values of about this cost. @returns whether there are more */
  advance(cost: number): boolean {
    const until = this.cost + cost;
    for (let level = this.levels.at(-1); level && !this.fault; level = this.levels.at(-1)) {
      if (this.cost >= until) return true;
      this.next(level);
    }
    return false;
  }

  private next(level: Level): void {
    const { container, names } = level;
    const at = ++level.at;
    if (names === undefined) {
      const elements = container as readonly unknown[];
      if (at < elements.length) this.look(elements[at]);
      else this.levels.pop();
      return;
    }
    const name = names[at];
    if (name === undefined) {
      this.levels.pop();
      return;
    }
    this.lookAtText(name);
    if (!this.fault) this.look((container as JsonObject)[name]);
  }

  private look(value: unknown): void {
    this.cost++;
    if (typeof value === 'string') return this.lookAtText(value);
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return;
    if (this.levels.length >= MAX_DEPTH) {
      this.fault = faultAt(this.path(), `is nested deeper than ${MAX_DEPTH} levels`);
      return;
    }
    const isArray = Array.isArray(value);
    const container = value as readonly unknown[] | JsonObject;
    this.levels.push({ container, names: isArray ? undefined : Object.keys(value), at: -1 });
  }

  private lookAtText(text: string): void {
    this.cost += text.length / CHARACTERS_OF_COST;
    const message = textFault(text);
    if (message !== undefined) this.fault = faultAt(this.path(), message);
  }

  private path(): string {
    let path = '';
    for (const { names, at } of this.levels) {
      if (names === undefined) path += `[${at}]`;
      else path += path === '' ? names[at] : `.${names[at]}`;
    }
    return path;
  }
}

const faultAt = (path: string, message: string | undefined): StorageFault | undefined =>
  message === undefined ? undefined : { path: path.replaceAll('\0', '\\u0000').toWellFormed(), message };

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? undefined : 'must not contain half a surrogate pair';
}
