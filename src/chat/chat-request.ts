import { isJsonObject, structureFault, type JsonObject } from '../common/json';
import { invalidField } from '../common/problem';
import { BYTES_PER_TOKEN, DEFAULT_MAX_TOKENS } from '../authorizations/prices';

/** Answers that a request may ask for at once. */
const MAX_CHOICES = 128;
const MAX_TOKENS = 10_000_000;
const MAX_MODEL = 253;

/** What the service reads of a chat request. The rest is the worker's, and reaches it byte by byte. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The client itself asked for the usage at the end of the stream. */
  readonly wantsUsage: boolean;
  /** As far as bytes tell. */
  readonly promptTokens: number;
  /** Of all answers it asks for. */
  readonly maxTokens: number;
  readonly members: JsonObject;
  /** For a worker that knows the model under its exact name; a stream tells its usage at the end. */
  bodyFor(exactModel: string): string;
  /** Nobody needs the body any more: a stream may last much longer than its request, which may hold pictures. */
  letGo(): void;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws a 400 that names the member at fault */
export function readChat(bytes: Buffer | undefined): ChatRequest {
  if (!bytes) throw invalidField('body', 'is required');
  const fault = structureFault(bytes);
  if (fault !== undefined) throw invalidField('body', fault);
  let text = decode(bytes);
  const members = parse(text);
  const { model } = members;
  if (typeof model !== 'string' || model === '') throw invalidField('model', 'must be a text that is not empty');
  if (model.length > MAX_MODEL) throw invalidField('model', `must have at most ${MAX_MODEL} characters`);
  const stream = optional(members, 'stream', 'boolean') ?? false;
  const options = optional(members, 'stream_options', 'object');
  const wantsUsage = stream && options?.include_usage === true;
  const maxTokens = count(members, 'max_completion_tokens', MAX_TOKENS) ?? count(members, 'max_tokens', MAX_TOKENS);
  return {
    model,
    stream,
    wantsUsage,
    promptTokens: Math.ceil(bytes.length / BYTES_PER_TOKEN),
    maxTokens: (maxTokens ?? DEFAULT_MAX_TOKENS) * (count(members, 'n', MAX_CHOICES) ?? 1),
    // Read anew by the few who need them: kept, they would take as much again as the text.
    get members() {
      return text === '' ? {} : parse(text);
    },
    letGo: () => {
      text = '';
    },
    bodyFor: (exactModel) => {
      const changed = new Map([['model', JSON.stringify(exactModel)]]);
      if (stream && !wantsUsage) changed.set('stream_options', JSON.stringify({ ...options, include_usage: true }));
      return withMembers(text, changed);
    },
  };
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidField('body', 'must be UTF-8');
  }
}

function parse(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidField('body', 'must be valid JSON');
  }
  if (!isJsonObject(value)) throw invalidField('body', 'must be a JSON object');
  return value;
}

function optional(members: JsonObject, name: string, type: 'boolean'): boolean | undefined;
function optional(members: JsonObject, name: string, type: 'object'): JsonObject | undefined;
function optional(members: JsonObject, name: string, type: string): unknown {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== type || Array.isArray(value))
    throw invalidField(name, type === 'boolean' ? 'must be true or false' : 'must be an object');
  return value;
}

function count(members: JsonObject, name: string, max: number): number | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max)
    throw invalidField(name, `must be an integer from 1 to ${max}`);
  return value as number;
}

/**
 * A JSON object as it was written, but for some of its members: parsed and written anew, numbers and the order of members would not
 * be what they were. A member that stands twice is replaced twice, whichever a worker reads.
 *
 * @param text of an object, valid
 * @param changed JSON by the name of the member; one that is not there is put at the end
 */
export function withMembers(text: string, changed: ReadonlyMap<string, string>): string {
  const missing = new Map(changed);
  let written = '';
  let from = 0;
  let at = afterSpace(text, text.indexOf('{') + 1);
  let empty = true;
  while (text[at] !== '}') {
    empty = false;
    const nameEnd = afterString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    const begin = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const end = afterValue(text, begin);
    const value = changed.get(name);
    if (value !== undefined) {
      missing.delete(name);
      written += text.slice(from, begin) + value;
      from = end;
    }
    at = afterSpace(text, end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  const added = [...missing].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join();
  return written + text.slice(from, at) + (added && !empty ? ',' : '') + added + text.slice(at);
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** @param from at its opening quote */
function afterString(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  for (;;) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at + 1;
    at = text.indexOf('"', at + 1);
  }
}

function afterValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; ; at++) {
    const character = text[at];
    if (character === '"') {
      at = afterString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      // The end of the object itself, behind a number or a word.
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (character === ',' || text.charCodeAt(at) <= 0x20)) return at;
  }
}
