/**
 * JSON that survives the journey. `JSON.parse` rounds integers beyond 2^53-1; what a client sends in a member of any
 * type, or in a kept object, must come back as it came. Numbers that a double cannot hold become raw JSON values, which
 * `JSON.stringify` writes out digit by digit and which no typed field accepts.
 */

import { randomBytes } from 'node:crypto';

/** A number kept as its digits. Opaque to the rest of the service: it is only stored and given back. */
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
 * Only a number of many digits or with a large exponent can be rounded. Looked for where a number may stand, because the
 * digests and ids that every Kubernetes object is full of have long runs of digits too.
 */
const MAY_ROUND = /(?:^|[:,[\s])(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d{3,}))(?=[\s,\]}]|$)/g;
const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export function parseJson(text: string): unknown {
  const tokens = roundingTokens(text);
  if (tokens.length === 0) return JSON.parse(text);
  // The few that are rounded are put aside before the text is parsed, and back afterwards: a reviver would be called for
  // every value of a text of megabytes. No text can hold the name under which they are put aside.
  const aside = `raw-${randomBytes(12).toString('hex')}`;
  const parts: string[] = [];
  let from = 0;
  for (const { at, digits } of tokens) {
    parts.push(text.slice(from, at), `{"${aside}":"${digits}"}`);
    from = at + digits.length;
  }
  return putBack(JSON.parse(parts.join('') + text.slice(from)), aside);
}

/** What others answered, which may be anything. @returns undefined where it is no JSON */
export function jsonIfAny(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Numbers that a double would round, by their place; none within a string. */
function roundingTokens(text: string): { at: number; digits: string }[] {
  const found: { at: number; digits: string }[] = [];
  let quoted = false;
  // Kept between the numbers, so that the text is looked through once.
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

/** Whether the character has an odd number of backslashes before it. */
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
    // Defined, not assigned: a member named __proto__ would change what the object is.
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
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  return significant.length > 17 || (value === 0 && significant !== '');
}

/** A sum from the database, given as digits: a number where that is exact, raw digits where it is not. */
export function exactNumber(digits: string): number | RawNumber {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : rawNumber(digits);
}

export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Why PostgreSQL could not keep a text as it is, with the place; undefined when it can. */
export function unstorable(value: unknown): { path: string; message: string } | undefined {
  return walk(value, '', 0);
}

/** Levels of arrays and objects that a body may have; nothing real comes near. */
export const MAX_DEPTH = 200;

const BYTES = {
  quote: 0x22,
  backslash: 0x5c,
  bracket: 0x5b,
  brace: 0x7b,
  closingBracket: 0x5d,
  closingBrace: 0x7d,
  point: 0x2e,
  exponent: 0x65,
};

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** A number that may be kept as its digits takes as much as so many arrays while it is parsed. */
const LONG_NUMBER = 4;
/** Digits from which on a double may round a number; see `MAY_ROUND`. */
const LONG_DIGITS = 16;

/** Arrays and objects, and long numbers fourfold, that a body may have; 5,000 large pods have a third of it. Each takes a hundred times its two bytes. */
export const MAX_CONTAINERS = 3_000_000;

/** What of the structure of a JSON text, as UTF-8, is beyond its bounds; found without parsing it. */
export function structureFault(
  text: Uint8Array,
  maxDepth = MAX_DEPTH,
  maxContainers = MAX_CONTAINERS,
): string | undefined {
  let depth = 0;
  let containers = 0;
  let quoted = false;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (quoted) {
      if (byte === BYTES.backslash) at++;
      else if (byte === BYTES.quote) quoted = false;
      continue;
    }
    if (isDigit(byte)) {
      if (++digits === LONG_DIGITS) containers += LONG_NUMBER;
      continue;
    }
    // Both cases of the letter; `true` and `false` have none behind a digit.
    if (digits > 0 && digits < LONG_DIGITS && byte !== undefined && (byte | 0x20) === BYTES.exponent)
      containers += LONG_NUMBER;
    if (byte !== BYTES.point) digits = 0;
    if (byte === BYTES.quote) quoted = true;
    else if (byte === BYTES.bracket || byte === BYTES.brace) {
      if (++depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`;
      containers++;
    } else if (byte === BYTES.closingBracket || byte === BYTES.closingBrace) depth--;
    if (containers > maxContainers) return `must not hold more than ${maxContainers} arrays, objects and long numbers`;
  }
  return undefined;
}

function walk(value: unknown, path: string, depth: number): { path: string; message: string } | undefined {
  if (typeof value === 'string') return textFault(value, path);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
  if (depth >= MAX_DEPTH) return { path, message: `is nested deeper than ${MAX_DEPTH} levels` };
  for (const [key, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const fault = textFault(key, at) ?? walk(member, at, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

function textFault(text: string, path: string): { path: string; message: string } | undefined {
  if (text.includes('\0'))
    return { path: path.replaceAll('\0', '\\u0000'), message: 'must not contain the character U+0000' };
  if (!text.isWellFormed()) return { path: path.toWellFormed(), message: 'must not contain half a surrogate pair' };
  return undefined;
}
