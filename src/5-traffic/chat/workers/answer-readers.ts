import { GrowingBuffer } from '../../../1-platform/common/work/growing-buffer';
import { isJsonObject, jsonIfAny, type JsonObject } from '../../../1-platform/common/json/json';
import { stepsAtOnce } from '../../../1-platform/common/work/slices';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { membersOf } from './json-scan';

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Looks at an answer while it passes. */
export interface AnswerReader {
  /** What the worker says it took; undefined until it does, and where it does not. */
  readonly usage: TokenUsage | undefined;
  /** Pieces of text that went by: about as many tokens. */
  readonly pieces: number;
  /** The worker has said that this is all: whoever leaves then has got it. */
  readonly complete: boolean;
  /** Events that went by. */
  readonly events: number;
  /** @returns what the client is to see of it, now */
  take(chunk: Buffer): Buffer;
  /** @returns what is left for the client at the end */
  rest(): Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * A longer answer, such as one of many embeddings, is not
 * read as a whole: its usage is looked for at its end.
 */
const MAX_READ_BYTES = 1024 * 1024;
/**
 * Longer JSON is not parsed, but scanned for what is needed of it:
 * the values of 1 MiB can take a tenth of a second.
 */
const MAX_PARSED_BYTES = 64 * 1024;
const TAIL_BYTES = 16 * 1024;

/** An answer in one piece. */
export class WholeAnswer implements AnswerReader {
  readonly pieces = 0;
  readonly events = 0;
  readonly complete = false;
  private readonly kept = new GrowingBuffer();
  private isWhole = true;

  constructor(private readonly endpoint: Endpoint) {}

  take(chunk: Buffer): Buffer {
    this.kept.append(chunk);
    if (this.kept.length > MAX_READ_BYTES) {
      this.kept.append(this.kept.release().subarray(-TAIL_BYTES));
      this.isWhole = false;
    }
    return chunk;
  }

  rest(): Buffer {
    return NOTHING;
  }

  get usage(): TokenUsage | undefined {
    const { bytes } = this.kept;
    return this.isWhole
      ? usageOf(this.endpoint, membersIn(bytes, USAGE_NAME))
      : usageAtEnd(this.endpoint, bytes.toString('utf8'));
  }
}

const USAGE_NAME: ReadonlySet<string> = new Set(['usage']);

/** Some members of a JSON object, which may be long; those that are long themselves are left out. */
function membersIn(json: Buffer, names: ReadonlySet<string>): JsonObject | undefined {
  const members = stepsAtOnce(membersOf(json, names));
  if (typeof members === 'string') return undefined;
  const short = members.wanted.filter(({ start, end }) => end - start <= MAX_PARSED_BYTES);
  return Object.fromEntries(short.map(({ name, start, end }) => [name, jsonIfAny(json.toString('utf8', start, end))]));
}

const USAGE_MEMBER = '"usage"';
const USAGE_OBJECT = /^"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/;

function usageAtEnd(endpoint: Endpoint, text: string): TokenUsage | undefined {
  const [, usage] = USAGE_OBJECT.exec(text.slice(text.lastIndexOf(USAGE_MEMBER))) ?? [];
  return usage === undefined ? undefined : usageOf(endpoint, { usage: jsonIfAny(usage) });
}

/** An event longer than this is passed on unread. */
const MAX_EVENT_BYTES = 1024 * 1024;

const USAGE = [Buffer.from('"usage":{'), Buffer.from('"usage": {')];
const DATA = Buffer.from('data:');
const DONE = '[DONE]';
const DONE_BYTES = 'data: [DONE]\r\n\r\n'.length;

/**
 * A stream of server-sent events. What came together is passed on together. An event that
 * breaks off waits for its rest: nobody can read half of one, and where the worker breaks off
 * within it, what follows must be an event of its own.
 */
export class EventStream implements AnswerReader {
  usage: TokenUsage | undefined;
  pieces = 0;
  events = 0;
  complete = false;
  /** The begin of an event whose end has not come. */
  private readonly held = new GrowingBuffer();

  /** @param hidesUsage the client did not ask for the event that tells the usage: it must not see it */
  constructor(private readonly hidesUsage: boolean) {}

  take(chunk: Buffer): Buffer {
    const { held } = this;
    // What is held was searched when it came. Only an end of which it has the first bytes can begin in it.
    const searchFrom = Math.max(held.length - (LONGEST_END - 1), 0);
    if (held.length > 0) held.append(chunk);
    let end = endOfEvent(held.length > 0 ? held.bytes : chunk, searchFrom);
    if (end < 0) {
      if (held.length === 0) held.append(chunk);
      // What is longer than any event is passed on unread.
      return held.length > MAX_EVENT_BYTES ? held.release() : NOTHING;
    }
    const data = held.length > 0 ? held.release() : chunk;
    const shown: Buffer[] = [];
    let from = 0;
    let shownFrom = 0;
    for (; end > 0; end = endOfEvent(data, from)) {
      this.events++;
      if (this.look(data.subarray(from, end)) && this.hidesUsage) {
        shown.push(data.subarray(shownFrom, from));
        shownFrom = end;
      }
      from = end;
    }
    if (data.length - from > MAX_EVENT_BYTES) from = data.length;
    else if (data.length > from) held.append(data.subarray(from));
    const rest = data.subarray(shownFrom, from);
    return shown.length === 0 ? rest : Buffer.concat([...shown, rest]);
  }

