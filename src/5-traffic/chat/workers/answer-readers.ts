import { GrowingBuffer } from '../../../1-platform/common/work/growing-buffer';
import { isJsonObject, jsonIfAny, type JsonObject } from '../../../1-platform/common/json/json';
import { stepsAtOnce } from '../../../1-platform/common/work/slices';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { beginningOfJson } from './json-beginning';
import { membersOf } from './json-scan';

export interface TokenUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** What TGI names an error of the request itself, beside `error` that is a text. Its status would be 422. */
const OF_THE_REQUEST: ReadonlySet<unknown> = new Set([
  'validation',
  'template_error',
  'missing_template_variable',
  'tool_error',
]);
/** How its messages about the request begin. Newer versions send 422 for failures of the worker, too. */
const ABOUT_THE_REQUEST = /^(Input validation|Template|Tool) error: |^Missing template /;

/** A worker reports in a stream, whose status is 200, that it failed. */
export class ReportedFailure extends Error {
  /**
   * @param reported the event's data
   * @param comesFirst no piece of an answer came before it
   */
  constructor(
    readonly reported: JsonObject,
    readonly comesFirst: boolean,
  ) {
    super('the worker reported an error in its stream');
  }

  /** Of HTTP, as engines name it in the error, or name its kind; undefined if they do not. */
  get status(): number | undefined {
    const { error, error_type: kind } = this.reported;
    if (typeof error === 'string') return OF_THE_REQUEST.has(kind) ? 422 : undefined;
    if (!isJsonObject(error)) return undefined;
    const { code, http_status_code: ofTgi, message } = error;
    if (typeof code === 'number') return code;
    if (typeof ofTgi !== 'number' || typeof message !== 'string') return undefined;
    return ABOUT_THE_REQUEST.test(message) ? ofTgi : undefined;
  }
}

/** Reads an answer while it passes. */
export interface AnswerReader {
  /** The usage of the whole answer, as the worker reported it; undefined until it does, or if it does not. */
  readonly usage: TokenUsage | undefined;
  /**
   * What the worker reported so far. It may lack tokens: some engines report as they go, some in zeros, and
   * some the prompt of one text only.
   */
  readonly usageSoFar: TokenUsage | undefined;
  /** Pieces of text so far: about the number of tokens. Undefined if a text comes as one. */
  readonly pieces: number | undefined;
  /** The worker has sent the end: a client that leaves then has the whole answer. */
  readonly complete: boolean;
  /** Events so far. */
  readonly events: number;
  /** The first event by which the worker reports that it failed. */
  readonly failure: ReportedFailure | undefined;
  /** @returns the bytes that the client gets now */
  take(chunk: Buffer): Buffer;
  /** @returns the remaining bytes for the client at the end */
  rest(): Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * A longer reply, such as one with many embeddings, is not read as a whole: its usage is searched at its
 * ends. Most engines write it last, and llama.cpp before the embeddings.
 */
const MAX_READ_BYTES = 1024 * 1024;
/**
 * Longer JSON is not parsed, but scanned for the needed members: parsing 1 MiB can take a tenth of a second.
 */
const MAX_PARSED_BYTES = 64 * 1024;
const END_BYTES = 16 * 1024;

/** A reply without a stream. */
export class WholeAnswer implements AnswerReader {
  readonly pieces: number | undefined;
  readonly events = 0;
  readonly complete = false;
  readonly failure = undefined;
  readonly usageSoFar = undefined;
  private readonly kept = new GrowingBuffer();
  /** Of a reply of which only the ends are kept. */
  private beginning: Buffer | undefined;
  private hasEnded = false;

  constructor(private readonly endpoint: Endpoint) {
    this.pieces = endpoint === 'embeddings' ? 0 : undefined;
  }

  take(chunk: Buffer): Buffer {
    this.kept.append(chunk);
    if (this.kept.length > MAX_READ_BYTES) {
      const bytes = this.kept.release();
      this.beginning ??= Buffer.from(bytes.subarray(0, END_BYTES));
      this.kept.append(bytes.subarray(-END_BYTES));
    }
    return chunk;
  }

  rest(): Buffer {
    this.hasEnded = true;
    return NOTHING;
  }

