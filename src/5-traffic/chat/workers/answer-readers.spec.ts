import * as fc from 'fast-check';
import { describeWithSamples, sampleLines, sampleText } from '../../../../test/support/samples';
import { EventStream, ResponseEventStream, WholeAnswer, type AnswerReader } from './answer-readers';
import { inForm } from '../../../../test/support/form';

/** What the client saw of it, piece by piece and at the end. */
interface Passed {
  readonly shown: string;
  readonly pieces: readonly string[];
}

function pass(reader: AnswerReader, chunks: readonly Buffer[]): Passed {
  const pieces = chunks.map((chunk) => Buffer.from(reader.take(chunk)));
  pieces.push(Buffer.from(reader.rest()));
  // Decoded only as a whole: a character may be split.
  return { shown: Buffer.concat(pieces).toString('utf8'), pieces: pieces.map((piece) => piece.toString('latin1')) };
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((one, other) => one - other);
  return [...places, bytes.length].map((end, place) => bytes.subarray(places[place - 1] ?? 0, end));
}
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const perByte = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

/** An event of a stream, without the empty line that ends it. */
interface SentEvent {
  readonly text: string;
  /** The event contains only the usage. */
  readonly hidden?: true;
  readonly usage?: { promptTokens: number; completionTokens: number } | undefined;
  readonly piece?: true;
  readonly done?: true;
  /** The worker reports that it failed. */
  readonly failed?: true;
}
const chunkOf = (delta: object, more: object = {}): string =>
  JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta }], ...more });
const usageOf = (promptTokens: number, completionTokens: number) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});
const text = (content: string): SentEvent => ({ text: `data: ${chunkOf({ content })}`, piece: true });
const usage = (promptTokens: number, completionTokens: number, spaced = false): SentEvent => {
  const data = JSON.stringify({ id: 'chatcmpl-1', choices: [], usage: usageOf(promptTokens, completionTokens) });
  return {
    text: `data: ${spaced ? data.replace('"usage":', '"usage": ') : data}`,
    hidden: true,
    usage: { promptTokens, completionTokens },
  };
};
/** With a piece of the answer. */
const beside = (promptTokens: number, completionTokens: number, more: object = {}): SentEvent => ({
  text: `data: ${chunkOf({ content: 'x' }, { usage: usageOf(promptTokens, completionTokens), ...more })}`,
  piece: true,
  usage: { promptTokens, completionTokens },
});
const DONE: SentEvent = { text: 'data: [DONE]', done: true };
const FAILED: SentEvent = {
  text: `data: ${JSON.stringify({ error: { message: 'out of memory', code: 500 } })}`,
  failed: true,
};

const streamOf = (events: readonly SentEvent[], newline: string): string =>
  events.map((event) => event.text.replaceAll('\n', newline) + newline.repeat(2)).join('');

