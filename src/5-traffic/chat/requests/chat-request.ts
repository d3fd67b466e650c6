import { isUtf8 } from 'node:buffer';
import { BODY_BOUNDS } from '../../../1-platform/endpoints/body-limits';
import { StructureScan } from '../../../1-platform/common/json/json-structure';
import { invalidField } from '../../../1-platform/common/answers/problem';
import { stepsAtOnce, stepsInSlices, type Steps } from '../../../1-platform/common/work/slices';
import { BYTES_PER_TOKEN, DEFAULT_MAX_TOKENS } from '../../admissions/prices';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import {
  edited,
  folded,
  JsonScan,
  kindOf,
  membersOf,
  MOST_BYTES_PER_UNIT,
  replacements,
  scanned,
  STEP_BYTES,
  type Edit,
  type Member,
  type ObjectMembers,
} from '../workers/json-scan';
import { Media } from './media';
import { messagePrefixes } from './message-prefixes';
import { lastUserText } from '../workers/last-user-text';

/** Maximal answers of one request. */
const MAX_CHOICES = 128;
const MAX_TOKENS = 10_000_000;
const MAX_MODEL = 253;

/** Maximal texts that one request may have completed or embedded, as in OpenAI's API. */
const MAX_INPUTS = 2_048;

/** A larger body is read in slices. */
const AT_ONCE_BYTES = 64 * 1024;

/** Bytes whose encoding is checked in one step. */
const UTF8_STEP_BYTES = 1024 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);

/** The members of a model request that the service reads. All others reach the worker byte by byte. */
export interface InferenceRequest {
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly stream: boolean;
  /**
   * The client sees all events of the stream, also the one with the usage, which the service may have
   * requested.
   */
  readonly wantsUsage: boolean;
  /** The most that are expected, by the size of the body; the number of tokens if the client sends tokens. */
  readonly promptTokens: number;
  /** The same for an answer without a report of its usage: media count less than their bytes. */
  readonly unreportedPromptTokens: number;
  /** Texts to complete or embed; 1 for other requests. */
  readonly texts: number;
  /** The most answers to all texts together. */
  readonly answers: number;
  /** The maximal tokens of all answers together. */
  readonly maxTokens: number;
  /** Hashes that recognise the conversation: see `messagePrefixes`. None once the body is released. */
  prefixes(): readonly string[];
  /** The end of the user's last text. Empty once the body is released. */
  said(): Promise<string>;
  /**
   * The body for a worker that knows the model under its exact name; a stream reports its usage at the end.
   */
  bodyFor(exactModel: string): Buffer;
  /** Releases the body: a stream may last much longer than its request, which may hold pictures. */
  letGo(): void;
}

/**
 * A small body is read at once, a large one in slices.
 * @throws a 400 that names the wrong member, or rejects with it
 */
export function readRequest(
  endpoint: Endpoint,
  bytes: Buffer | undefined,
): InferenceRequest | Promise<InferenceRequest> {
  if (!bytes) throw invalidField('body', 'is required');
  const reading = read(endpoint, bytes);
  return bytes.length <= AT_ONCE_BYTES ? stepsAtOnce(reading) : stepsInSlices(reading);
}

/** Members that the service reads or changes. */
const NAMES: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'max_tokens',
  'max_output_tokens',
  'n_predict',
  'n',
  'n_cmpl',
  'best_of',
  'background',
  'messages',
  'prompt',
  'input',
  'echo',
]);
const OF_OPTIONS: ReadonlySet<string> = new Set(['include_usage']);
const WITH_USAGE: ReadonlyMap<string, string> = new Map([['include_usage', 'true']]);

function* read(endpoint: Endpoint, received: Buffer): Steps<InferenceRequest> {
  const bounds = new StructureScan(received, BODY_BOUNDS.chat);
  while (bounds.advance(STEP_BYTES)) yield;
  if (bounds.fault !== undefined) throw invalidField('body', bounds.fault);
  const bytes = withoutMark(received);
  if (!(yield* isValidUtf8(bytes))) throw invalidField('body', 'must be UTF-8');
  const media = new Media(bytes);
  const object = yield* membersOf(bytes, NAMES, media);
  if (object === 'no JSON') throw invalidField('body', 'must be valid JSON');
  if (object === 'no object') throw invalidField('body', 'must be a JSON object');
  refuseLookAlike(object);
  const members = new RequestMembers(bytes, object.wanted);
  const model = members.model();
  const stream = endpoint !== 'embeddings' && (members.boolean('stream') ?? false);
  const options = members.object('stream_options');
  const optionsRead = stream ? yield* readOptions(bytes, object.wanted) : NO_OPTIONS;
  // The events of a response report its usage in any case.
  const wantsUsage = endpoint === 'responses' || (stream && options !== undefined && optionsRead.includesUsage);
  const name = INPUT_NAMES[endpoint];
  const inputs = name === undefined ? ONE_TEXT : yield* readInputs(bytes, members.given(name));
  const { promptTokens, choices, tokensOfEach } = SIZES[endpoint](members, inputs);
  const answers = choices * inputs.texts;
  const edits = stream && !wantsUsage ? usageEdits(object, optionsRead.edits) : [];
  return new ReadRequest(
    endpoint,
    model,
    stream,
    wantsUsage,
    Math.max(Math.ceil(received.length / BYTES_PER_TOKEN), promptTokens),
    Math.max(media.tokensOf(received.length), promptTokens),
    inputs.texts,
    answers,
    tokensOfEach * answers,
    ofItsOwn(bytes),
    members.given('messages') ?? members.given('prompt') ?? members.given('input'),
    object.wanted.filter((member) => member.name === 'model'),
    edits,
  );
}

