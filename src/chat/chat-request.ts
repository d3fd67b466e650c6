import { BODY_BOUNDS } from '../auth/operation.decorator';
import { isJsonObject, type JsonObject } from '../common/json';
import { structureFault } from '../common/json-structure';
import { invalidField } from '../common/problem';
import { BYTES_PER_TOKEN, DEFAULT_MAX_TOKENS } from '../authorizations/prices';
import type { Endpoint } from '../profiles/profile-endpoints';

/** Answers that a request may ask for at once. */
const MAX_CHOICES = 128;
const MAX_TOKENS = 10_000_000;
const MAX_MODEL = 253;

/** Texts that one request may have completed or embedded, as in OpenAI's API. */
const MAX_INPUTS = 2_048;

/** What the service reads of a request for a model. The rest is the worker's, and reaches it byte by byte. */
export interface InferenceRequest {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly stream: boolean;
  /** The client is to see all events of the stream: also the one with the usage, which the service may have asked for. */
  readonly wantsUsage: boolean;
  /** An estimate from the size of the body, or the number of tokens if the client sends tokens. */
  readonly promptTokens: number;
  /** The most that all answers together may have. */
  readonly maxTokens: number;
  readonly members: JsonObject;
  /** For a worker that knows the model under its exact name; a stream tells its usage at the end. */
  bodyFor(exactModel: string): string;
  /** Nobody needs the body any more: a stream may last much longer than its request, which may hold pictures. */
  letGo(): void;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws a 400 that names the member at fault */
export function readRequest(endpoint: Endpoint, bytes: Buffer | undefined): InferenceRequest {
  if (!bytes) throw invalidField('body', 'is required');
  const fault = structureFault(bytes, BODY_BOUNDS.chat);
  if (fault !== undefined) throw invalidField('body', fault);
  let text = decode(bytes);
  const members = parse(text);
  const { model } = members;
  if (typeof model !== 'string' || model === '') throw invalidField('model', 'must be a text that is not empty');
  if (model.length > MAX_MODEL) throw invalidField('model', `must have at most ${MAX_MODEL} characters`);
  const stream = endpoint !== 'embeddings' && (optional(members, 'stream', 'boolean') ?? false);
  const options = optional(members, 'stream_options', 'object');
  // The events of a response tell its usage without being asked.
  const wantsUsage = endpoint === 'responses' || (stream && options?.include_usage === true);
  const { promptTokens, maxTokens } = SIZES[endpoint](members);
  return {
    endpoint,
    model,
    stream,
    wantsUsage,
    promptTokens: Math.max(Math.ceil(bytes.length / BYTES_PER_TOKEN), promptTokens),
    maxTokens,
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

/** What the members of a request tell of its size. */
interface Size {
  /** 0 if the members do not tell it. */
  readonly promptTokens: number;
  readonly maxTokens: number;
}

const SIZES: Readonly<Record<Endpoint, (members: JsonObject) => Size>> = {
  chat: (members) => {
    const bound = count(members, 'max_completion_tokens', MAX_TOKENS) ?? count(members, 'max_tokens', MAX_TOKENS);
    const choices = count(members, 'n', MAX_CHOICES) ?? 1;
    return { promptTokens: 0, maxTokens: (bound ?? DEFAULT_MAX_TOKENS) * choices };
  },
  completions: (members) => {
    const { texts, tokens } = inputs(members, 'prompt');
    const bound = count(members, 'max_tokens', MAX_TOKENS) ?? DEFAULT_MAX_TOKENS;
    // The worker writes `best_of` answers for each prompt and sends the best `n`.
    const choices = Math.max(count(members, 'n', MAX_CHOICES) ?? 1, count(members, 'best_of', MAX_CHOICES) ?? 1);
    return { promptTokens: tokens, maxTokens: bound * choices * texts };
  },
  embeddings: (members) => ({ promptTokens: inputs(members, 'input').tokens, maxTokens: 0 }),
  responses: (members) => {
    // There is no operation here to fetch the response later.
    if (optional(members, 'background', 'boolean')) throw invalidField('background', 'must not be true');
    return { promptTokens: 0, maxTokens: count(members, 'max_output_tokens', MAX_TOKENS) ?? DEFAULT_MAX_TOKENS };
  },
};

/** A text, tokens, or a list of either. */
function inputs(members: JsonObject, name: string): { texts: number; tokens: number } {
  const value = members[name];
  if (!Array.isArray(value)) return { texts: 1, tokens: 0 };
  if (value.length > 0 && value.every((one) => typeof one === 'number')) return { texts: 1, tokens: value.length };
  if (value.length > MAX_INPUTS) throw invalidField(name, `must have at most ${MAX_INPUTS} texts`);
  let tokens = 0;
  for (const one of value) if (Array.isArray(one)) tokens += one.length;
  return { texts: Math.max(value.length, 1), tokens };
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