describe('a stream of events', () => {
  const events: fc.Arbitrary<SentEvent> = fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map(text) },
    fc.constantFrom<SentEvent>(
      { text: ': ping' },
      { text: '' },
      { text: 'event: message\nid: 7\nretry: 10' },
      { text: `event: message\ndata: ${chunkOf({ content: 'x' })}\nid: 7`, piece: true },
      { text: `data:${chunkOf({ content: 'no space' })}`, piece: true },
      // It only has a text about usage.
      text('"usage":{"prompt_tokens":1,"completion_tokens":2}'),
      text('data: [DONE]\n\n'),
      { text: `data: ${chunkOf({ content: 'x' }, { usage: null })}`, piece: true },
      // In each event, as some engines report it: the event contains more.
      beside(3, 4),
      { ...beside(0, 0), usage: undefined },
      FAILED,
      // They only mention an error.
      text('{"error":{"code":500}}'),
      { text: `data: ${chunkOf({ content: 'x' }, { error: null })}`, piece: true },
      { text: `data: ${chunkOf({ content: 'x' }, { error: { code: 500 } })}`, piece: true },
      // Not JSON.
      { text: 'data: {"usage":{', piece: true },
    ),
  );
  const ends: fc.Arbitrary<SentEvent[]> = fc
    .tuple(fc.option(fc.tuple(fc.nat({ max: 999 }), fc.nat({ max: 999 }), fc.boolean())), fc.boolean())
    .map(([counts, done]) => [...(counts ? [usage(...counts)] : []), ...(done ? [DONE] : [])]);
  const streams = fc.tuple(fc.array(events, { maxLength: 6 }), ends).map(([begin, end]) => [...begin, ...end]);
  const newlines = fc.constantFrom('\n', '\r\n');

  /** The last one, if it is of the whole answer. */
  const lastUsage = (events: readonly SentEvent[]) => {
    const at = events.findLastIndex((event) => event.usage);
    const last = events[at];
    const hasFailed = events.some(({ failed }) => failed);
    return events.slice(at + 1).some(({ piece }) => piece) || (!last?.hidden && hasFailed) ? undefined : last?.usage;
  };

  it('reaches a client that requested its usage byte for byte', () => {
    fc.assert(
      fc.property(streams, newlines, cuts, (events, newline, at) => {
        const reader = new EventStream(false);
        const { shown } = pass(reader, split(Buffer.from(streamOf(events, newline)), at));
        expect(shown).toBe(streamOf(events, newline));
        expect(reader.usage).toEqual(lastUsage(events));
      }),
      { numRuns: inForm(100, 500) },
    );
  });

  it('is passed on at once up to its last complete event', () => {
    fc.assert(
      fc.property(streams, newlines, cuts, fc.boolean(), (events, newline, at, hides) => {
        const chunks = split(Buffer.from(streamOf(events, newline)), at);
        const reader = new EventStream(hides);
        let came = 0;
        let seen = 0;
        for (const chunk of chunks) {
          came += chunk.length;
          seen += reader.take(chunk).length;
          const whole = events.filter(
            (_, place) => Buffer.byteLength(streamOf(events.slice(0, place + 1), newline)) <= came,
          );
          const shown = hides ? whole.filter(({ hidden }) => !hidden) : whole;
          expect(seen).toBe(Buffer.byteLength(streamOf(shown, newline)));
        }
        expect(reader.rest()).toHaveLength(0);
      }),
      { numRuns: inForm(100, 500) },
    );
  });

  it('reaches any other client without the usage event, in chunks of any size', () => {
    fc.assert(
      fc.property(streams, newlines, cuts, (events, newline, at) => {
        const reader = new EventStream(true);
        const { shown } = pass(reader, split(Buffer.from(streamOf(events, newline)), at));
        expect(shown).toBe(
          streamOf(
            events.filter(({ hidden }) => !hidden),
            newline,
          ),
        );
        expect(reader.usage).toEqual(lastUsage(events));
      }),
      { numRuns: inForm(125, 1_000) },
    );
  });

  it('is read the same in chunks of any size, for any client', () => {
    fc.assert(
      fc.property(streams, newlines, cuts, fc.boolean(), (events, newline, at, hides) => {
        const reader = new EventStream(hides);
        pass(reader, split(Buffer.from(streamOf(events, newline)), at));
        expect(reader.pieces).toBe(events.filter(({ piece }) => piece).length);
        const failure = events.findIndex(({ failed }) => failed);
        const comesFirst = !events.slice(0, failure).some(({ piece }) => piece);
        expect(reader.failure?.comesFirst).toBe(failure < 0 ? undefined : comesFirst);
        expect(reader.complete).toBe(events.some(({ done }) => done));
      }),
      { numRuns: inForm(100, 500) },
    );
  });

  it('is passed on up to where it broke off', () => {
    fc.assert(
      fc.property(streams, newlines, cuts, fc.nat(), (events, newline, at, kept) => {
        const whole = Buffer.from(streamOf(events, newline));
        const broken = whole.subarray(0, kept % (whole.length + 1));
        expect(pass(new EventStream(false), split(broken, at)).shown).toBe(broken.toString('utf8'));
        const { shown } = pass(new EventStream(true), split(broken, at));
        // No part of the hidden event is seen, unless it broke off within it; then that part is no event.
        expect(broken.toString('utf8').startsWith(shown) || events.some(({ hidden }) => hidden)).toBe(true);
        const complete = events.filter(
          (_, place) => streamOf(events.slice(0, place + 1), newline).length <= broken.toString('utf8').length,
        );
        for (const event of complete) if (!event.hidden) expect(shown).toContain(event.text.replaceAll('\n', newline));
      }),
    );
  });

  const LAST: [name: string, last: SentEvent, shown: boolean][] = [
    ['of its usage is hidden', usage(16, 329), false],
    ['of text is seen', text('last'), true],
    ['that ends it is seen', DONE, true],
    ['of a failure is seen', FAILED, true],
  ];
  it.each(LAST)('may end without an empty line: one %s', (_name, last, shown) => {
    const begin = streamOf([text('first')], '\n');
    for (const end of ['', '\n']) {
      for (const chunks of [[Buffer.from(begin + last.text + end)], perByte(begin + last.text + end)]) {
        const reader = new EventStream(true);
        expect(pass(reader, chunks).shown).toBe(begin + (shown ? last.text + end : ''));
        expect(reader.usage).toEqual(last.usage);
        expect(reader.complete).toBe(last.done === true);
      }
    }
  });

  it('delays no complete event', () => {
    const reader = new EventStream(true);
    const events = [text('one'), text('two'), DONE].map((event) => `${event.text}\n\n`);
    for (const event of events) expect(reader.take(Buffer.from(event)).toString()).toBe(event);
    expect(reader.rest()).toHaveLength(0);
  });

  it('holds back only an incomplete event', () => {
    const reader = new EventStream(true);
    const [one, two] = [`${text('one').text}\n\n`, `${text('two').text}\n\n`];
    expect(reader.take(Buffer.from(one + two.slice(0, 10))).toString()).toBe(one);
    expect(reader.take(Buffer.from(two.slice(10, 20))).toString()).toBe('');
    expect(reader.take(Buffer.from(two.slice(20))).toString()).toBe(two);
  });

  it('has no usage if the worker reports none, or an invalid count', () => {
    for (const reported of [
      { prompt_tokens: 1 },
      { prompt_tokens: -1, completion_tokens: 1 },
      { prompt_tokens: '1', completion_tokens: 1 },
      { prompt_tokens: 1.5, completion_tokens: 1 },
      { prompt_tokens: 1e300, completion_tokens: 1 },
    ]) {
      const event = `data: ${JSON.stringify({ choices: [], usage: reported })}\n\n`;
      const reader = new EventStream(true);
      // An unknown event is not hidden either.
      expect(pass(reader, [Buffer.from(event)]).shown).toBe(event);
      expect(reader.usage).toBeUndefined();
    }
  });

  it('takes the last report of its usage', () => {
    const reader = new EventStream(true);
    const events = [{ ...text('x'), text: `data: ${chunkOf({}, { usage: usageOf(1, 1) })}` }, usage(16, 329)];
    pass(reader, [Buffer.from(streamOf(events, '\n'))]);
    expect(reader.usage).toEqual({ promptTokens: 16, completionTokens: 329 });
  });

  describe('that reports its usage with each piece', () => {
    const read = (events: readonly SentEvent[], isOver = false): EventStream => {
      const reader = new EventStream(true);
      reader.take(Buffer.from(streamOf(events, '\n')));
      if (isOver) reader.rest();
      return reader;
    };
    const counts = { promptTokens: 16, completionTokens: 2 };

    it('has the usage of its last piece once it has ended', () => {
      const pieces = [beside(16, 1), beside(16, 2)];
      expect(read([...pieces, DONE]).usage).toEqual(counts);
      expect(read(pieces, true).usage).toEqual(counts);
    });

    it('has no usage of the whole answer before its end', () => {
      const { usage: whole, usageSoFar, pieces } = read([beside(16, 1), beside(16, 2)]);
      expect([whole, usageSoFar, pieces]).toEqual([undefined, counts, 2]);
    });

    it('has no usage of the whole answer if more pieces follow, or an error', () => {
      for (const more of [text('x'), FAILED]) {
        const { usage: whole, usageSoFar } = read([beside(16, 2), more, DONE], true);
        expect([whole, usageSoFar]).toEqual([undefined, counts]);
      }
      expect(read([usage(16, 2), text('x'), DONE], true).usage).toBeUndefined();
    });

    describe('of several answers', () => {
      const soFar = (answers: number, reports: readonly (readonly [index: unknown, tokens: number])[]) => {
        const reader = new EventStream(true, answers);
        const events = reports.map(([index, tokens]) => beside(16, tokens, { choices: [{ index, text: 'x' }] }));
        reader.take(Buffer.from(streamOf(events, '\n')));
        return reader.usageSoFar;
      };

      it('has used the most tokens of each', () => {
        const reports = [
          [1, 2],
          [0, 3],
          [1, 5],
          [2, 7],
          [1, 4],
          [0, 6],
        ] as const;
        expect(soFar(3, reports)).toEqual({ promptTokens: 16, completionTokens: 6 + 5 + 7 });
      });

      it('has used what is reported last if the client requested one answer', () => {
        expect(
          soFar(1, [
            [0, 3],
            [1, 5],
          ]),
        ).toEqual({ promptTokens: 16, completionTokens: 5 });
      });

      it('has used one more for each piece of an answer that it should not have', () => {
        expect(
          soFar(2, [
            [0, 9],
            [1, 8],
            [2, 5],
            [2, 6],
          ])?.completionTokens,
        ).toBe(19);
      });

      it('has used what is reported last if it does not number them', () => {
        for (const index of [undefined, null, -1, 0.5, '0'])
          expect(
            soFar(2, [
              [index, 3],
              [index, 4],
            ])?.completionTokens,
          ).toBe(4);
      });

      it('follows at most 4,096 of them, and counts the pieces of the others', () => {
        const indices = Array.from({ length: 5_000 }, (_, index) => index);
        const reports = indices.map((index) => [index, 3] as const);
        expect(soFar(indices.length, reports)?.completionTokens).toBe(3 * 4_096 + (5_000 - 4_096));
      });

      it('counts up to the largest exact number', () => {
        const most = Number.MAX_SAFE_INTEGER;
        expect(
          soFar(2, [
            [0, most],
            [1, most],
          ])?.completionTokens,
        ).toBe(most);
      });
    });

    it('has no usage if all counts are zeros', () => {
      const { usage: whole, usageSoFar, pieces } = read([beside(0, 0), beside(0, 0), DONE], true);
      expect([whole, usageSoFar, pieces]).toEqual([undefined, undefined, 2]);
    });

    it('has the usage of the event without a piece', () => {
      for (const last of [usage(16, 329), usage(0, 0)])
        expect(read([beside(0, 0), beside(16, 1), last]).usage).toEqual(last.usage);
    });
  });

  it('passes on an event that is too long to be read, and reads those after it', () => {
    const long = text('x'.repeat(3 * 1024 * 1024));
    const events = [text('before'), long, text('between'), usage(16, 329), DONE];
    const bytes = Buffer.from(streamOf(events, '\n'));
    const chunks: Buffer[] = [];
    for (let from = 0; from < bytes.length; from += 64 * 1024) chunks.push(bytes.subarray(from, from + 64 * 1024));
    const reader = new EventStream(true);
    expect(
      pass(reader, chunks).shown ===
        streamOf(
          events.filter(({ hidden }) => !hidden),
          '\n',
        ),
    ).toBe(true);
    expect([reader.usage, reader.complete]).toEqual([{ promptTokens: 16, completionTokens: 329 }, true]);
  });

  /** Counts the bytes that are searched and joined meanwhile. Throws as soon as they are too many. */
  function bytesWorked(most: number, run: () => void): number {
    let worked = 0;
    const count = (bytes: number): void => {
      worked += bytes;
      if (worked > most) throw new Error(`more than ${most} bytes were searched and joined`);
    };
    // By hand: a mock would keep every call.
    const { indexOf } = Buffer.prototype;
    // oxlint-disable-next-line typescript/unbound-method -- it does not use its object
    const { concat } = Buffer;
    Buffer.prototype.indexOf = function (this: Buffer, value: number, from = 0) {
      const found = indexOf.call(this, value, from);
      count((found < 0 ? this.length : found + 1) - Number(from));
      return found;
    };
    Buffer.concat = (...given) => {
      const joined = concat(...given);
      count(joined.length);
      return joined;
    };
    try {
      run();
    } finally {
      Buffer.prototype.indexOf = indexOf;
      Buffer.concat = concat;
    }
    return worked;
  }

  it.each<[name: string, line: string]>([
    ['many lines', 'a\n'],
    ['lines that end with CR LF', 'a\r\n'],
    ['one line', 'a'],
  ])('searches an event of %s once, although it arrives byte by byte', (_, line) => {
    const begin = Buffer.from(`data: ${line.repeat(20_000 / line.length)}`);
    const bytes = begin.length + 5_000;
    const reader = new EventStream(true);
    // With each byte the two before it are searched again.
    const worked = bytesWorked(bytes + 3 * 5_000, () => {
      reader.take(begin);
      for (let n = 0; n < 5_000; n++) reader.take(Buffer.from(line[n % line.length] ?? ''));
    });
    expect(worked).toBeGreaterThanOrEqual(bytes);
    expect(reader.rest()).toHaveLength(bytes);
  });

  it('finds the end of an event wherever its chunks are cut', () => {
    for (const end of ['\n\n', '\n\r\n', '\r\n\r\n'])
      for (let cut = 0; cut <= end.length; cut++)
        for (let next = cut; next <= end.length; next++) {
          const reader = new EventStream(false);
          const seen = [`data: x${end.slice(0, cut)}`, end.slice(cut, next), end.slice(next)].map(
            (piece) => reader.take(Buffer.from(piece)).length,
          );
          expect(seen.reduce((sum, length) => sum + length)).toBe(`data: x${end}`.length);
          expect(reader.events).toBe(1);
        }
  });

  it('returns bytes that later chunks do not change', () => {
    const reader = new EventStream(false);
    reader.take(Buffer.from('data: one'));
    const first = reader.take(Buffer.from('\n\ndata: t'));
    const copy = first.toString();
    reader.take(Buffer.from('wo\n\ndata: three'));
    expect([first.toString(), copy]).toEqual(['data: one\n\n', 'data: one\n\n']);
  });

  it('passes on a stream whose event has no end', () => {
    const bytes = Buffer.alloc(5 * 1024 * 1024, 'x');
    const reader = new EventStream(true);
    const { shown } = pass(reader, split(bytes, [1, 1024 * 1024, 1024 * 1024 + 1, 4_000_000]));
    expect(shown === bytes.toString()).toBe(true);
  });
});