  rest(): Buffer {
    const held = this.held.release();
    return held.length > 0 && this.look(held) && this.hidesUsage ? NOTHING : held;
  }

  /** @returns whether the event tells the usage and nothing else */
  protected look(event: Buffer): boolean {
    if (!event.includes(DATA)) return false;
    // Whatever a long event holds, it is more than the usage.
    if (event.length > MAX_PARSED_BYTES || !USAGE.some((text) => event.includes(text))) {
      // The event that ends a stream is shorter than any other.
      if (event.length > DONE_BYTES) this.pieces++;
      else this.complete ||= event.includes(DONE);
      return false;
    }
    const value = jsonIfAny(dataOf(event));
    this.usage = usageOf('chat', value) ?? this.usage;
    const alone = isJsonObject(value) && Array.isArray(value.choices) && value.choices.length === 0;
    if (!alone) this.pieces++;
    return alone && this.usage !== undefined;
  }
}

/** Types of the events that end the stream of a response; such an event holds all of it, with its usage. */
const LAST_TYPES = ['response.completed', 'response.incomplete', 'response.failed'];
const LAST_BYTES = LAST_TYPES.map((type) => Buffer.from(type));
const DELTA = Buffer.from('.delta');

/** The stream of a response: its events have types, and the last one tells the usage. */
export class ResponseEventStream extends EventStream {
  constructor() {
    super(false);
  }

  protected override look(event: Buffer): boolean {
    const last = LAST_BYTES.some((type) => event.includes(type)) ? lastEvent(event) : undefined;
    if (isJsonObject(last) && LAST_TYPES.includes(last.type as string)) {
      this.complete = true;
      this.usage = usageOf('responses', last.response) ?? this.usage;
    } else if (event.includes(DELTA)) this.pieces++;
    return false;
  }
}

const TYPE_NAME: ReadonlySet<string> = new Set(['type']);
const OF_LAST: ReadonlySet<string> = new Set(['type', 'response']);

/**
 * What is needed of the event that may be the last one. A long one is
 * read if its data is in one line, as engines write it.
 */
function lastEvent(event: Buffer): unknown {
  if (event.length <= MAX_PARSED_BYTES) return jsonIfAny(dataOf(event));
  const at = event.indexOf(DATA) + DATA.length;
  const end = event.indexOf(LF, at);
  const data = event.subarray(at, end < 0 ? event.length : end);
  const members = stepsAtOnce(membersOf(data, OF_LAST));
  if (typeof members === 'string') return undefined;
  const response = members.wanted.findLast(({ name }) => name === 'response');
  return {
    ...membersIn(data, TYPE_NAME),
    response: response && membersIn(data.subarray(response.start, response.end), USAGE_NAME),
  };
}

const LF = 0x0a;
const CR = 0x0d;

/** Bytes of the longest end of an event that `endOfEvent` finds: LF, CR, LF. */
const LONGEST_END = 3;

/** Behind the empty line that ends an event; lines end as they like. @returns -1 where none ends */
function endOfEvent(data: Buffer, from: number): number {
  for (let at = data.indexOf(LF, from); at >= 0; at = data.indexOf(LF, at + 1)) {
    if (data[at + 1] === LF) return at + 2;
    if (data[at + 1] === CR && data[at + 2] === LF) return at + 3;
  }
  return -1;
}

function dataOf(event: Buffer): string {
  return event
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== DONE)
    .join('\n');
}

/** The tokens of a request and of its answer, as the endpoint names them. */
const USAGE_NAMES: Readonly<Record<Endpoint, readonly [string, string | undefined]>> = {
  chat: ['prompt_tokens', 'completion_tokens'],
  completions: ['prompt_tokens', 'completion_tokens'],
  // Embeddings are no tokens.
  embeddings: ['prompt_tokens', undefined],
  responses: ['input_tokens', 'output_tokens'],
};

function usageOf(endpoint: Endpoint, answer: unknown): TokenUsage | undefined {
  if (!isJsonObject(answer) || !isJsonObject(answer.usage)) return undefined;
  const [prompt, completion] = USAGE_NAMES[endpoint];
  const promptTokens = answer.usage[prompt];
  const completionTokens = completion === undefined ? 0 : answer.usage[completion];
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** @param hidesUsage see `EventStream` */
export const readerOf = (endpoint: Endpoint, isStream: boolean, hidesUsage: boolean): AnswerReader =>
  !isStream
    ? new WholeAnswer(endpoint)
    : endpoint === 'responses'
      ? new ResponseEventStream()
      : new EventStream(hidesUsage);
