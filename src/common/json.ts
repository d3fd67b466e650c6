/**
 * JSON that survives the journey. `JSON.parse` rounds integers beyond 2^53-1; what a client sends in a member of any
 * type, or in a kept object, must come back as it came. Numbers that a double cannot hold become raw JSON values, which
 * `JSON.stringify` writes out digit by digit and which no typed field accepts.
 */

/** A number kept as its digits. Opaque to the rest of the service: it is only stored and given back. */
export interface RawNumber {
  readonly rawJSON: string;
}

interface LosslessJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
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
const MAY_ROUND = /(?:^|[:,[\s])-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d{3,})(?=[\s,\]}]|$)/;

export function parseJson(text: string): unknown {
  if (!MAY_ROUND.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && rounds(value, source) ? rawNumber(source) : value,
  );
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

const BYTES = { quote: 0x22, backslash: 0x5c, bracket: 0x5b, brace: 0x7b, closingBracket: 0x5d, closingBrace: 0x7d };

/** Whether a JSON text, as UTF-8, nests deeper than this; found without parsing it. */
export function nestedDeeperThan(text: Uint8Array, levels: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (quoted) {
      if (byte === BYTES.backslash) at++;
      else if (byte === BYTES.quote) quoted = false;
    } else if (byte === BYTES.quote) quoted = true;
    else if (byte === BYTES.bracket || byte === BYTES.brace) {
      if (++depth > levels) return true;
    } else if (byte === BYTES.closingBracket || byte === BYTES.closingBrace) depth--;
  }
  return false;
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