describe('a reply without a stream', () => {
  const WHOLE = { id: 'chatcmpl-1', choices: [{ message: { content: 'Hello! 😀' } }], usage: usageOf(16, 329) };

  it('is passed on as it arrives, and read as a whole', () => {
    fc.assert(
      fc.property(cuts, (at) => {
        const chunks = split(Buffer.from(JSON.stringify(WHOLE)), at);
        const reader = new WholeAnswer('chat');
        expect(pass(reader, chunks).pieces).toEqual([...chunks.map((chunk) => chunk.toString('latin1')), '']);
        expect(reader.usage).toEqual({ promptTokens: 16, completionTokens: 329 });
      }),
    );
  });

  it.each(['', '{', 'null', '[]', '"usage"', '{}', '{"usage":null}', '{"usage":{"prompt_tokens":1}}', 'Hello!'])(
    '%p contains no usage, and is passed on',
    (answer) => {
      const reader = new WholeAnswer('chat');
      expect(pass(reader, [Buffer.from(answer)]).shown).toBe(answer);
      expect(reader.usage).toBeUndefined();
    },
  );

  it('finds the usage at the end of a reply that is too long to be parsed', () => {
    const long = JSON.stringify({ ...WHOLE, choices: [{ message: { content: 'x'.repeat(9 * 1024 * 1024) } }] });
    const reader = new WholeAnswer('chat');
    expect(pass(reader, split(Buffer.from(long), [8_000_000, 9_000_000])).shown === long).toBe(true);
    expect(reader.usage).toEqual({ promptTokens: 16, completionTokens: 329 });
  });

  it('finds the usage at the beginning of a reply that is too long to be parsed', () => {
    const usage = { prompt_tokens: 4_096, total_tokens: 4_096 };
    // As llama.cpp writes it.
    const data = Array.from({ length: 300 }, (_, index) => ({ embedding: Array(1_000).fill(0.25), index }));
    const long = Buffer.from(JSON.stringify({ model: 'm', object: 'list', usage, data }));
    expect(long.length).toBeGreaterThan(1024 * 1024);
    for (const at of [[], [10_000, 1_050_000, 1_100_000]]) {
      const reader = new WholeAnswer('embeddings');
      expect(pass(reader, split(long, at)).shown === long.toString()).toBe(true);
      expect(reader.usage).toEqual({ promptTokens: 4_096, completionTokens: 0 });
    }
  });

  it('has no usage if it broke off where it repeats the request', () => {
    const said = { usage: { input_tokens: 0, output_tokens: 0 } };
    const usage = { input_tokens: 5, output_tokens: 2 };
    const whole = { tools: [{ parameters: { x: 'x'.repeat(2 * 1024 * 1024), said } }], usage };
    const text = JSON.stringify(whole);
    const reader = new WholeAnswer('responses');
    reader.take(Buffer.from(text.slice(0, text.indexOf('}}') + 3)));
    expect(reader.usage).toBeUndefined();
    reader.take(Buffer.from(text.slice(text.indexOf('}}') + 3)));
    reader.rest();
    expect(reader.usage).toEqual({ promptTokens: 5, completionTokens: 2 });
  });

  it('has no usage if it is too long to be parsed and only its text mentions one', () => {
    const content = `${'x'.repeat(2 * 1024 * 1024)} "usage":{"prompt_tokens":1,"completion_tokens":2}`;
    const reader = new WholeAnswer('chat');
    pass(reader, [Buffer.from(JSON.stringify({ choices: [{ message: { content } }] }))]);
    expect(reader.usage).toBeUndefined();
  });

  it.each<['embeddings' | 'responses' | 'completions', object, object | undefined]>([
    ['embeddings', { prompt_tokens: 8, total_tokens: 8 }, { promptTokens: 8, completionTokens: 0 }],
    ['responses', { input_tokens: 3, output_tokens: 4 }, { promptTokens: 3, completionTokens: 4 }],
    ['responses', { prompt_tokens: 3, completion_tokens: 4 }, undefined],
    ['completions', { prompt_tokens: 3, completion_tokens: 4 }, { promptTokens: 3, completionTokens: 4 }],
    ['completions', { prompt_tokens: 3, total_tokens: 3 }, undefined],
  ])('reads in a reply of %s with %j the usage %j', (endpoint, usage, expected) => {
    const reader = new WholeAnswer(endpoint);
    reader.take(Buffer.from(JSON.stringify({ usage })));
    expect(reader.usage).toEqual(expected);
  });
});

