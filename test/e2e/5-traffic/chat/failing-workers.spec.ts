import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI, { APIError } from 'openai';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { EventStream, WholeAnswer } from '../../../../src/5-traffic/chat/workers/answer-readers';
import {
  coldProfile,
  settledAccountOf,
  createKey,
  openAi,
  question,
  RawChat,
  readyProfile,
  routed,
  routeTo,
  serviceFor,
  serving,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { ledgerOf } from '../../../support/inference';
import {
  answers,
  breaksOff,
  completionOf,
  hangsUp,
  InferenceWorker,
  inTurn,
  isSilent,
  redirects,
  refuses,
  streams,
  type Behaviour,
} from '../../../support/inference-worker';
import { expectSoundLedger } from '../../../support/ledger';
import { intentOf, report, reportPhase } from '../../../support/profiles';
import type { Organisation, Replica, Service } from '../../../support/service';

describe('a chat whose worker fails', () => {
  let failing: InferenceWorker;
  let sound: InferenceWorker;
  /** The address of a worker that is gone. */
  let gone: { url: string };
  let canary: Server;
  let canaryHits: number;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let first: string;
  let second: string;
  let model: string;

  beforeAll(async () => {
    failing = await InferenceWorker.start();
    sound = await InferenceWorker.start();
    const closed = await InferenceWorker.start();
    gone = { url: closed.url };
    service = await serviceFor(failing, sound, closed);
    await closed.close();
    canary = createServer((_, response) => void response.end('{"choices":[]}'));
    canary.on('connection', () => canaryHits++);
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([failing.close(), sound.close()]);
    await new Promise((resolve) => canary.close(resolve));
  });
  beforeEach(async () => {
    failing.reset();
    sound.reset();
    canaryHits = 0;
    org = await service.organisation();
    key = await createKey(org);
    first = await readyProfile(org, failing);
    second = await readyProfile(org, sound);
    model = await routeTo(org, [first, second]);
  });

  const ask = (stream: boolean, more: object = {}): Promise<RawChat> =>
    RawChat.ask(service, key.raw_key, question(model, { stream, ...more }));
  /** Ends a stream as an engine does that fails. */
  const reportOf = (code: number): string =>
    `data: {"error":{"message":"out of memory","type":"InternalServerError","code":${code}}}\n\ndata: [DONE]\n\n`;
  const prints =
    (text: string): Behaviour =>
    ({ response }) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  const failed = { target: expect.any(String), reason: expect.any(String), start: 'warm' };

  const canaryUrl = (): string => `http://127.0.0.1:${(canary.address() as AddressInfo).port}/v1/chat/completions`;
  const FAULTS: [name: string, behaviour: Behaviour][] = [
    ['answers 500', refuses(500, '{"error":{"message":"CUDA out of memory","type":"InternalServerError","code":500}}')],
    ['answers 503', refuses(503, '{"error":"overloaded"}')],
    ['answers 429', refuses(429, '{"error":"overloaded"}')],
    ['answers 401', refuses(401, '{"error":"Unauthorized"}')],
    [
      'does not know the model',
      refuses(404, '{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","code":404}'),
    ],
    ['answers 204', ({ response }) => void response.writeHead(204).end()],
    ['closes the connection without a reply', hangsUp('nothing')],
    ['closes the connection after its headers', hangsUp('headers')],
    ['answers with a redirect', (exchange) => redirects(canaryUrl())(exchange)],
    [
      'answers with a permanent redirect',
      (exchange) => void exchange.response.writeHead(308, { location: canaryUrl() }).end(),
    ],
    ['speaks another protocol', ({ response }) => void response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n')],
  ];

  describe.each([true, false])('before the first byte (stream: %s)', (stream) => {
    it.each(FAULTS)('is answered by the next target if the worker %s', async (_name, behaviour) => {
      failing.behaves(behaviour);
      const answer = await ask(stream);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      expect(routed(answer.headers)).toEqual({ target: second, reason: 'fallback', start: 'warm', attempts: '2' });
      expect([failing.requests.length, sound.requests.length, canaryHits]).toEqual([1, 1, 0]);
      expect(sound.last.body.equals(failing.last.body)).toBe(true);
      expect(await usageOf(service, model, 1)).toMatchObject([
        {
          profile_id: second,
          status_code: 200,
          upstream_attempts: 2,
          fallback_used: true,
          decision_source: 'fallback',
          prompt_tokens: 13,
          completion_tokens: 10,
        },
      ]);
      const { spent, requests } = await settledAccountOf(service, key);
      expect([requests, spent]).toEqual([1, expect.closeTo(13 * 0.5e-6 + 10 * 1.5e-6, 12)]);
    });

    it('is answered by the next target if the connection fails', async () => {
      model = await routeTo(org, [await readyProfile(org, gone), second]);
      const answer = await ask(stream);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      expect(routed(answer.headers)).toMatchObject({ target: second, attempts: '2' });
    });

    it('answers 503 without another target', async () => {
      model = await routeTo(org, [first]);
      failing.behaves(refuses(500, '{"error":{"message":"CUDA out of memory on 10.1.2.3"}}'));
      const answer = await ask(stream);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text)]).toEqual([
        503,
        expect.objectContaining({
          code: 'worker_failed',
          error: { message: expect.any(String), type: 'server_error', param: null, code: 'worker_failed' },
        }),
      ]);
      expect(text).not.toMatch(/CUDA|10\.1\.2\.3/);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(routed(answer.headers)).toEqual({ ...failed, attempts: '1' });
      expect(failing.requests).toHaveLength(1);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, upstream_attempts: 1, cost_usd: 0 }]);
      expect(await settledAccountOf(service, key)).toMatchObject({ spent: 0 });
    });

    it('answers 503 if the next target fails as well, and tries no third one', async () => {
      model = await routeTo(org, [first, await readyProfile(org, failing), second]);
      failing.behaves(inTurn(hangsUp('nothing'), refuses(500, '{}')));
      const answer = await ask(stream);
      expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([503, 'worker_failed']);
      expect(routed(answer.headers)).toEqual({ ...failed, attempts: '2' });
      expect([failing.requests.length, sound.requests.length]).toEqual([2, 0]);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, upstream_attempts: 2, cost_usd: 0 }]);
      await settledAccountOf(service, key);
    });

    it('answers 503 if the next target is cold', async () => {
      await reportPhase(org.controller, second, 'Suspended');
      model = await routeTo(org, [first, second]);
      failing.behaves(refuses(500, '{}'));
      const answer = await ask(stream);
      expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([503, 'worker_failed']);
      expect(sound.requests).toEqual([]);
    });
  });

  it('frees its place', async () => {
    const narrow = await readyProfile(org, failing, { target_concurrency: 1 });
    model = await routeTo(org, [narrow], { queue_timeout_ms: 0 });
    for (const [, behaviour] of FAULTS) {
      failing.behaves(behaviour);
      await (await ask(true)).bytes();
    }
    failing.behaves(answers());
    const answer = await ask(true);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
  });

  describe('after the first byte', () => {
    it('ends its stream with an error, which the official client throws', async () => {
      failing.behaves(breaksOff(4));
      const client = openAi(service, key.raw_key);
      const seen: string[] = [];
      const reading = (async () => {
        const messages = [{ role: 'user' as const, content: 'Hi' }];
        for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
          seen.push(choices[0]?.delta.content ?? '');
      })();
      const error: unknown = await reading.catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject({ code: 'worker_failed', type: 'server_error', message: expect.any(String) });
      expect(seen.join('')).toBe('The quick brown');
      expect(sound.requests).toEqual([]);
      expect(await usageOf(service, model, 1)).toMatchObject([
        { status_code: 502, upstream_attempts: 1, completion_tokens: expect.any(Number) },
      ]);
      expect((await settledAccountOf(service, key)).spent).toBeGreaterThan(0);
    });

    it.each([true, false])(
      'ends its stream with the error as the last event after the output (usage requested: %s)',
      async (include_usage) => {
        failing.behaves(breaksOff(3));
        const answer = await ask(true, { stream_options: { include_usage } });
        const printed = Buffer.concat(failing.last.sent).toString();
        const text = await answer.text();
        expect(text.slice(0, printed.length)).toBe(printed);
        const [, data = '{}'] = /^data: ([^\n]*)\n\n$/.exec(text.slice(printed.length)) ?? [];
        expect(JSON.parse(data)).toEqual({
          error: { message: expect.any(String), type: 'server_error', param: null, code: 'worker_failed' },
        });
        expect([answer.status, answer.headers['x-attempts']]).toEqual([200, '1']);
        expect(text).not.toContain('[DONE]');
      },
    );

    it.each([
      [true, '\n'],
      [false, '\n'],
      [true, '\r\n'],
      [false, '\r\n'],
    ])(
      'ends its stream with a separate error event if it broke off within one (usage requested: %s, %j)',
      async (include_usage, lineEnd) => {
        failing.behaves(async (exchange) => {
          const { response } = exchange;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(
            `data: {"choices":[{"index":0,"delta":{"content":"whole"}}]}${lineEnd}${lineEnd}data: {"choices":[{"ind`,
          );
          await eventually(() => expect(response.writableLength).toBe(0));
          await new Promise((resolve) => setTimeout(resolve, 50));
          response.socket?.destroy();
        });
        const client = openAi(service, key.raw_key);
        const messages = [{ role: 'user' as const, content: 'Hi' }];
        const stream_options = { include_usage };
        const seen: string[] = [];
        const reading = (async () => {
          for await (const chunk of await client.chat.completions.create({
            model,
            messages,
            stream: true,
            stream_options,
          }))
            seen.push(chunk.choices[0]?.delta.content ?? '');
        })();
        const error: unknown = await reading.catch((failure: unknown) => failure);
        expect(seen).toEqual(['whole']);
        expect(error).toBeInstanceOf(APIError);
        expect(error).toMatchObject({ code: 'worker_failed', type: 'server_error' });
      },
    );

    it('breaks off a reply without a stream, so that no client takes it for complete', async () => {
      failing.behaves(breaksOff(0));
      const client = openAi(service, key.raw_key);
      const asking = client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
      await expect(asking).rejects.toThrow();
      expect(sound.requests).toEqual([]);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 502, upstream_attempts: 1 }]);
      await settledAccountOf(service, key);
    });

    it('breaks off a reply of unstated length too', async () => {
      failing.behaves(async ({ asked, response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(completionOf(asked).slice(0, 100));
        await new Promise((resolve) => setTimeout(resolve, 50));
        response.socket?.destroy();
      });
      const answer = await ask(false);
      await expect(answer.bytes()).rejects.toThrow('aborted');
    });

    it('passes on an error event of the worker, and is recorded as failed', async () => {
      const printed = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n${reportOf(500)}`;
      failing.behaves(prints(printed));
      const answer = await ask(true);
      expect([answer.status, await answer.text(), answer.headers['x-attempts']]).toEqual([200, printed, '1']);
      expect(sound.requests).toEqual([]);
      expect(await usageOf(service, model, 1)).toMatchObject([
        { status_code: 502, upstream_attempts: 1, completion_tokens: 1 },
      ]);
      expect((await settledAccountOf(service, key)).spent).toBeGreaterThan(0);
    });
  });

  describe('whose answer cannot be read', () => {
    afterEach(() => jest.restoreAllMocks());
    const throws = () => {
      throw new TypeError('no such member');
    };

    it.each(['take', 'rest'] as const)('is answered by the next target (%s)', async (step) => {
      jest.spyOn(EventStream.prototype, step).mockImplementationOnce(throws);
      // What is left for `rest` has not reached the client before.
      failing.behaves(prints('data: {"choices":[]}'));
      const answer = await ask(true);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      expect([failing.requests.length, sound.requests.length]).toEqual([1, 1]);
    });

    it('is answered 503 without another target', async () => {
      model = await routeTo(org, [first]);
      jest.spyOn(WholeAnswer.prototype, 'take').mockImplementationOnce(throws);
      failing.behaves(answers());
      const answer = await ask(false);
      expect([answer.status, JSON.parse(await answer.text()).code]).toEqual([503, 'worker_failed']);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, cost_usd: 0 }]);
    });

    it('ends with an error event if the client has a part of it', async () => {
      jest.spyOn(EventStream.prototype, 'rest').mockImplementationOnce(throws);
      failing.behaves(streams());
      const text = await (await ask(true)).text();
      expect(text).toContain('data: {');
      expect(text).toContain('worker_failed');
      expect(sound.requests).toEqual([]);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 502 }]);
    });
  });

  describe('whose first event reports an error', () => {
    it('is answered by the next target', async () => {
      failing.behaves(prints(reportOf(500)));
      const answer = await ask(true);
      expect(await answer.text()).toContain('quick');
      expect(routed(answer.headers)).toEqual({ target: second, reason: 'fallback', start: 'warm', attempts: '2' });
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 200, profile_id: second }]);
    });

    it('is answered by the next target if its message is no text', async () => {
      const error = { message: { toString: 1, valueOf: 1 }, http_status_code: 422 };
      failing.behaves(prints(`data: ${JSON.stringify({ error })}\n\n`));
      const answer = await ask(true);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      expect(failing.requests).toHaveLength(1);
    });

    it('is answered 503 without another target, and costs nothing', async () => {
      model = await routeTo(org, [first]);
      failing.behaves(prints(reportOf(500).replace('data: [DONE]\n\n', '').trimEnd()));
      const answer = await ask(true);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text).code]).toEqual([503, 'worker_failed']);
      expect(text).not.toContain('out of memory');
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, cost_usd: 0 }]);
      expect(await settledAccountOf(service, key)).toMatchObject({ spent: 0 });
    });

    it("is answered in the worker's words if the error is about the request", async () => {
      failing.behaves(prints(reportOf(400)));
      const answer = await ask(true);
      expect([answer.status, JSON.parse(await answer.text())]).toEqual([
        400,
        expect.objectContaining({
          code: 'refused_by_worker',
          error: { message: 'out of memory', type: 'InternalServerError', param: null, code: '400' },
        }),
      ]);
      expect(sound.requests).toEqual([]);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 400, cost_usd: 0 }]);
    });

    it("is answered in the worker's words if it is a text about the request", async () => {
      failing.behaves(prints('data: {"error":"Input is too long","error_type":"validation"}\n\n'));
      const answer = await ask(true);
      expect([answer.status, JSON.parse(await answer.text())]).toEqual([
        422,
        expect.objectContaining({
          code: 'refused_by_worker',
          error: { message: 'Input is too long', type: 'validation', param: null, code: null },
        }),
      ]);
      expect([failing.requests.length, sound.requests]).toEqual([1, []]);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 422, upstream_attempts: 1, cost_usd: 0 }]);
    });

    it('is answered by the next target if it is a response', async () => {
      const served = serving('responses');
      const targets = [await readyProfile(org, failing, served), await readyProfile(org, sound, served)];
      model = await routeTo(org, targets);
      failing.behaves(prints('event: error\ndata: {"type":"error","code":"server_error","message":"no"}\n\n'));
      const answer = await fetch(`${service.url}/v1/inference/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Hello!', stream: true }),
      });
      expect(await answer.text()).toContain('response.completed');
      expect(routed(answer.headers)).toMatchObject({ target: targets[1], attempts: '2' });
    });
  });

  describe('and whose controller is silent', () => {
    /** Of a controller that repeats its reports. */
    const controls = async (profileId: string, { url }: { url: string }, secondsAgo: number) => {
      const answer = await report(org.controller, profileId, { cluster_id: clusterId, endpoint: url });
      expect(answer.status).toBe(204);
      await service.db.query(
        'update activations set updated_at = updated_at - make_interval(secs => $2) where profile_id = $1',
        [profileId, secondsAgo],
      );
    };
    const statusOf = async (): Promise<JsonObject | undefined> => {
      const { body } = await org.viewer.get('/v1/inference/routes/status');
      return (body as JsonObject[]).find(({ logical_model: name }) => name === model);
    };
    let clusterId: string;
    let third: string;

    beforeEach(async () => {
      clusterId = (await org.operator.post('/v1/cluster', { cluster_name: 'gone' })).text;
      third = await coldProfile(org);
      model = await routeTo(org, [first, third]);
    });

    it('wakes the next target, and is served there', async () => {
      await controls(first, gone, 91);
      const answering = ask(true);
      await eventually(async () => expect(await intentOf(org.viewer, third)).toMatchObject({ status: 'Pending' }));
      expect(await statusOf()).toMatchObject({ primary_ready: false, fallback_ready: false, state: 'cold' });
      const { body } = await org.viewer.get(`/v1/inference/routes/${model}/state`);
      expect(body).toMatchObject({
        outlook: { decision: 'wait', profile_id: third },
        targets: [{ profile_id: first, state: 'cooling', capacity: 0 }, { profile_id: third }],
      });
      expect((await report(org.controller, third, { endpoint: sound.url, observed_generation: 1 })).status).toBe(204);
      const answer = await answering;
      expect(await answer.text()).toContain('quick');
      expect(routed(answer.headers)).toMatchObject({ target: third, reason: 'fallback', start: 'cold' });
      expect(await statusOf()).toMatchObject({ state: 'fallback', endpoint: sound.url });
      // Nobody tries the lost one meanwhile.
      expect((await ask(true)).headers['x-attempts']).toBe('1');
      // Its controller is back.
      await controls(first, failing, 0);
      await eventually(async () => expect(routed((await ask(true)).headers)).toMatchObject({ target: first }));
      expect(await statusOf()).toMatchObject({ primary_ready: true, state: 'serving' });
    });

    it('is served by a worker that still answers, even after it failed', async () => {
      await controls(first, failing, 91);
      failing.behaves(inTurn(refuses(500, '{}'), answers()));
      expect((await ask(true)).status).toBe(503);
      expect(routed((await ask(true)).headers)).toMatchObject({ target: first, attempts: '1' });
      expect(await intentOf(org.viewer, third)).toBeUndefined();
    });

    it('is answered 503, and wakes nothing, if the controller has just reported', async () => {
      await controls(first, gone, 60);
      expect((await ask(true)).status).toBe(503);
      expect(await intentOf(org.viewer, third)).toBeUndefined();
      expect(await statusOf()).toMatchObject({ primary_ready: true, state: 'serving' });
    });
  });

  describe('by sending nothing for too long', () => {
    let impatient: Replica;
    beforeAll(async () => {
      impatient = await service.replica({ workerAnswerTimeoutSeconds: 1 });
    });
    const askImpatient = (stream: boolean): Promise<RawChat> =>
      RawChat.ask(impatient, key.raw_key, question(model, { stream }));

    it('is answered by the next target', async () => {
      failing.behaves(isSilent());
      const answer = await askImpatient(false);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
      expect(routed(answer.headers)).toMatchObject({ target: second, attempts: '2' });
    });

    it('is answered 503 without another target, and the official client does not have it computed again', async () => {
      model = await routeTo(org, [first]);
      failing.behaves(isSilent());
      const client = new OpenAI({ baseURL: `${impatient.url}/v1/inference`, apiKey: key.raw_key, maxRetries: 2 });
      const asking = client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
      const error: unknown = await asking.catch((failure: unknown) => failure);
      expect(error).toMatchObject({ status: 503, code: 'worker_timeout', type: 'server_error' });
      await eventually(() => expect([failing.requests.length, failing.abandoned.length]).toEqual([1, 1]));
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, upstream_attempts: 1, cost_usd: 0 }]);
    });

    it('ends its stream with that error', async () => {
      failing.behaves(streams({ before: (place) => (place < 3 ? undefined : new Promise(() => undefined)) }));
      const text = await (await askImpatient(true)).text();
      expect(text).toMatch(/^data: \{.*"code":"worker_timeout".*\}\n\n$/m);
      expect(sound.requests).toEqual([]);
      expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 502, upstream_attempts: 1 }]);
    });
  });

  describe('before anybody counted the tokens of its whole answer', () => {
    /** Begins an answer, and waits for its client to leave. */
    const stalls: Behaviour = async ({ asked, response, gone: left }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(completionOf(asked).slice(0, 100));
      await once(left, 'abort');
    };
    const forgets: Behaviour = ({ asked, response }) => {
      const { usage: _usage, ...answer } = JSON.parse(completionOf(asked)) as JsonObject;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    /** What it reserves, and what it costs. */
    const costs = async (of: string, endpoint = '/v1/inference/chat/completions', more: JsonObject = {}) => {
      const asked = await fetch(`${service.url}${endpoint}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: of, max_tokens: 50, ...more }),
      });
      const reader = asked.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      const [record] = await usageOf(service, of, 1);
      await settledAccountOf(service, key);
      const entries = (await ledgerOf(service, key.key_id)).map((entry) => entry.split(' ').slice(1).map(Number));
      await expectSoundLedger(service.db);
      return {
        reserved: entries[0]?.[0],
        spent: entries[1]?.[1],
        tokens: [record?.prompt_tokens, record?.completion_tokens],
      };
    };

    it.each<[string, Behaviour]>([
      ['reports none', forgets],
      ['breaks off', breaksOff(0)],
      ['is left by the client', stalls],
    ])('costs what it reserved if the worker %s', async (_what, behaviour) => {
      failing.behaves(behaviour);
      const { reserved, spent, tokens } = await costs(model, undefined, { messages: [] });
      expect(spent).toBeGreaterThan(50 * 1.5e-6);
      expect([spent, tokens[1]]).toEqual([reserved, null]);
    });

    it('costs its prompt if the tokens of answers have no price, or are none', async () => {
      failing.behaves(forgets);
      const cheap = await readyProfile(org, failing, { spec: { pricing: { prompt_usd_per_mtok: 1_000 } } });
      const free = await costs(await routeTo(org, [cheap]), undefined, { messages: [] });
      expect([free.spent, free.tokens[1]]).toEqual([free.reserved, null]);
      key = await createKey(org);
      const embedding = await routeTo(org, [await readyProfile(org, failing, serving('embeddings'))]);
      failing.behaves(({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
      });
      const { spent, tokens } = await costs(embedding, '/v1/inference/embeddings', {
        input: 'a',
        max_tokens: undefined,
      });
      expect([spent, tokens[1]]).toEqual([Number(tokens[0]) * 0.5e-6, 0]);
    });
  });

  describe('that reports its usage with each piece', () => {
    const PIECES = 50;
    type Usage = (place: number) => { prompt_tokens: number; completion_tokens: number };
    const piece = (place: number, choices: number, of: Usage): string => {
      const choice = { index: place % choices, delta: { content: 'a' }, finish_reason: null };
      return `data: ${JSON.stringify({ choices: [choice], usage: of(place) })}\n\n`;
    };
    /** Sends its pieces, and then goes on forever, or breaks off. */
    const sends =
      (choices: number, of: Usage, goesOn: boolean): Behaviour =>
      async ({ response, gone: left }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let place = 0; place < PIECES; place++) response.write(piece(place, choices, of));
        await eventually(() => expect(response.writableLength).toBe(0));
        if (goesOn) await once(left, 'abort');
        else response.socket?.end();
      };

    it.each<[string, number, Usage, number | undefined, number]>([
      ['zeros, as Ollama does,', 1, () => ({ prompt_tokens: 0, completion_tokens: 0 }), undefined, PIECES],
      [
        'the tokens of one choice, as vLLM does,',
        2,
        (place) => ({ prompt_tokens: 13, completion_tokens: Math.ceil((place + 1) / 2) }),
        13,
        PIECES,
      ],
      [
        'three tokens at once',
        1,
        (place) => ({ prompt_tokens: 13, completion_tokens: 3 * (place + 1) }),
        13,
        3 * PIECES,
      ],
      [
        'three tokens at once, of one choice,',
        2,
        (place) => ({ prompt_tokens: 13, completion_tokens: 3 * Math.ceil((place + 1) / 2) }),
        13,
        3 * PIECES,
      ],
    ])(
      'costs all of it if it reports %s and does not end',
      async (_what, choices, of, promptTokens, completionTokens) => {
        for (const goesOn of [true, false]) {
          key = await createKey(org);
          model = await routeTo(org, [first]);
          failing.behaves(sends(choices, of, goesOn));
          const answer = await ask(true, { n: choices, max_tokens: 1_000 });
          if (goesOn) {
            let seen = '';
            while (seen.split('data: ').length <= PIECES) seen += (await answer.chunk()).toString();
            answer.leave();
          } else await answer.text();
          const [record] = await usageOf(service, model, 1);
          expect(record).toMatchObject({ status_code: goesOn ? 499 : 502, completion_tokens: completionTokens });
          expect(record?.prompt_tokens).toBeGreaterThan(5);
          if (promptTokens !== undefined) expect(record?.prompt_tokens).toBe(promptTokens);
          const { spent } = await settledAccountOf(service, key);
          expect(spent).toBeCloseTo(Number(record?.prompt_tokens) * 0.5e-6 + completionTokens * 1.5e-6, 12);
        }
      },
    );

    it.each<[what: string, texts: number, least: number, most: number]>([
      ['all prompts, by their size,', 4, 400, 450],
      ['its prompt, as reported,', 1, 13, 13],
    ])('costs %s if its client leaves and the usage is that of one', async (_what, texts, least, most) => {
      model = await routeTo(org, [await readyProfile(org, failing, serving('completions'))]);
      failing.behaves(sends(texts, () => ({ prompt_tokens: 13, completion_tokens: 1 }), true));
      const prompt = Array.from({ length: texts }, () => 'word '.repeat(80));
      const leaving = new AbortController();
      const answer = await fetch(`${service.url}/v1/inference/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, prompt, stream: true, max_tokens: 1_000 }),
        signal: leaving.signal,
      });
      const reader = answer.body?.getReader();
      await reader?.read();
      leaving.abort();
      const [record] = await usageOf(service, model, 1);
      expect(record?.status_code).toBe(499);
      expect(record?.prompt_tokens).toBeGreaterThanOrEqual(least);
      expect(record?.prompt_tokens).toBeLessThanOrEqual(most);
      const { spent } = await settledAccountOf(service, key);
      const tokens = [Number(record?.prompt_tokens), Number(record?.completion_tokens)] as const;
      expect(spent).toBeCloseTo(tokens[0] * 0.5e-6 + tokens[1] * 1.5e-6, 12);
    });
  });

  it('costs few tokens for a picture if its client stops the answer, however large the picture is', async () => {
    const url = `data:image/png;base64,${'A'.repeat(2 * 1024 * 1024)}`;
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ];
    failing.behaves(streams({ before: (n) => (n > 1 ? new Promise(() => undefined) : undefined) }));
    const answer = await ask(true, { messages: [{ role: 'user', content }], max_tokens: 10 });
    await answer.chunk();
    answer.leave();
    const [record] = await usageOf(service, model, 1);
    expect(record?.status_code).toBe(499);
    expect(record?.prompt_tokens).toBeGreaterThan(1_000);
    expect(record?.prompt_tokens).toBeLessThan(1_100);
    await settledAccountOf(service, key);
    const [[reserved] = [], [, spent] = []] = (await ledgerOf(service, key.key_id)).map((entry) =>
      entry.split(' ').slice(1).map(Number),
    );
    expect(reserved).toBeGreaterThan(500_000 * 0.5e-6);
    expect(spent).toBeLessThan(1_100 * 0.5e-6 + 10 * 1.5e-6);
  });

  it('is not sent to the next target if its client leaves', async () => {
    failing.behaves(isSilent());
    const leaving = RawChat.send(service, key.raw_key, question(model));
    leaving.on('error', () => undefined);
    await eventually(() => expect(failing.requests).toHaveLength(1));
    leaving.destroy();
    await eventually(() => expect(failing.abandoned).toHaveLength(1));
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 499, upstream_attempts: 1 }]);
    expect(sound.requests).toEqual([]);
  });

  it('tells the official client, which may retry', async () => {
    model = await routeTo(org, [first]);
    failing.behaves(inTurn(refuses(500, '{}'), answers()));
    const client = new OpenAI({ baseURL: `${service.url}/v1/inference`, apiKey: key.raw_key, maxRetries: 1 });
    const completion = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
    expect(completion.choices[0]?.message.content).toContain('quick');
    expect((await settledAccountOf(service, key)).requests).toBe(2);
  });
});