  get usage(): TokenUsage | undefined {
    const { bytes } = this.kept;
    if (this.beginning) {
      const first = usageOf(this.endpoint, beginningOfJson(this.beginning.toString('utf8')));
      // If it broke off, its end may be in the middle of what the request said, which a response repeats.
      return first ?? (this.hasEnded ? usageAtEnd(this.endpoint, bytes.toString('utf8')) : undefined);
    }
    // Hot path: to parse a short reply takes less time than to search it.
    const answer = bytes.length <= MAX_PARSED_BYTES ? jsonIfAny(bytes.toString('utf8')) : membersIn(bytes, USAGE_NAME);
    return usageOf(this.endpoint, answer);
  }
}

const USAGE_NAME: ReadonlySet<string> = new Set(['usage']);

/** Some members of a JSON object, which may be long; long members are left out. */
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

const USAGE = Buffer.from(USAGE_MEMBER);
const REPORTED_USAGE = [Buffer.from('"usage":{'), Buffer.from('"usage": {')];
const DATA = Buffer.from('data:');
const ERROR = Buffer.from('"error"');
const DONE = '[DONE]';
const DONE_BYTES = 'data: [DONE]\r\n\r\n'.length;

/** A stream of more answers takes no more memory. The tokens of the others are counted by their pieces. */
const MAX_FOLLOWED = 4_096;

/**
 * A stream of server-sent events. Complete events are passed on as they arrive. An incomplete event waits for
 * its rest: a client cannot use half of one, and if the worker breaks off within it, the error must be a
 * separate event.
 */
export class EventStream implements AnswerReader {
  private lastUsage: TokenUsage | undefined;
  /** The pieces when it came. */
  private piecesThen = 0;
  /** It came in an event of its own. */
  private isFinal = false;
  /** The worker ended its answer. */
  private hasEnded = false;
  pieces = 0;
  events = 0;
  complete = false;
  failure: ReportedFailure | undefined;
  /** The beginning of an event whose end has not arrived. */
  private readonly held = new GrowingBuffer();

  /** The most tokens that were reported of each answer, by its index; undefined if there is only one. */
  private readonly tokensOf: Map<number, number> | undefined;
  /** Of all answers in it. */
  private tokensOfAll = 0;

  /**
   * @param hidesUsage the client did not request the usage event, and must not see it
   * @param answers the most that the stream may have
   */
  constructor(
    private readonly hidesUsage: boolean,
    private readonly answers = 1,
  ) {
    this.tokensOf = answers > 1 ? new Map() : undefined;
  }

  take(chunk: Buffer): Buffer {
    const { held } = this;
    // The held bytes were searched on arrival. Only an end whose first bytes are among them can begin in
    // them.
    const searchFrom = Math.max(held.length - (LONGEST_END - 1), 0);
    if (held.length > 0) held.append(chunk);
    let end = endOfEvent(held.length > 0 ? held.bytes : chunk, searchFrom);
    if (end < 0) {
      if (held.length === 0) held.append(chunk);
      // An event beyond the maximal length is passed on unread.
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
    this.hasEnded = true;
    return held.length > 0 && this.look(held) && this.hidesUsage ? NOTHING : held;
  }

  /**
   * A usage beside a piece is that of the whole answer only if the answer ended with it. Ollama sends zeros
   * with each piece, and vLLM the tokens of one choice: a client may leave in the middle, or an engine fail.
   */
  get usage(): TokenUsage | undefined {
    const isWhole = this.isFinal || ((this.hasEnded || this.complete) && !this.failure);
    return isWhole && this.piecesThen === this.pieces ? this.lastUsage : undefined;
  }

  get usageSoFar(): TokenUsage | undefined {
    const { lastUsage: last, tokensOfAll } = this;
    return last && { ...last, completionTokens: Math.max(last.completionTokens, tokensOfAll) };
  }

  /** @param isFinal it came in an event of its own */
  protected reported(usage: TokenUsage | undefined, isFinal: boolean): void {
    // Zeros beside a piece are no count.
    if (!usage || (!isFinal && usage.promptTokens === 0 && usage.completionTokens === 0)) return;
    this.lastUsage = usage;
    this.isFinal = isFinal;
    this.piecesThen = this.pieces;
  }

  /** A usage beside a piece of one of several answers may be of that answer only. */
  private reportedBeside(choices: unknown, { completionTokens }: TokenUsage): void {
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!this.tokensOf || !isJsonObject(choice) || !isCount(choice.index)) return;
    const { index } = choice;
    if (index >= Math.min(this.answers, MAX_FOLLOWED)) {
      this.tokensOfAll++;
      return;
    }
    const before = this.tokensOf.get(index) ?? 0;
    if (completionTokens <= before) return;
    this.tokensOf.set(index, completionTokens);
    // Beyond it, numbers are not exact.
    this.tokensOfAll = Math.min(this.tokensOfAll + completionTokens - before, Number.MAX_SAFE_INTEGER);
  }