describe('the stream of a response', () => {
  const event = (type: string, more: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ ...more, type })}\n\n`;
  const delta = (text: string): string => event('response.output_text.delta', { delta: text });
  const last = (type: string): string =>
    event(type, { response: { id: 'resp_1', usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 } } });

  it.each(['response.completed', 'response.incomplete', 'response.failed'])('has its usage in %s', (type) => {
    const stream = event('response.created') + delta('Hel') + delta('lo') + last(type);
    for (const chunks of [[Buffer.from(stream)], perByte(stream)]) {
      const reader = new ResponseEventStream();
      expect(pass(reader, chunks).shown).toBe(stream);
      const { usage, pieces, events, complete } = reader;
      expect({ usage, pieces, events, complete }).toEqual({
        usage: { promptTokens: 5, completionTokens: 2 },
        pieces: 2,
        events: 4,
        complete: true,
      });
    }
  });

  it('is not complete because a text says so, and counts its pieces of text', () => {
    const stream = event('response.created') + delta('"type":"response.completed"') + delta('!');
    const reader = new ResponseEventStream();
    pass(reader, [Buffer.from(stream)]);
    expect([reader.complete, reader.usage, reader.pieces]).toEqual([false, undefined, 2]);
  });
});

describe('a failure that a worker reports in a stream', () => {
  const failureOf = (reader: AnswerReader, stream: string) => {
    pass(reader, [Buffer.from(stream)]);
    const { failure, pieces, complete } = reader;
    return { status: failure?.status, comesFirst: failure?.comesFirst, pieces, complete };
  };

  it.each<[string, object, number | undefined]>([
    ['an error with a status', { error: { message: 'out of memory', code: 500 } }, 500],
    ['an error of the request', { error: { message: 'too long', code: 400 } }, 400],
    ['an error without a status', { error: { message: 'no', code: 'server_error' } }, undefined],
    ['an error that is a text', { error: 'out of memory', error_type: 'generation' }, undefined],
    ['an error of the request that is a text', { error: 'too long', error_type: 'validation' }, 422],
    ['an error of its template', { error: 'no such role', error_type: 'template_error' }, 422],
    ['an error of its tools', { error: 'no such tool', error_type: 'tool_error' }, 422],
    ['an error of a variable of its template', { error: 'no x', error_type: 'missing_template_variable' }, 422],
    [
      'an error of the request, as newer versions of TGI send it',
      { error: { message: 'Input validation error: too long', http_status_code: 422 } },
      422,
    ],
    [
      'a failure of the worker, which newer versions of TGI send with the same status',
      { error: { message: 'Request failed during generation: out of memory', http_status_code: 422 } },
      undefined,
    ],
    [
      'an error whose message is no text',
      { error: { message: { toString: 1, valueOf: 1 }, http_status_code: 422 } },
      undefined,
    ],
    ['an error of the request with another shape', { error: ['too long'], error_type: 'validation' }, undefined],
  ])('is %s', (_, reported, status) => {
    const event = `: ping\n\ndata: ${JSON.stringify(reported)}\n\n`;
    for (const end of ['', 'data: [DONE]\n\n'])
      expect(failureOf(new EventStream(true), event + end)).toEqual({
        status,
        comesFirst: true,
        pieces: 0,
        complete: end !== '',
      });
    const after = failureOf(new EventStream(true), `${text('a').text}\n\n${event}`);
    expect(after).toMatchObject({ status, comesFirst: false, pieces: 1 });
  });

  it.each<[string, object]>([
    ['error', { type: 'error', code: 'server_error', message: 'out of memory' }],
    ['response.failed', { type: 'response.failed', response: { error: { code: 'server_error' } } }],
  ])('is an event of a response: %s', (type, reported) => {
    const failed = `event: ${type}\ndata: ${JSON.stringify(reported)}\n\n`;
    const begun = 'event: response.created\ndata: {"type":"response.created","response":{"error":null}}\n\n';
    const delta = 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"a"}\n\n';
    expect(failureOf(new ResponseEventStream(), begun + failed)).toMatchObject({ comesFirst: true, pieces: 0 });
    expect(failureOf(new ResponseEventStream(), begun + delta + failed)).toMatchObject({
      comesFirst: false,
      pieces: 1,
    });
    expect(failureOf(new ResponseEventStream(), begun + delta).comesFirst).toBeUndefined();
  });

  it('is not looked for in a long event', () => {
    const event = `data: ${JSON.stringify({ error: 'x'.repeat(64 * 1024) })}\n\n`;
    expect(failureOf(new EventStream(true), event)).toMatchObject({ comesFirst: undefined, pieces: 1 });
  });
});

describe('a long reply', () => {
  /** Characters of the longest text that is parsed at once meanwhile. */
  function longestParsed(run: () => void): number {
    const parse = jest.spyOn(JSON, 'parse');
    try {
      run();
      return Math.max(0, ...parse.mock.calls.map(([text]) => text.length));
    } finally {
      parse.mockRestore();
    }
  }
  const lists = Array(300_000).fill('[]').join();
  const MOST_PARSED = 64 * 1024;

  it('finds the usage of a long reply without parsing all of it', () => {
    const answer = `{"x":[${lists}],"usage":${JSON.stringify(usageOf(16, 329))},"y":[]}`;
    const reader = new WholeAnswer('chat');
    pass(reader, [Buffer.from(answer)]);
    const longest = longestParsed(() => expect(reader.usage).toEqual({ promptTokens: 16, completionTokens: 329 }));
    expect(longest).toBeLessThanOrEqual(MOST_PARSED);
  });

  it('passes on a long event of a stream without parsing it', () => {
    const event = `data: {"usage":{"x":[${lists}]},"choices":[]}\n\n`;
    const reader = new EventStream(true);
    const longest = longestParsed(() => expect(pass(reader, [Buffer.from(event)]).shown === event).toBe(true));
    expect(longest).toBeLessThanOrEqual(MOST_PARSED);
    expect([reader.pieces, reader.usage]).toEqual([1, undefined]);
  });

  it.each(['\n', '\r\n'])('finds the usage in a long last event of a response (%j ends a line)', (newline) => {
    const usage = { input_tokens: 5, output_tokens: 2 };
    const response = `{"output":[${lists}],"usage":${JSON.stringify(usage)}}`;
    const data = `{"response":${response},"type":"response.completed"}`;
    const reader = new ResponseEventStream();
    const event = `event: response.completed${newline}data: ${data}${newline}${newline}`;
    expect(longestParsed(() => pass(reader, [Buffer.from(event)]))).toBeLessThanOrEqual(MOST_PARSED);
    expect([reader.complete, reader.usage]).toEqual([true, { promptTokens: 5, completionTokens: 2 }]);
  });
});

describeWithSamples('answers of real workers', () => {
  const passed = (stream: string, hides: boolean, chunks: readonly Buffer[] = [Buffer.from(stream)]) => {
    const reader = new EventStream(hides);
    return { reader, shown: pass(reader, chunks).shown };
  };

  it('reads the usage at the end of a recorded stream', () => {
    const stream = sampleText('openai/chat-stream-with-usage.sse');
    const last = stream.trimEnd().split('\n\n');
    const usageEvents = last.filter((event) => event.includes('"usage":{'));
    expect(usageEvents).toHaveLength(1);
    const { usage: says } = JSON.parse(usageEvents[0]?.slice('data: '.length) ?? '') as {
      usage: Record<string, number>;
    };
    for (const chunks of [[Buffer.from(stream)], perByte(stream)]) {
      const hidden = passed(stream, true, chunks);
      expect(hidden.shown).toBe(stream.replace(`${usageEvents[0]}\n\n`, ''));
      expect(hidden.reader.usage).toEqual({
        promptTokens: says.prompt_tokens,
        completionTokens: says.completion_tokens,
      });
      expect(hidden.reader.complete).toBe(true);
      expect(passed(stream, false, chunks).shown).toBe(stream);
    }
  });

  it('passes on a recorded stream without a usage', () => {
    const stream = sampleText('openai/chat-stream-no-usage.sse');
    const { reader, shown } = passed(stream, true, perByte(stream));
    expect([shown, reader.usage, reader.complete]).toEqual([stream, undefined, true]);
  });

  it.each(['\n', '\r\n'])('counts 329 tokens of a recorded stream (%j ends a line)', (newline) => {
    const lines = sampleLines('openai/chat-stream-329-tokens.decoded.jsonl');
    const events = lines.map((line) => `data: ${JSON.stringify(line)}${newline}${newline}`);
    const end = `data: [DONE]${newline}${newline}`;
    const stream = events.join('') + end;
    for (const at of [[], [1_000, 50_000, 50_001, 99_999], Array.from({ length: 2_000 }, (_, n) => n * 61)]) {
      const { reader, shown } = passed(stream, true, split(Buffer.from(stream), at));
      expect(shown === events.slice(0, -1).join('') + end).toBe(true);
      expect(reader.usage).toEqual({ promptTokens: 16, completionTokens: 329 });
      expect(reader.complete).toBe(true);
      // About as many pieces as tokens, including those that only open and close the stream.
      expect(reader.pieces).toBe(lines.length - 1);
      expect(Math.abs(reader.pieces - 329)).toBeLessThanOrEqual(2);
      expect(passed(stream, false, split(Buffer.from(stream), at)).shown === stream).toBe(true);
    }
  });

  it.each(['openai/chat-completion.json', 'openai/chat-completion-vllm-0.11.json'])('arrive as a whole: %s', (path) => {
    const answer = sampleText(path);
    const { usage: says } = JSON.parse(answer) as { usage: Record<string, number> };
    const reader = new WholeAnswer('chat');
    expect(pass(reader, perByte(answer)).shown).toBe(answer);
    expect(reader.usage).toEqual({ promptTokens: says.prompt_tokens, completionTokens: says.completion_tokens });
  });
});
