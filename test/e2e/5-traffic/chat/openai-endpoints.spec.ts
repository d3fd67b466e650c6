import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { newId } from '../../../../src/1-platform/common/ids';
import {
  settledAccountOf,
  CHAT,
  createKey,
  PRICED,
  question,
  readyProfile,
  routeTo,
  serviceFor,
  serving,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { accountOf, fillBucket, ledgerOf, useUpRate } from '../../../support/inference';
import { InferenceWorker, inTurn, answers, isSilent, shows } from '../../../support/inference-worker';
import { Service, type Answer, type Organisation } from '../../../support/service';

const BASES = ['/openai/v1', '/v1/inference'];
const PAGE = '<html><script>alert(document.domain)</script></html>';

describe('the endpoints of OpenAI’s API', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let model: string;
  let key: Key;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    const profileId = await readyProfile(org, worker, serving('chat', 'completions', 'embeddings', 'responses'));
    model = await routeTo(org, [profileId], { logical_model: `vendor/model-${newId()}` });
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    worker.reset();
    key = await createKey(org);
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    service.as(key.raw_key).post(path, body, headers);

  describe.each(BASES)('below %s', (base) => {
    it.each<[path: string, url: string, body: JsonObject]>([
      ['/chat/completions', '/v1/chat/completions', { messages: [] }],
      ['/completions', '/v1/completions', { prompt: 'a' }],
      ['/embeddings', '/v1/embeddings', { input: 'a' }],
      ['/responses', '/v1/responses', { input: 'a' }],
    ])('serve %s', async (path, url, body) => {
      expect((await post(`${base}${path}?api-version=1`, { model, ...body })).status).toBe(200);
      expect(worker.last.url).toBe(url);
    });

    it.each([
      ['get', '/chat/completions'],
      ['post', '/audio/speech'],
      ['post', '/nothing/at/all'],
      ['get', '/models/none/of/these'],
    ])('answer %s %s with 404 in the shape of the API', async (method, path) => {
      const { status, body } = await service.as(key.raw_key).send(method, `${base}${path}`, undefined, {});
      const error = { type: 'not_found_error', message: expect.any(String), param: null, code: expect.any(String) };
      expect([status, body]).toEqual([404, expect.objectContaining({ error })]);
    });

    it.each([
      ['/chat/completions/', '/v1/chat/completions', { messages: [] }],
      ['/embeddings/?a=/', '/v1/embeddings', { input: 'a' }],
    ])('serve %s, with a slash at the end', async (path, url, body) => {
      expect((await post(`${base}${path}`, { model, ...body })).status).toBe(200);
      expect(worker.last.url).toBe(url);
    });

    it('find the models, and one of them, with a slash at the end', async () => {
      const get = (path: string) => service.as(key.raw_key).get(`${base}${path}`);
      expect((await get('/models/')).body.data).toContainEqual(expect.objectContaining({ id: model }));
      for (const end of ['/', '/?x=1']) expect((await get(`/models/${model}${end}`)).body.id).toBe(model);
      // One slash only: more of them are part of a name, which no model has.
      expect((await get(`/models/${model}//`)).status).toBe(404);
      expect((await get('/models//')).status).toBe(404);
    });

    it('find a model whose name has slashes, encoded or not', async () => {
      for (const name of [model, encodeURIComponent(model)]) {
        const { status, body } = await service.as(key.raw_key).get(`${base}/models/${name}?x=1`);
        expect([status, body]).toEqual([
          200,
          { id: model, object: 'model', created: expect.any(Number), owned_by: 'organisation' },
        ]);
      }
      expect((await service.as(undefined).get(`${base}/models/${model}`)).body).toMatchObject({
        status: 401,
        error: { type: 'authentication_error' },
      });
    });
  });

  it('are the only operations below /openai/v1', async () => {
    for (const path of ['/keys', '/profiles', '/routes', '/router/config', ''])
      expect((await org.operator.get(`/openai/v1${path}`)).status).toBe(404);
  });

  it('are served by the targets whose specs name them; chat and completions are the default', async () => {
    const plain = await readyProfile(org, worker);
    const both = await readyProfile(org, worker, serving('embeddings', 'responses'));
    const mixed = await routeTo(org, [plain, both]);
    const target = async (path: string, body: JsonObject) =>
      (await post(`/openai/v1${path}`, { model: mixed, ...body })).headers['x-route-target'];
    expect(await target('/chat/completions', { messages: [] })).toBe(plain);
    expect(await target('/completions', { prompt: 'a' })).toBe(plain);
    expect(await target('/embeddings', { input: 'a' })).toBe(both);
    expect(await target('/responses', { input: 'a' })).toBe(both);
    const only = await routeTo(org, [plain]);
    const refused = await post('/v1/inference/embeddings', { model: only, input: 'a' });
    expect([refused.status, refused.body.error.code]).toEqual([404, 'endpoint_not_served']);
  });

  it.each([['embedding'], [['embedding']], [['chat', 7]], [{ chat: true }], [Array(5).fill('chat')]])(
    'answer 400 for a profile whose spec names %j',
    async (endpoints) => {
      const body = { profile_id: newId(), logical_model: 'm', exact_model: 'e', backend_url: worker.url };
      const answer = await org.operator.post('/v1/inference/profiles', { ...body, spec: { endpoints } });
      expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'spec.endpoints']);
    },
  );

  describe('reserve', () => {
    // Half a dollar per million tokens of a prompt, one and a half for an answer.
    const reserved = async (path: string, body: JsonObject): Promise<{ reserved: number; bytes: number }> => {
      const text = JSON.stringify({ model, ...body });
      expect((await post(`/openai/v1${path}`, text)).status).toBe(200);
      const [entry = ''] = await ledgerOf(service, key.key_id);
      return { reserved: Number(entry.split(' ')[1]), bytes: text.length };
    };
    const prompt = (bytes: number) => Math.ceil(bytes / 4) * 0.5e-6;

    it('reserves the price of the prompt only for embeddings', async () => {
      const { reserved: usd, bytes } = await reserved('/embeddings', { input: ['a', 'b'] });
      expect(usd).toBeCloseTo(prompt(bytes), 11);
    });
    it('every token of an input of tokens', async () => {
      const input = Array.from({ length: 100 }, () => Array<number>(10).fill(1));
      const { reserved: usd } = await reserved('/embeddings', { input });
      expect(usd).toBeCloseTo(1_000 * 0.5e-6, 11);
    });
    it('max_output_tokens for responses', async () => {
      const { reserved: usd, bytes } = await reserved('/responses', { input: 'a', max_output_tokens: 50 });
      expect(usd).toBeCloseTo(prompt(bytes) + 50 * 1.5e-6, 11);
    });
    it.each<[JsonObject, number]>([
      [{ prompt: 'a' }, 1_024],
      [{ prompt: ['a', 'b', 'c'], max_tokens: 10, n: 2 }, 60],
      [{ prompt: ['a', 'b'], max_tokens: 10, n: 2, best_of: 5 }, 100],
      [{ prompt: [1, 2, 3], max_tokens: 10 }, 10],
      [{ prompt: [[1], [2]], max_tokens: 10 }, 20],
    ])('reserves for the completion %j the price of %i tokens of answers', async (body, tokens) => {
      const { reserved: usd, bytes } = await reserved('/completions', body);
      expect(usd).toBeCloseTo(prompt(bytes) + tokens * 1.5e-6, 11);
    });
  });

  it.each<[path: string, body: JsonObject, param: string]>([
    ['/completions', { prompt: Array(2_049).fill('a') }, 'prompt'],
    ['/completions', { prompt: 'a', best_of: 0 }, 'best_of'],
    ['/embeddings', { input: Array(2_049).fill('a') }, 'input'],
    ['/responses', { input: 'a', background: true }, 'background'],
    ['/responses', { input: 'a', max_output_tokens: 0 }, 'max_output_tokens'],
  ])('answer %s with 400 and name the member at fault', async (path, body, param) => {
    const answer = await post(`/openai/v1${path}`, { model, ...body });
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.objectContaining({ param, code: 'validation_failed' }),
    ]);
  });

  describe('pass on nothing but JSON and events', () => {
    it.each<[string | undefined, string]>([
      ['text/html', PAGE],
      ['text/html; charset=utf-8', PAGE],
      ['application/xhtml+xml', PAGE],
      ['image/svg+xml', PAGE],
      ['text/plain', 'hello'],
      ['application/json, text/html', PAGE],
      ['', PAGE],
    ])('answers 502 in the shape of the API if the worker answers %j', async (type, body) => {
      worker.behaves(shows(type, body));
      const answer = await post(CHAT, question(model));
      expect([answer.status, answer.body.error?.code]).toEqual([502, 'unusable_answer']);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.text).not.toContain('alert');
      expect(await settledAccountOf(service, key)).toMatchObject({ spent: 0 });
    });

    it('tries the next target before it answers 502', async () => {
      const other = await routeTo(org, [await readyProfile(org, worker, PRICED), await readyProfile(org, worker)]);
      worker.behaves(inTurn(shows('text/html', PAGE), answers()));
      const answer = await post(CHAT, question(other));
      expect([answer.status, answer.headers['x-attempts']]).toEqual([200, '2']);
    });

    it.each<[string | undefined, string]>([
      ['application/json; charset=utf-8', 'application/json'],
      ['Application/JSON', 'application/json'],
      [undefined, 'application/json'],
      ['text/event-stream', 'text/event-stream; charset=utf-8'],
    ])('turns the content type %j of a worker into %s', async (type, shown) => {
      worker.behaves(shows(type, '{"choices":[]}'));
      const answer = await fetch(service.url + CHAT, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(question(model)),
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, shown]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    });
  });

  describe('refuse a key before the body is parsed', () => {
    /** Invalid JSON answers 400 only to callers that may ask at all. */
    const broken = (size: number) => `{"model":${JSON.stringify(model)},"messages":[${'x'.repeat(size)}`;

    it('refuses a key whose budget does not cover the minimal cost of the request', async () => {
      key = await createKey(org, { budget_usd: 0.000_001 });
      expect((await post(CHAT, broken(100_000))).status).toBe(429);
      key = await createKey(org, { budget_usd: 1 });
      expect((await post(CHAT, broken(100_000))).status).toBe(400);
      expect(await accountOf(service, key.key_id)).toMatchObject({ reserved: '0.000000000000' });
    });

    it('refuses a key whose rate is used up, until its bucket is filled again', async () => {
      key = await createKey(org, { rate_limit_rps: 5 });
      await useUpRate(service, key.key_id, 3);
      for (const body of [question(model), broken(10)]) {
        const refused = await post(CHAT, body);
        expect([refused.status, refused.body.code]).toEqual([429, 'rate_limit_exceeded']);
      }
      await fillBucket(service, key.key_id);
      // A replica trusts the last state of the database for the time that it stated.
      await eventually(async () => expect((await post(CHAT, broken(10))).status).toBe(400));
    });

    it('refuses a key whose rate another replica used up, according to the database', async () => {
      key = await createKey(org, { rate_limit_rps: 5 });
      expect((await post(CHAT, question(model))).status).toBe(200);
      await useUpRate(service, key.key_id);
      expect((await post(CHAT, broken(100_000))).status).toBe(429);
    });

    it('serves a key again once its budget is raised', async () => {
      key = await createKey(org, { budget_usd: 0 });
      expect((await post(CHAT, broken(100_000))).status).toBe(429);
      await service.db.query('update inference_keys set budget_usd = 5 where id = $1', [key.key_id]);
      const padded = question(model, { user: 'x'.repeat(100_000) });
      expect((await post(CHAT, padded)).status).toBe(200);
    });
  });

  it('take a place of the profile during each request, whatever it is', async () => {
    const profile = await readyProfile(org, worker, {
      ...serving('chat', 'embeddings'),
      target_concurrency: 1,
      max_queue_depth: 0,
    });
    const narrow = await routeTo(org, [profile], { queue_timeout_ms: 100 });
    worker.behaves(isSilent());
    const first = new AbortController();
    const asking = fetch(service.url + CHAT, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(question(narrow)),
      signal: first.signal,
    }).catch(() => undefined);
    while (worker.underWay === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await post('/openai/v1/embeddings', { model: narrow, input: 'a' })).status).toBe(503);
    first.abort();
    await asking;
  });
});