  /** @returns whether the event contains the usage and nothing else */
  protected look(event: Buffer): boolean {
    if (!hasData(event)) return false;
    // A long event contains more than the usage.
    if (event.length > MAX_PARSED_BYTES || !hasUsage(event)) {
      // The event that ends a stream is shorter than any other.
      if (event.length <= DONE_BYTES) this.complete ||= event.includes(DONE);
      else if (!this.isFailure(event, hasNoChoices)) this.pieces++;
      return false;
    }
    const value = jsonIfAny(dataOf(event));
    const usage = usageOf('chat', value);
    const alone = isJsonObject(value) && Array.isArray(value.choices) && value.choices.length === 0;
    if (!alone) {
      this.pieces++;
      if (usage && isJsonObject(value)) this.reportedBeside(value.choices, usage);
    }
    this.reported(usage, alone);
    return alone && usage !== undefined;
  }

  /** Notes a failure that the event reports. @param reports whether its data is such a report */
  protected isFailure(event: Buffer, reports: (data: JsonObject) => boolean): boolean {
    if (event.length > MAX_PARSED_BYTES || !event.includes(ERROR)) return false;
    const data = jsonIfAny(dataOf(event));
    if (!isJsonObject(data) || !reports(data)) return false;
    this.failed(data);
    return true;
  }

  protected failed(reported: JsonObject): void {
    this.failure ??= new ReportedFailure(reported, this.pieces === 0);
  }
}

// Hot path: each search in an event takes a tenth of a microsecond, and most events begin with their data.
const hasData = (event: Buffer): boolean => beginsWith(event, DATA) || event.includes(DATA);
const hasUsage = (event: Buffer): boolean =>
  event.includes(USAGE) && REPORTED_USAGE.some((text) => event.includes(text));

function beginsWith(event: Buffer, text: Buffer): boolean {
  for (let at = 0; at < text.length; at++) if (event[at] !== text[at]) return false;
  return true;
}

const hasNoChoices = ({ error, choices }: JsonObject): boolean => error != null && choices === undefined;
const isErrorEvent = ({ type }: JsonObject): boolean => type === 'error';

/**
 * Types of the events that end the stream of a response; such an event contains the whole response, with its
 * usage.
 */
const FAILED_TYPE = 'response.failed';
const LAST_TYPES = ['response.completed', 'response.incomplete', FAILED_TYPE];
const LAST_BYTES = LAST_TYPES.map((type) => Buffer.from(type));
const DELTA = Buffer.from('.delta');

/** The stream of a response: its events have types, and the last one contains the usage. */
export class ResponseEventStream extends EventStream {
  constructor() {
    super(false);
  }

  protected override look(event: Buffer): boolean {
    const last = LAST_BYTES.some((type) => event.includes(type)) ? lastEvent(event) : undefined;
    if (isJsonObject(last) && LAST_TYPES.includes(last.type as string)) {
      this.complete = true;
      this.reported(usageOf('responses', last.response), true);
      if (last.type === FAILED_TYPE) this.failed(last);
    } else if (event.includes(DELTA)) this.pieces++;
    else this.isFailure(event, isErrorEvent);
    return false;
  }
}

const TYPE_NAME: ReadonlySet<string> = new Set(['type']);
const OF_LAST: ReadonlySet<string> = new Set(['type', 'response']);

/**
 * The needed members of the event that may be the last one. A long one is read if its data is in one line, as
 * engines write it.
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

/** The index after the empty line that ends an event, with any line ends. @returns -1 if none ends */
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

/** The tokens of a request and of its answer, in the names of the endpoint. */
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

/** @param hidesUsage see `EventStream`, as of `answers` */
export const readerOf = (endpoint: Endpoint, isStream: boolean, hidesUsage: boolean, answers: number): AnswerReader =>
  !isStream
    ? new WholeAnswer(endpoint)
    : endpoint === 'responses'
      ? new ResponseEventStream()
      : new EventStream(hidesUsage, answers);
