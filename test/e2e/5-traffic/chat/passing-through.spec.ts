import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import {
  createKey,
  EXACT_MODEL,
  question,
  RawChat,
  readyProfile,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { answers, InferenceWorker, replays, streams } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { seeded } from '../../../support/random';
import { describeWithSamples, sampleText } from '../../../support/samples';
import type { Organisation, Service } from '../../../support/service';

/** The client has nothing of the withheld events by then. */
const AT_ONCE_MS = 2_000;

describe('a chat', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    key = await createKey(org);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    worker.reset();
    model = await routeTo(org, [await readyProfile(org, worker)]);
  });

  const ask = (body: JsonObject | string | Buffer, headers: Record<string, string> = {}): Promise<RawChat> =>
    RawChat.ask(service, key.raw_key, body, headers);
  const printed = (): string => Buffer.concat(worker.last.sent).toString();

  describe('reaches the worker byte by byte', () => {
    /**
     * What the client writes, and what must arrive. MODEL stands for the name of the model on either side.
     */
    const BODIES: [name: string, body: string, arrives?: string][] = [
      ['numbers of any kind', '{"model":MODEL,"a":1.0,"b":1e2,"c":12345678901234567890,"d":-0,"e":0.1e-7,"f":1E+2}'],
      ['escapes unchanged', '{"model":MODEL,"messages":[{"content":"\\u00e9\\/\\ud83d\\ude00\\u0000\\"é😀\\\\"}]}'],
      ['the order of members', '{"z":1,"model":MODEL,"a":{"model":"inner","10":1,"2":2},"0":null}'],
      ['spaces and line ends', ' \r\n{\t"model" :\n MODEL ,\n  "n" : 1 }\n '],
      ['a model at the end', '{"messages":[],"temperature":0.70,"model":MODEL}'],
      ['brackets and quotes within strings', '{"a":"}],{\\"model\\":\\"x\\"","model":MODEL,"b":["{","\\\\"]}'],
      ['an escaped member name', '{"mod\\u0065l":MODEL,"a":1}'],
      ['a repeated model', '{"model":MODEL,"a":true,"model":MODEL}'],
      ['an unknown member', '{"model":MODEL,"":"","__proto__":{"a":1},"constructor":null}'],
      ['stream_options without a stream', '{"model":MODEL,"stream_options":{"include_usage":true}}'],
      ['a requested usage', '{"stream_options":{"include_usage":true},"stream":true,"model":MODEL}'],
      [
        'adding a request for the usage of a stream',
        '{"model":MODEL,"stream":true,"a":1.0}',
        '{"model":MODEL,"stream":true,"a":1.0,"stream_options":{"include_usage":true}}',
      ],
      [
        'adding the request beside other options',
        '{"model":MODEL,"stream_options":{"include_usage":false,"x":[1]},"stream":true}',
        '{"model":MODEL,"stream_options":{"include_usage":true,"x":[1]},"stream":true}',
      ],
      [
        'adding the request in place of empty options',
        '{"stream_options": null ,"model":MODEL, "stream" : true }',
        '{"stream_options": {"include_usage":true} ,"model":MODEL, "stream" : true }',
      ],
    ];

    it.each(BODIES)('reaches the worker byte by byte with %s', async (_name, body, arrives = body) => {
      const answer = await ask(body.replaceAll('MODEL', JSON.stringify(model)));
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      expect(worker.last.body.toString()).toBe(arrives.replaceAll('MODEL', JSON.stringify(EXACT_MODEL)));
      expect(worker.last.headers['content-length']).toBe(String(worker.last.body.length));
    });

    it('reaches the worker byte by byte with a model name that must be escaped', async () => {
      const exact = 'models/"quoted"\\\u2028é';
      model = await routeTo(org, [await readyProfile(org, worker, { exact_model: exact })]);
      await (await ask(`{"a":1.0,"model":${JSON.stringify(model)}}`)).text();
      expect(JSON.parse(worker.last.body.toString())).toEqual({ a: 1, model: exact });
    });

    it('inflated if its client deflated it', async () => {
      const body = `{"a":1.0,"model":${JSON.stringify(model)}}`;
      const answer = await ask(gzipSync(body), { 'content-encoding': 'gzip' });
      expect([answer.status, worker.last.body.toString()]).toEqual([200, `{"a":1.0,"model":"${EXACT_MODEL}"}`]);
      expect(worker.last.headers).not.toHaveProperty('content-encoding');
    });

    it('reaches the worker byte by byte with many megabytes', async () => {
      const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(1_000_000)}`;
      const image = { type: 'image_url', image_url: { url: picture } };
      const body = question(model, { messages: [{ role: 'user', content: [image] }] });
      expect((await ask(body)).status).toBe(200);
      const arrived = JSON.stringify({ ...body, model: EXACT_MODEL });
      expect(worker.last.body.equals(Buffer.from(arrived))).toBe(true);
    });
  });

  it('forwards only tracing headers of its client', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = {
      traceparent,
      tracestate: 'vendor=1',
      cookie: 'session=secret',
      'x-api-key': 'secret',
      'x-forwarded-for': '10.1.2.3',
      'x-forwarded-host': 'elsewhere',
      forwarded: 'for=10.1.2.3',
      'proxy-authorization': 'Basic c2VjcmV0',
      'openai-organization': 'secret',
      'x-experiment-id': '0197a7c0-0000-7000-8000-000000000001',
      'x-request-timeout-ms': '60000',
      'x-route-target': 'elsewhere',
      'x-gateway-destination-endpoint': '10.1.2.3:80',
      'x-request-id': 'mine',
      'user-agent': 'secret/1.0',
      'accept-encoding': 'gzip',
      te: 'trailers',
      expect: '100-continue',
    };
    for (const stream of [true, false]) {
      const answer = await ask(question(model, { stream }), headers);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      const { headers: arrived, body } = worker.last;
      expect(arrived).toEqual({
        host: worker.host,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': String(body.length),
        accept: stream ? 'text/event-stream' : 'application/json',
        'x-request-id': expect.any(String),
        traceparent,
        tracestate: 'vendor=1',
      });
      expect(JSON.stringify(arrived)).not.toContain(key.raw_key);
      expect(arrived['x-request-id']).not.toBe('mine');
    }
  });

  it('forwards only headers of its worker that describe the answer', async () => {
    worker.behaves(({ response, request, asked }) => {
      response.setHeader('set-cookie', 'session=secret');
      response.setHeader('x-route-target', 'elsewhere');
      response.setHeader('location', 'http://elsewhere/');
      return answers()({ response, request, asked, gone: new AbortController().signal });
    });
    const { headers } = await ask(question(model));
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).not.toHaveProperty('location');
    expect(headers['x-route-target']).not.toBe('elsewhere');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  describe('streams', () => {
    /** The output without the event that only reports the usage. */
    const withoutUsage = (text: string): string =>
      text.replace(/data: [^\r\n]*"choices":\[\],"usage":[^\r\n]*(\r?\n){2}/, '');

    const asked = (usage: boolean): JsonObject =>
      question(model, { stream: true, ...(usage ? { stream_options: { include_usage: true } } : {}) });

    it.each<[string, number | undefined, '\n' | '\r\n']>([
      ['events unchanged', undefined, '\n'],
      ['events unchanged, with CRLF', undefined, '\r\n'],
      ['single bytes', 1, '\n'],
      ['single bytes, with CRLF', 1, '\r\n'],
      ['pieces of three bytes, with CRLF', 3, '\r\n'],
      ['pieces of a hundred bytes', 100, '\n'],
      ['one piece', 1_000_000, '\n'],
    ])('streams %s, with the usage and without it', async (_name, size, lineEnd) => {
      worker.behaves(
        streams({ lineEnd, words: ['He', 'llo 😀', '\n\n', ' "usage":{'], sliceBytes: size ? () => size : undefined }),
      );
      const whole = await ask(asked(true));
      expect(whole.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        'cache-control': expect.stringContaining('no-store'),
      });
      expect(whole.headers).not.toHaveProperty('content-length');
      expect(await whole.text()).toBe(printed());
      expect(printed()).toContain('"choices":[],"usage":');

      const hidden = await (await ask(asked(false))).text();
      expect(hidden).toBe(withoutUsage(printed()));
      expect(hidden).not.toBe(printed());
      const usage = { prompt_tokens: 13, completion_tokens: 4 };
      expect(await usageOf(service, model, 2)).toMatchObject([usage, usage]);
    });

    it('streams pieces that end anywhere', async () => {
      for (let seed = 1; seed <= 40; seed++) {
        const next = seeded(seed);
        const lineEnd = seed % 2 ? '\n' : '\r\n';
        const words = Array.from({ length: 1 + Math.floor(next() * 20) }, (_, n) => `é${'x'.repeat(next() * 200)}${n}`);
        worker.behaves(streams({ lineEnd, words, sliceBytes: () => Math.ceil(next() ** 3 * 400) }));
        const usage = seed % 4 < 2;
        const text = await (await ask(asked(usage))).text();
        expect([seed, text]).toEqual([seed, usage ? printed() : withoutUsage(printed())]);
      }
    });

    it('streams comments, names and ids of events, and a last line without an end', async () => {
      const text =
        ': ping\n\nevent: x\nid: 7\nretry: 10\ndata: {"choices":[{}]}\n\n: ping\n\ndata: [DONE]\n\ndata: {"left":"over"}';
      worker.behaves(({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text));
      for (const usage of [true, false]) expect(await (await ask(asked(usage))).text()).toBe(text);
    });

    it('streams a usage beside a piece of text unchanged', async () => {
      const text =
        'data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}\n\ndata: [DONE]\n\n';
      worker.behaves(replays(text));
      expect(await (await ask(asked(false))).text()).toBe(text);
      expect(await usageOf(service, model, 1)).toMatchObject([{ prompt_tokens: 5, completion_tokens: 1 }]);
    });

    it('streams an answer that was not requested as a stream', async () => {
      worker.behaves(streams());
      expect(await (await ask(question(model))).text()).toContain('[DONE]');
    });

    describeWithSamples('of vLLM', () => {
      it.each(['openai/chat-stream-with-usage.sse', 'openai/chat-stream-no-usage.sse'])(
        'passes on the recorded stream %s byte by byte',
        async (path) => {
          for (const sliceBytes of [undefined, () => 1, () => 37]) {
            worker.behaves(replays(sampleText(path), { sliceBytes }));
            expect(await (await ask(asked(true))).text()).toBe(printed());
            expect(await (await ask(asked(false))).text()).toBe(withoutUsage(printed()));
          }
          expect(printed()).toBe(sampleText(path));
        },
      );
    });
  });

  describe('delays nothing', () => {
    it.each([true, false])('delays nothing but the current event (usage requested: %s)', async (include_usage) => {
      let release = (): void => undefined;
      const before = (place: number): Promise<void> | undefined =>
        place < 2 ? undefined : new Promise((resolve) => (release = resolve));
      worker.behaves(streams({ before }));
      const answer = await ask(question(model, { stream: true, stream_options: { include_usage } }));
      let seen = '';
      for (let events = 2; events <= 5; events++) {
        const since = performance.now();
        while (seen.length < printed().length) seen += (await answer.chunk()).toString();
        expect(performance.now() - since).toBeLessThan(onThisMachine(AT_ONCE_MS));
        expect([seen, seen.match(/data:/g)?.length]).toEqual([printed(), events]);
        const written = worker.last.sent.length;
        release();
        await eventually(() => expect(worker.last.sent.length).toBeGreaterThan(written));
      }
      answer.leave();
    });

    it('delays nothing of an answer without a stream', async () => {
      let finish = (): void => undefined;
      worker.behaves(({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"a":');
        finish = () => response.end('1}');
      });
      const answer = await ask(question(model));
      expect((await answer.chunk()).toString()).toBe('{"a":');
      finish();
      expect(await answer.text()).toBe('1}');
    });
  });

  describe('of a client that does not read', () => {
    const EVENT = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(16_000) } }] })}\n\n`;
    /** More than the network between the three holds. */
    const MOST_BYTES = 256 * 1024 * 1024;

    it.each([true, false])('buffers no more than the network holds (usage requested: %s)', async (include_usage) => {
      let sent = 0;
      let stalled = false;
      const said = createHash('sha256');
      worker.behaves(async ({ response, gone }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        while (sent < MOST_BYTES && !gone.aborted && !stalled) {
          sent += EVENT.length;
          said.update(EVENT);
          if (!response.write(EVENT)) await once(response, 'drain', { signal: gone });
        }
        response.end();
      });
      const answer = await ask(question(model, { stream: true, stream_options: { include_usage } }));
      const before = process.memoryUsage().arrayBuffers;
      await eventually(async () => {
        const known = sent;
        await sleep(500);
        expect([known > 0, sent]).toEqual([true, known]);
      }, 30_000);
      expect(sent).toBeLessThan(MOST_BYTES);
      // Buffers of this process: those of the worker, of the service and of the client.
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);

      stalled = true;
      const read = createHash('sha256');
      for await (const chunk of answer.message) read.update(chunk as Buffer);
      expect(read.digest('hex')).toBe(said.digest('hex'));
    });
  });
});