describe('pages in a browser', () => {
  const ORIGIN = 'https://console.example';
  const preflight = (url: string, origin: string, path = '/openai/v1/chat/completions') =>
    fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    });
  const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');

  describe('of configured origins', () => {
    let service: Service;
    beforeAll(async () => {
      service = await Service.start({ corsOrigins: [ORIGIN] });
    });
    afterAll(() => service.close());

    it('may call the API, and read its headers', async () => {
      const answer = await preflight(service.url, ORIGIN);
      expect([answer.status, allowed(answer)]).toEqual([204, ORIGIN]);
      expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-stainless-lang');
      expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
      expect(answer.headers.get('vary')).toContain('Origin');
      const refused = await fetch(`${service.url}/v1/inference/models`, { headers: { origin: ORIGIN } });
      expect([refused.status, allowed(refused)]).toEqual([401, ORIGIN]);
      expect(refused.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
      expect(refused.headers.get('access-control-allow-credentials')).toBeNull();
    });

    it('can read refusals, and get preflights answered, while the service is overloaded', async () => {
      const { lanes } = service.app.get(Admission).limits;
      const before = lanes.traffic.limit;
      for (const lane of Object.values(lanes)) Object.assign(lane, { limit: 0, room: 0 });
      try {
        const answer = await preflight(service.url, ORIGIN);
        expect([answer.status, allowed(answer)]).toEqual([204, ORIGIN]);
        const refused = await fetch(`${service.url}/v1/inference/models`, { headers: { origin: ORIGIN } });
        expect([refused.status, allowed(refused)]).toEqual([503, ORIGIN]);
        expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
      } finally {
        for (const lane of Object.values(lanes)) Object.assign(lane, { limit: lane.most, room: before });
      }
    });

    it('are the only ones that may', async () => {
      for (const origin of ['https://console.example.evil', 'http://console.example', 'null', '*']) {
        const answer = await preflight(service.url, origin);
        expect([origin, answer.status, allowed(answer)]).toEqual([origin, 404, null]);
        const read = await fetch(`${service.url}/livez`, { headers: { origin } });
        expect([read.status, allowed(read)]).toEqual([200, null]);
      }
    });
  });

  it('may not call the API unless an origin is configured', async () => {
    const service = await Service.start();
    const answer = await preflight(service.url, ORIGIN);
    expect([answer.status, allowed(answer)]).toEqual([404, null]);
    await service.close();
  });
});