/** Remembers where the body is changed, so that the worker's body is built without another scan. */
class ReadRequest implements InferenceRequest {
  constructor(
    readonly endpoint: Endpoint,
    readonly model: string,
    readonly stream: boolean,
    readonly wantsUsage: boolean,
    readonly promptTokens: number,
    readonly unreportedPromptTokens: number,
    readonly texts: number,
    readonly answers: number,
    readonly maxTokens: number,
    private body: Buffer,
    private readonly messages: Member | undefined,
    private readonly models: readonly Member[],
    private readonly edits: readonly Edit[],
  ) {}

  async said(): Promise<string> {
    const { body, messages } = this;
    return messages && body.length > 0 ? stepsInSlices(lastUserText(body.subarray(messages.start, messages.end))) : '';
  }

  prefixes(): readonly string[] {
    const { body, messages } = this;
    return messages && body.length > 0 ? messagePrefixes(body.subarray(messages.start, messages.end)) : [];
  }

  bodyFor(exactModel: string): Buffer {
    const text = JSON.stringify(exactModel);
    const models = this.models.map(({ start, end }) => ({ start, end, text }));
    return edited(this.body, [...models, ...this.edits].sort(byPlace));
  }

  letGo(): void {
    this.body = NOTHING;
  }
}

const byPlace = (one: Edit, other: Edit): number => one.start - other.start;

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === BYTE_ORDER_MARK[0] && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;

/** A small body may be part of a larger buffer, which it would keep in memory while the request waits. */
function ofItsOwn(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function* isValidUtf8(bytes: Buffer): Steps<boolean> {
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(from + UTF8_STEP_BYTES, bytes.length);
    // Not within a character, which has at most three bytes after its first.
    for (let back = 0; back < 3 && to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80; back++) to--;
    if (!isUtf8(bytes.subarray(from, to))) return false;
    from = to;
    if (from < bytes.length) yield;
  }
  return true;
}

/** Some engines would read it in the place of the member that was read here, such as the model. */
function refuseLookAlike({ lookAlike }: ObjectMembers, within = ''): void {
  if (lookAlike !== undefined) throw invalidField(within + lookAlike, `must be written ${folded(lookAlike)}`);
}

/** The change to each `stream_options` that requests the usage. */
interface Options {
  /** The value of the last of them. */
  readonly includesUsage: boolean;
  readonly edits: readonly Edit[];
}

const NO_OPTIONS: Options = { includesUsage: false, edits: [] };

function* readOptions(bytes: Buffer, members: readonly Member[]): Steps<Options> {
  if (!members.some(({ name }) => name === 'stream_options')) return NO_OPTIONS;
  let includesUsage = false;
  const edits: Edit[] = [];
  for (const { name, start, end } of members) {
    if (name !== 'stream_options') continue;
    const options = bytes.subarray(start, end);
    const read = yield* membersOf(options, OF_OPTIONS);
    includesUsage = false;
    if (typeof read === 'string') edits.push({ start, end, text: '{"include_usage":true}' });
    else {
      refuseLookAlike(read, 'stream_options.');
      const last = read.wanted.at(-1);
      includesUsage = last?.kind === 'boolean' && options.toString('latin1', last.start, last.end) === 'true';
      for (const edit of replacements(read, WITH_USAGE))
        edits.push({ start: start + edit.start, end: start + edit.end, text: edit.text });
    }
  }
  return { includesUsage, edits };
}

const usageEdits = (object: ObjectMembers, edits: readonly Edit[]): readonly Edit[] =>
  edits.length > 0
    ? edits
    : replacements({ ...object, wanted: [] }, new Map([['stream_options', '{"include_usage":true}']]));

/** The members of a request that determine its size. */
interface Size {
  /** 0 if the members do not determine it. */
  readonly promptTokens: number;
  /** Answers to each text. */
  readonly choices: number;
  /** The maximal tokens of each answer. */
  readonly tokensOfEach: number;
}

/** Texts to complete or embed. */
interface Inputs {
  readonly texts: number;
  readonly tokens: number;
}

const ONE_TEXT: Inputs = { texts: 1, tokens: 0 };

