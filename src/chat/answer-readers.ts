import { isJsonObject, jsonIfAny } from '../common/json';

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
  /** @returns what the client is to see of it, now */
  take(chunk: Buffer): Buffer;
  /** @returns what is left for the client at the end */
  rest(): Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Answers whose usage is looked for. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** An answer in one piece. */
export class WholeAnswer implements AnswerReader {
  readonly pieces = 0;
  readonly complete = false;
  private readonly chunks: Buffer[] = [];
  private size = 0;

  take(chunk: Buffer): Buffer {
    this.size += chunk.length;
    if (this.size <= MAX_ANSWER_BYTES) this.chunks.push(chunk);
    else this.chunks.length = 0;
    return chunk;
  }

  rest(): Buffer {
    return NOTHING;
  }

  get usage(): TokenUsage | undefined {
    return usageOf(jsonIfAny(Buffer.concat(this.chunks).toString('utf8')));
  }
}

/** An event longer than this is passed on unread. */
const MAX_EVENT_BYTES = 1024 * 1024;

const USAGE = [Buffer.from('"usage":{'), Buffer.from('"usage": {')];
const DATA = Buffer.from('data:');
const DONE = '[DONE]';
const DONE_BYTES = 'data: [DONE]\r\n\r\n'.length;

/**
 * A stream of server-sent events. What came together is passed on together. An event that breaks off waits for its rest: nobody can read
 * half of one, and where the worker breaks off within it, what follows must be an event of its own.
 */
export class EventStream implements AnswerReader {
  usage: TokenUsage | undefined;
  pieces = 0;
  complete = false;
  private held: Buffer = NOTHING;

  /** @param hidesUsage the client did not ask for the event that tells the usage: it must not see it */
  constructor(private readonly hidesUsage: boolean) {}

  take(chunk: Buffer): Buffer {
    const data = this.held.length > 0 ? Buffer.concat([this.held, chunk]) : chunk;
    this.held = NOTHING;
    const shown: Buffer[] = [];
    let from = 0;
    let shownFrom = 0;
    for (let end = endOfEvent(data, 0); end > 0; end = endOfEvent(data, from)) {
      if (this.look(data.subarray(from, end)) && this.hidesUsage) {
        shown.push(data.subarray(shownFrom, from));
        shownFrom = end;
      }
      from = end;
    }
    // What is longer than any event is passed on unread.
    if (data.length - from > MAX_EVENT_BYTES) from = data.length;
    else this.held = data.subarray(from);
    const rest = data.subarray(shownFrom, from);
    return shown.length === 0 ? rest : Buffer.concat([...shown, rest]);
  }

  rest(): Buffer {
    const { held } = this;
    this.held = NOTHING;
    return held.length > 0 && this.look(held) && this.hidesUsage ? NOTHING : held;
  }

  /** @returns whether the event tells the usage and nothing else */
  private look(event: Buffer): boolean {
    if (!event.includes(DATA)) return false;
    if (!USAGE.some((text) => event.includes(text))) {
      // The event that ends a stream is shorter than any other.
      if (event.length > DONE_BYTES) this.pieces++;
      else this.complete ||= event.includes(DONE);
      return false;
    }
    const value = jsonIfAny(dataOf(event));
    this.usage = usageOf(value) ?? this.usage;
    const alone = isJsonObject(value) && Array.isArray(value.choices) && value.choices.length === 0;
    if (!alone) this.pieces++;
    return alone && this.usage !== undefined;
  }
}

const LF = 0x0a;
const CR = 0x0d;

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

function usageOf(answer: unknown): TokenUsage | undefined {
  if (!isJsonObject(answer) || !isJsonObject(answer.usage)) return undefined;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = answer.usage;
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
