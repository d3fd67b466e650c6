import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI, { APIError } from 'openai';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { CapacityIntentsService } from '../../../../src/4-serving/capacity-intents/capacity-intents.service';
import {
  settledAccountOf,
  CHAT,
  coldProfile,
  createKey,
  openAi,
  question,
  RawChat,
  readyProfile,
  routed,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { useUpRate } from '../../../support/inference';
import { InferenceWorker, refuses } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { intentOf } from '../../../support/profiles';
import { describeWithSamples, sample, sampleText } from '../../../support/samples';
import type { Answer, Organisation, Service } from '../../../support/service';
import { SentStatements } from '../../../support/statements';

/** Far less than the 3 seconds of an injected sleep. */
const AT_ONCE_MS = 1_500;
const LARGEST_BODY = 16 * 1024 * 1024;

describe('a refused chat', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let profileId: string;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    profileId = await readyProfile(org, worker);
    model = await routeTo(org, [profileId]);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    worker.reset();
    key = await createKey(org);
  });

  const post = (
    body: unknown,
    headers: Record<string, string> = {},
    bearer = key.raw_key,
    path = CHAT,
  ): Promise<Answer> => service.as(bearer).post(path, body, headers);

  /** What the official client throws for an answer and for a stream. */
  async function refusal(bearer: string, asked = model, options?: OpenAI.RequestOptions): Promise<APIError> {
    const client = openAi(service, bearer);
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const [whole, streamed] = await Promise.all([
      client.chat.completions.create({ model: asked, messages }, options).catch((error: unknown) => error),
      client.chat.completions
        .create({ model: asked, messages, stream: true }, options)
        .catch((error: unknown) => error),
    ]);
    if (!(whole instanceof OpenAI.APIError) || !(streamed instanceof OpenAI.APIError))
      throw new Error('it was not refused');
    expect({ ...streamed.error, status: streamed.status }).toEqual({ ...whole.error, status: whole.status });
    expect(Object.getPrototypeOf(streamed)).toBe(Object.getPrototypeOf(whole));
    return whole;
  }

  /** Both shapes of a refusal. */
  const expectRefusal = ({ status, body, headers }: Answer, expected: number, code: string, type: string): void => {
    expect([status, headers['content-type']]).toEqual([expected, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({
      type: `urn:checkpoint-control-plane:problem:${code}`,
      title: expect.any(String),
      status: expected,
      detail: body.message,
      instance: headers['x-request-id'],
      code,
      error: { message: body.message, type, param: body.errors?.[0].field ?? null, code },
    });
  };

  describe('by its bearer', () => {
    it('answers 401 for an unknown, malformed or missing bearer', async () => {
      const error = await refusal('sk-unknown');
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error).toMatchObject({ status: 401, code: 'unauthenticated', type: 'authentication_error', param: null });
      expect(error.message).toBe('401 A valid bearer token is needed.');
      for (const bearer of [undefined, '', 'sk-', key.raw_key.slice(0, -1), `${key.raw_key}x`, key.key_id]) {
        const answer = await service.as(bearer).post(CHAT, question(model));
        expectRefusal(answer, 401, 'unauthenticated', 'authentication_error');
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
      expect(worker.requests).toEqual([]);
    });

    it.each([
      "' OR pg_sleep(3)--",
      "sk-' OR pg_sleep(3)--",
      "sk-'/**/OR/**/pg_sleep(3)--",
      "sk-');select/**/pg_sleep(3);--",
      'sk-\\x27OR+pg_sleep(3)',
    ])('answers 401 at once for %j', async (bearer) => {
      const since = performance.now();
      expectRefusal(
        await service.as(bearer).post(CHAT, question(model)),
        401,
        'unauthenticated',
        'authentication_error',
      );
      expect(performance.now() - since).toBeLessThan(onThisMachine(AT_ONCE_MS));
    });

    it('answers 401 at once for a revoked key, even if it was just used', async () => {
      expect((await post(question(model))).status).toBe(200);
      expect((await org.operator.delete(`/v1/inference/keys/${key.key_id}`)).status).toBe(204);
      expect(await refusal(key.raw_key)).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(worker.requests).toHaveLength(1);
    });

    it('answers 401 on every replica within a second of the revocation', async () => {
      const elsewhere = await service.replica();
      const ask = async () => {
        const answer = await RawChat.ask(elsewhere, key.raw_key, question(model));
        await answer.text();
        return answer.status;
      };
      expect(await ask()).toBe(200);
      await org.operator.delete(`/v1/inference/keys/${key.key_id}`);
      await eventually(async () => expect(await ask()).toBe(401), 1_000);
    });

    it('answers 401 for an equally named key of another organisation, and 404 for its models', async () => {
      const other = await service.organisation();
      const foreign = await createKey(other);
      expect(await refusal(foreign.raw_key)).toMatchObject({ status: 404, code: 'model_not_found' });
      expect(worker.requests).toEqual([]);
    });

    it('answers 403 for a key that does not name the model, whether the model exists or not', async () => {
      const chosen = await createKey(org, { models: ['another'] });
      const error = await refusal(chosen.raw_key);
      expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError);
      expect(error).toMatchObject({ status: 403, code: 'model_not_allowed', type: 'permission_error' });
      expect(error.message).toContain(model);
      expectRefusal(await post(question('nowhere'), {}, chosen.raw_key), 403, 'model_not_allowed', 'permission_error');
      expect(await refusal(chosen.raw_key, 'another')).toBeInstanceOf(OpenAI.NotFoundError);
      expect((await settledAccountOf(service, chosen)).requests).toBe(0);
    });

    it('answers 403 for tokens whose role may not spend money', async () => {
      for (const caller of [org.viewer, org.controller]) {
        expect(await refusal(caller.token ?? '')).toBeInstanceOf(OpenAI.PermissionDeniedError);
        expectRefusal(await caller.post(CHAT, question(model)), 403, 'forbidden', 'permission_error');
      }
      for (const caller of [org.admin, org.operator])
        expect((await caller.post(CHAT, question(model))).status).toBe(200);
    });

    it('answers 403 for a key that requests anything but models', async () => {
      for (const path of ['/v1/inference/keys', '/v1/inference/profiles', '/v1/inference/routes'])
        expect((await service.as(key.raw_key).get(path)).status).toBe(403);
    });
  });

  describe('by its key', () => {
    it('answers 429 if the rate is used up, with the time until it is not', async () => {
      const slow = await createKey(org, { rate_limit_rps: 1 });
      expect((await post(question(model), {}, slow.raw_key)).status).toBe(200);
      await useUpRate(service, slow.key_id, 30);
      const error = await refusal(slow.raw_key);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' });
      const waitMs = Number(error.headers?.get('retry-after-ms'));
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(30_000);
      expect(error.headers?.get('retry-after')).toBe(String(Math.ceil(waitMs / 1_000)));
      expectRefusal(await post(question(model), {}, slow.raw_key), 429, 'rate_limit_exceeded', 'rate_limit_error');
      expect(worker.requests).toHaveLength(1);
      expect((await settledAccountOf(service, slow)).requests).toBe(1);
    });

    it('answers 429 if the budget does not cover it, and the official client does not retry', async () => {
      const poor = await createKey(org, { budget_usd: 0.000_001 });
      const error = await refusal(poor.raw_key);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error).toMatchObject({ status: 429, code: 'insufficient_quota' });
      expect(error.headers?.get('x-should-retry')).toBe('false');
      expect(worker.requests).toEqual([]);
      expect(await settledAccountOf(service, poor)).toEqual({ spent: 0, overrun: 0, requests: 0 });
    });

    it('wakes no better target if the budget does not cover it, and wakes it if it does', async () => {
      const better = await coldProfile(org);
      const ranked = await routeTo(org, [better, profileId]);
      const wake = jest.spyOn(service.app.get(CapacityIntentsService), 'wake');
      const poor = await createKey(org, { budget_usd: 0.000_001 });
      expect((await post(question(ranked), {}, poor.raw_key)).status).toBe(429);
      expect(wake).not.toHaveBeenCalled();
      expect((await post(question(ranked))).status).toBe(200);
      await eventually(async () => expect(await intentOf(org.viewer, better)).toMatchObject({ generation: 1 }));
      expect(wake).toHaveBeenCalledTimes(1);
      wake.mockRestore();
    });

    it('is admitted if its maximal cost fits the budget', async () => {
      // At most 1,000 tokens of an answer, and a short prompt.
      const enough = await createKey(org, { budget_usd: 0.002 });
      expect((await post(question(model, { max_tokens: 1_000 }), {}, enough.raw_key)).status).toBe(200);
      expectRefusal(
        await post(question(model, { max_tokens: 10_000 }), {}, enough.raw_key),
        429,
        'insufficient_quota',
        'rate_limit_error',
      );
      expectRefusal(
        await post(question(model, { max_completion_tokens: 1_000, n: 2 }), {}, enough.raw_key),
        429,
        'insufficient_quota',
        'rate_limit_error',
      );
    });
  });

  describe('by its body', () => {
    it('answers 404 for an unknown model', async () => {
      const error = await refusal(key.raw_key, 'nowhere');
      expect(error).toBeInstanceOf(OpenAI.NotFoundError);
      expect(error).toMatchObject({ status: 404, code: 'model_not_found', type: 'not_found_error' });
      expect(error.message).toBe('404 No route serves the model "nowhere".');
      for (const name of ['no-such', profileId, `${model} `, model.toUpperCase(), "' or 1=1 --", '\u0000', '😀'])
        expectRefusal(await post(question(name)), 404, 'model_not_found', 'not_found_error');
    });

    it('answers 404 again and again without reading all routes each time', async () => {
      const statements = new SentStatements();
      for (let request = 0; request < 12; request++) {
        expectRefusal(await post(question(`no-such-${request}`)), 404, 'model_not_found', 'not_found_error');
        const embedded = await post({ model, input: 'a' }, {}, key.raw_key, '/openai/v1/embeddings');
        expectRefusal(embedded, 404, 'endpoint_not_served', 'not_found_error');
        // A table that is younger would not be read again in any case.
        await sleep(60);
      }
      const { 'routing-profiles': tables = 0, 'routing-route-generations': looks = 0 } = statements.counts(org.id);
      // In the background, it is read again every few seconds.
      expect(tables).toBeLessThan(5);
      expect(looks).toBeGreaterThan(12);
      // What is new is found at once, whoever has saved it.
      const replica = await service.replica();
      const name = `model-${newId()}`;
      expectRefusal(await post(question(name)), 404, 'model_not_found', 'not_found_error');
      const targets = [{ profile_id: profileId, tier: 'large', priority: 1 }];
      const saved = await replica.as(org.operator.token).post('/v1/inference/routes', { logical_model: name, targets });
      expect(saved.status).toBe(200);
      expect((await post(question(name))).status).toBe(200);
    });

    it('answers 404 to many requests for unknown models after a few looks that they share', async () => {
      const statements = new SentStatements();
      statements.forget();
      const began = performance.now();
      const asked = Array.from({ length: 200 }, (_, request) => post(question(`no-such-${request % 10}`)));
      for (const answer of await Promise.all(asked)) expectRefusal(answer, 404, 'model_not_found', 'not_found_error');
      const looks = statements.counts(org.id)['routing-route-generations'] ?? 0;
      // One in ten milliseconds, of a timer that may end a moment early.
      expect(looks).toBeLessThanOrEqual((performance.now() - began) / 8 + 1);
      expect(looks).toBeLessThan(asked.length);
    });

    it('answers 404 for the model of a profile without a route, and 503 for a route without targets', async () => {
      const empty = await routeTo(org, []);
      const answer = await post(question(empty));
      expectRefusal(answer, 503, 'model_unavailable', 'server_error');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    });

    const deep = `${'['.repeat(2_000)}${']'.repeat(2_000)}`;
    it.each<[string, JsonObject | string | undefined]>([
      ['body', undefined],
      ['body', 'hello'],
      ['body', '{"model":"m"'],
      ['body', "{'model':'m'}"],
      ['body', '{"model":"m"} {}'],
      ['body', '[{"model":"m"}]'],
      ['body', '"m"'],
      ['body', 'null'],
      ['body', '7'],
      ['body', `{"model":"m","messages":${deep}}`],
      ['model', {}],
      ['model', { model: null }],
      ['model', { model: 7 }],
      ['model', { model: '' }],
      ['model', { model: ['m'] }],
      ['model', { model: 'm'.repeat(254) }],
      ['stream', { model: 'm', stream: 'true' }],
      ['stream', { model: 'm', stream: 1 }],
      ['stream', { model: 'm', stream: {} }],
      ['stream_options', { model: 'm', stream: true, stream_options: true }],
      ['stream_options', { model: 'm', stream: true, stream_options: [] }],
      ['n', { model: 'm', n: 0 }],
      ['n', { model: 'm', n: 129 }],
      ['n', { model: 'm', n: 1.5 }],
      ['n', { model: 'm', n: '2' }],
      ['max_tokens', { model: 'm', max_tokens: 0 }],
      ['max_tokens', { model: 'm', max_tokens: -5 }],
      ['max_tokens', { model: 'm', max_tokens: 1e300 }],
      ['max_tokens', { model: 'm', max_tokens: '10' }],
      ['max_completion_tokens', { model: 'm', max_completion_tokens: true }],
    ])('answers 400 and names %s for %.80j', async (field, body) => {
      const answer = await post(body);
      expectRefusal(answer, 400, 'validation_failed', 'invalid_request_error');
      expect(answer.body.errors).toEqual([{ field, message: expect.any(String) }]);
    });

    it('answers 400 to the official client with the member as param', async () => {
      const client = openAi(service, key.raw_key);
      const error: unknown = await client.chat.completions
        .create({ model, messages: [], n: 0 })
        .catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({
        status: 400,
        code: 'validation_failed',
        param: 'n',
        type: 'invalid_request_error',
      });
    });

    it('answers 400 for bytes that are not text', async () => {
      const bytes = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
      const answer = await RawChat.ask(service, key.raw_key, bytes);
      expect([answer.status, JSON.parse(await answer.text())]).toEqual([
        400,
        expect.objectContaining({ errors: [{ field: 'body', message: 'must be UTF-8' }] }),
      ]);
    });

    it.each<[string, string]>([
      ['X-Request-Timeout-Ms', '0'],
      ['X-Request-Timeout-Ms', '-1'],
      ['X-Request-Timeout-Ms', '1.5'],
      ['X-Request-Timeout-Ms', 'soon'],
      ['X-Request-Timeout-Ms', ''],
      ['X-Request-Timeout-Ms', '9999999999'],
    ])('answers 400 and names %s for %j', async (name, value) => {
      const answer = await post(question(model), { [name]: value });
      expectRefusal(answer, 400, 'validation_failed', 'invalid_request_error');
      expect(answer.body.errors).toEqual([{ field: name, message: expect.any(String) }]);
      expect(worker.requests).toEqual([]);
    });

    it.each(['mine', '', "0197a7c0-0000-7000-8000-00000000000'"])('accepts the experiment %j', async (value) => {
      model = await routeTo(org, [profileId]);
      const answer = await post(question(model), { 'x-experiment-id': value });
      expect([answer.status, answer.headers['x-ignored-headers']]).toEqual([200, 'X-Experiment-Id']);
      expect(await usageOf(service, model, 1)).toMatchObject([{ experiment_id: null, status_code: 200 }]);
    });

    it('is not refused early for the price of a model that the body names and then replaces', async () => {
      const dear = await readyProfile(org, worker, { spec: { pricing: { prompt_usd_per_mtok: 10_000 } } });
      const [expensive, cheap] = [await routeTo(org, [dear]), await routeTo(org, [profileId])];
      const poor = await createKey(org, { budget_usd: 0.1 });
      const body = (...models: string[]) =>
        `{${models.map((name) => `"model":"${name}"`).join()},"max_tokens":1,"messages":[],"padding":"${'x'.repeat(70_000)}"}`;
      expectRefusal(await post(body(expensive), {}, poor.raw_key), 429, 'insufficient_quota', 'rate_limit_error');
      const answer = await post(body(expensive, cheap), {}, poor.raw_key);
      expect([answer.status, answer.headers['x-route-target']]).toEqual([200, profileId]);
      expectRefusal(
        await post(body(cheap, expensive), {}, poor.raw_key),
        429,
        'insufficient_quota',
        'rate_limit_error',
      );
      expect(await usageOf(service, expensive, 2)).toMatchObject([{ status_code: 429 }, { status_code: 429 }]);
      expect(await usageOf(service, cheap, 1)).toMatchObject([{ status_code: 200 }]);
    });

    it('answers 413 above 16 MiB, and serves a body below', async () => {
      const body = (size: number): string => {
        const text = JSON.stringify(question(model, { padding: '' }));
        return text.replace('"padding":""', `"padding":"${'x'.repeat(size - text.length)}"`);
      };
      const largest = body(LARGEST_BODY);
      expect(Buffer.byteLength(largest)).toBe(LARGEST_BODY);
      const served = await RawChat.ask(service, key.raw_key, largest);
      expect([served.status, worker.last.body.length]).toEqual([200, expect.closeTo(LARGEST_BODY, -3)]);
      await served.bytes();
      expectRefusal(await post(body(LARGEST_BODY + 1)), 413, 'body_too_large', 'invalid_request_error');
      expect(worker.requests).toHaveLength(1);
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/yaml'])(
      'answers 415 for %s',
      async (type) => {
        const answer = await post(JSON.stringify(question(model)), { 'content-type': type });
        expectRefusal(answer, 415, 'unsupported_media_type', 'invalid_request_error');
      },
    );

    it('is recorded once if it names a model, and not without a valid bearer or a model', async () => {
      const named = await routeTo(org, [profileId]);
      const chosen = await createKey(org, { models: ['another', named] });
      const poor = await createKey(org, { models: [named], budget_usd: 0 });
      const ask = async (body: unknown, bearer: string, headers = {}) => (await post(body, headers, bearer)).status;
      expect(await ask(question('nowhere'), chosen.raw_key)).toBe(403);
      expect(await ask(question('another'), chosen.raw_key)).toBe(404);
      expect(await ask(question(named, { n: 0 }), chosen.raw_key)).toBe(400);
      expect(await ask(question(named), chosen.raw_key, { 'x-request-timeout-ms': 'soon' })).toBe(400);
      expect(await ask(question(named), poor.raw_key)).toBe(429);
      expect(await ask({}, chosen.raw_key)).toBe(400);
      expect(await ask('{"model"', chosen.raw_key)).toBe(400);
      expect(await ask(question(named), 'sk-unknown')).toBe(401);
      const records = async () => {
        const { rows } = await service.db.query<{ record: string }>(
          `select concat_ws(' ', status_code, case when logical_model = $2 then 'named' else logical_model end, cost_usd::int) as record
           from usage_records where key_id = any ($1) order by 1`,
          [[chosen.key_id, poor.key_id], named],
        );
        return rows.map(({ record }) => record);
      };
      await eventually(async () =>
        expect(await records()).toEqual([
          '400 named 0',
          '400 named 0',
          '403 (unknown) 0',
          '404 (unknown) 0',
          '429 named 0',
        ]),
      );
    });

    it('costs nothing if it was never admitted', async () => {
      await post({});
      await post(question('nowhere'));
      await post(question(model, { n: 0 }));
      expect(await settledAccountOf(service, key)).toEqual({ spent: 0, overrun: 0, requests: 0 });
    });
  });

  describe('by the worker', () => {
    const NESTED = JSON.stringify({
      error: {
        message: 'max_tokens must be at least 1, got 0.',
        type: 'BadRequestError',
        param: 'max_tokens',
        code: 400,
      },
    });

    beforeEach(async () => {
      model = await routeTo(org, [profileId]);
    });

    it.each<[number, new (...of: never[]) => APIError]>([
      [400, OpenAI.BadRequestError],
      [413, OpenAI.APIError],
      [422, OpenAI.UnprocessableEntityError],
    ])('answers %d in the words of the worker, and is sent to no other', async (status, kind) => {
      const other = await readyProfile(org, worker);
      model = await routeTo(org, [profileId, other]);
      worker.behaves(refuses(status, NESTED));
      const error = await refusal(key.raw_key);
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ status, code: '400', type: 'BadRequestError', param: 'max_tokens' });
      expect(error.message).toBe(`${status} max_tokens must be at least 1, got 0.`);
      expect(routed(error.headers as Headers)).toEqual({
        target: profileId,
        reason: 'priority',
        start: 'warm',
        attempts: '1',
      });
      expect(worker.requests).toHaveLength(2);
      const record = { status_code: status, upstream_attempts: 1, cost_usd: 0 };
      expect(await usageOf(service, model, 2)).toMatchObject([record, record]);
      expect(await settledAccountOf(service, key)).toMatchObject({ spent: 0 });
    });

    it.each<[string, string, object]>([
      ['nothing', '', { message: 'The worker refused the request.', type: 'invalid_request_error', code: null }],
      ['HTML', '<html>Bad</html>', { message: 'The worker refused the request.', code: null }],
      ['a list', '[1]', { message: 'The worker refused the request.' }],
      ['an error that is a string', '{"error":"no"}', { type: 'invalid_request_error' }],
      ['members of other types', '{"error":{"message":{"a":1},"type":7,"code":["x"],"param":null}}', { type: '7' }],
      [
        'a flat error',
        '{"object":"error","message":"No.","type":"BadRequestError","param":null,"code":40001}',
        { message: 'No.', type: 'BadRequestError', param: null, code: '40001' },
      ],
      ['a very long sentence', JSON.stringify({ error: { message: 'x'.repeat(100_000) } }), { param: null }],
    ])('answers 400 also if the worker sends %s', async (_name, body, error) => {
      worker.behaves(refuses(400, body));
      const answer = await post(question(model));
      expect([answer.status, answer.body]).toEqual([
        400,
        expect.objectContaining({ code: 'refused_by_worker', error: expect.objectContaining(error) }),
      ]);
      expect(answer.text.length).toBeLessThan(20_000);
    });

    describeWithSamples('as vLLM does', () => {
      it('answers 400 if the context is too long', async () => {
        worker.behaves(refuses(400, sampleText('openai/error-400-context-length.json')));
        const error = await refusal(key.raw_key);
        const { message } = sample('openai/error-400-context-length.json').error as { message: string };
        expect(error).toBeInstanceOf(OpenAI.BadRequestError);
        expect(error).toMatchObject({ message: `400 ${message}`, type: 'BadRequestError', param: 'input_text' });
      });
    });
  });

  it('reports in its headers how far it came', async () => {
    const nothing = { target: null, reason: null, start: null };
    const refused = await post(question(await routeTo(org, [])));
    expect(routed(refused.headers)).toEqual({ ...nothing, attempts: '0' });
    expect(refused.headers['x-queue-ms']).toMatch(/^\d+$/);
    const poor = await createKey(org, { budget_usd: 0 });
    const unpaid = await post(question(model), {}, poor.raw_key);
    expect([unpaid.status, unpaid.headers['x-attempts']]).toEqual([429, '0']);
  });
});