/** Members with a text, tokens, or a list of either. */
const INPUT_NAMES: Readonly<Partial<Record<Endpoint, string>>> = { completions: 'prompt', embeddings: 'input' };

/** Each engine reads some of them, and prefers another one: the largest is reserved. */
const LIMITS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens', 'n_predict'] as const;
/** A worker writes `best_of` answers and sends the best `n`; llama.cpp prefers `n_cmpl`. */
const CHOICES = ['n', 'n_cmpl', 'best_of'] as const;

const SIZES: Readonly<Record<Endpoint, (members: RequestMembers, inputs: Inputs) => Size>> = {
  chat: (members) => {
    const tokensOfEach = members.largest(LIMITS, MAX_TOKENS) ?? DEFAULT_MAX_TOKENS;
    return { promptTokens: 0, choices: members.largest(CHOICES, MAX_CHOICES) ?? 1, tokensOfEach };
  },
  completions: (members, { tokens }) => {
    // 0: texts are only scored. Without `echo`, some engines take it as no limit.
    const least = members.isTrue('echo') ? 0 : 1;
    const bound = members.largest(LIMITS, MAX_TOKENS, least) ?? DEFAULT_MAX_TOKENS;
    const choices = members.largest(CHOICES, MAX_CHOICES) ?? 1;
    // Engines count one token of each answer in any case.
    return { promptTokens: tokens, choices, tokensOfEach: Math.max(bound, 1) };
  },
  embeddings: (_, { tokens }) => ({ promptTokens: tokens, choices: 1, tokensOfEach: 0 }),
  responses: (members) => {
    // The service has no operation to fetch the response later.
    if (members.boolean('background')) throw invalidField('background', 'must not be true');
    return { promptTokens: 0, choices: 1, tokensOfEach: members.largest(LIMITS, MAX_TOKENS) ?? DEFAULT_MAX_TOKENS };
  },
};

function* readInputs(bytes: Buffer, member: Member | undefined): Steps<Inputs> {
  if (member?.kind !== 'array') return ONE_TEXT;
  const list = bytes.subarray(member.start, member.end);
  let count = 0;
  let numbers = 0;
  let tokens = 0;
  const scan = new JsonScan(list, (start, _end, size) => {
    count++;
    const kind = kindOf(list[start]);
    if (kind === 'number') numbers++;
    else if (kind === 'array') tokens += size;
  });
  yield* scanned(scan);
  if (count > 0 && numbers === count) return { texts: 1, tokens: count };
  if (count > MAX_INPUTS) throw invalidField(member.name, `must have at most ${MAX_INPUTS} texts`);
  return { texts: Math.max(count, 1), tokens };
}

/**
 * The members of a request that the service reads. Of a repeated name the last one counts, as in JSON
 * parsers.
 */
class RequestMembers {
  constructor(
    private readonly bytes: Buffer,
    private readonly members: readonly Member[],
  ) {}

  /** Undefined also if it is null. */
  given(name: string): Member | undefined {
    const member = this.members.findLast((one) => one.name === name);
    return member?.kind === 'null' ? undefined : member;
  }

  model(): string {
    const member = this.given('model');
    if (member?.kind !== 'string' || member.end - member.start === 2)
      throw invalidField('model', 'must be a string that is not empty');
    const isLong = member.end - member.start > MAX_MODEL * MOST_BYTES_PER_UNIT + 2;
    const model = isLong ? undefined : (this.valueOf(member) as string);
    if (model === undefined || model.length > MAX_MODEL)
      throw invalidField('model', `must have at most ${MAX_MODEL} characters`);
    return model;
  }

  boolean(name: string): boolean | undefined {
    const member = this.given(name);
    if (member && member.kind !== 'boolean') throw invalidField(name, 'must be true or false');
    return member && (this.valueOf(member) as boolean);
  }

  /** Any other value is left to the worker. */
  isTrue(name: string): boolean {
    const member = this.given(name);
    return member?.kind === 'boolean' && this.valueOf(member) === true;
  }

  object(name: string): Member | undefined {
    const member = this.given(name);
    if (member && member.kind !== 'object') throw invalidField(name, 'must be an object');
    return member;
  }

  /** The largest of those that are given. */
  largest(names: readonly string[], max: number, min = 1): number | undefined {
    let largest: number | undefined;
    for (const name of names) {
      const count = this.count(name, max, min);
      if (count !== undefined && (largest === undefined || count > largest)) largest = count;
    }
    return largest;
  }

  private count(name: string, max: number, min: number): number | undefined {
    const member = this.given(name);
    if (!member) return undefined;
    const value = member.kind === 'number' ? this.valueOf(member) : undefined;
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      throw invalidField(name, `must be an integer from ${min} to ${max}`);
    return value as number;
  }

  /** For small bodies only. */
  private valueOf({ start, end }: Member): unknown {
    return JSON.parse(this.bytes.toString('utf8', start, end));
  }
}
