import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { PRICED } from '../../../support/chat';
import {
  account,
  accountOf,
  authorize,
  authorized,
  buildModel,
  issueKey,
  letExpire,
  ledgerOf,
  saveRoute,
  targetsOf,
  sendTelemetry,
  useUpRate,
  type IssuedKey,
} from '../../../support/inference';
import { createProfile } from '../../../support/profiles';
import { Caller, Service, type Answer, type Organisation } from '../../../support/service';

describe('the authorization of a request', () => {
  let service: Service;
  let org: Organisation;
  let model: string;
  let key: IssuedKey;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    ({ model } = await buildModel(org, [PRICED]));
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    key = await issueKey(service, org);
  });

  const codeOf = ({ status, body }: Answer) => [status, body.code];
  const countOf = (answers: readonly Answer[], status: number) =>
    answers.filter(({ status: one }) => one === status).length;
  const inParallel = (count: number, ask: (place: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: count }, (_, place) => ask(place)));
  const stored = async (requestId: string) =>
    (await service.db.query('select * from authorizations where request_id = $1', [requestId])).rows as JsonObject[];

  it('admits it for a minute, under the generation of its route, and reserves its maximal cost', async () => {
    const request_id = newId();
    const before = Date.now();
    const { status, body } = await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 });
    expect([status, body]).toEqual([
      200,
      { authorization_id: expect.any(String), route_generation: 1, expires_at: expect.any(String) },
    ]);
    const livesMs = Date.parse(body.expires_at as string) - before;
    expect(Math.abs(livesMs - 60_000)).toBeLessThan(5_000);
    // 1,000 x 0.5 / 10^6 + 1,024 x 1.5 / 10^6
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0']);
    expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.002036'));
    expect(await stored(request_id)).toEqual([
      expect.objectContaining({
        id: body.authorization_id,
        key_id: key.keyId,
        logical_model: model,
        reserved_usd: '0.002036000000',
        resolved_at: null,
        settled_at: null,
        profile_id: null,
      }),
    ]);
  });

  describe('reserves', () => {
    const reserved = async (of: string, overrides: JsonObject): Promise<string> => {
      await authorize(key, of, overrides);
      return (await ledgerOf(service, key.keyId)).at(-1) ?? '';
    };

    it('reserves a token per four bytes of the prompt if nobody counted the tokens', async () => {
      const body = { request_id: newId(), logical_model: model };
      await authorize(key, model, body);
      const tokens = Math.ceil(JSON.stringify(body).length / 4);
      const usd = (tokens * 0.5 + 1_024 * 1.5) / 1_000_000;
      expect(await accountOf(service, key.keyId)).toEqual(account('0', usd.toFixed(12)));
    });

    it('reserves the cost of the answer for an empty prompt', async () => {
      expect(await reserved(model, { estimated_prompt_tokens: 0 })).toBe('reserve 0.001536 0 0');
    });

    it('reserves a minute of its share of a replica without prices and measured times', async () => {
      const { profile_id } = await createProfile(org, { target_concurrency: 8 });
      await org.operator.post('/v1/inference/costs/config', { profile_id, node_hourly_usd: 3.6 });
      const timed = `model-${newId()}`;
      await saveRoute(org.operator, timed, { targets: targetsOf(profile_id) });
      // 60 s of 3.6 dollars an hour, of which an eighth
      expect(await reserved(timed, {})).toBe('reserve 0.0075 0 0');
    });

    it("reserves the 95th percentile of the last day's times", async () => {
      const own = await service.organisation();
      key = await issueKey(service, own);
      const { profile_id } = await createProfile(own, { profile_id: 'timed', target_concurrency: 8 });
      // Requests of the last day took 100 to 2,000 ms; longer ones failed, or are older.
      await service.db.query(
        `insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, status_code, backend_ms, streamed, fallback_used,
           deadline_missed, cold_start_avoided_ms, cost_usd)
         select $1, gen_random_uuid()::text, clock_timestamp() - make_interval(hours => hours), 'timed', 'timed', status, ms,
           false, false, false, 0, 0
         from (select n * 100 as ms, 200 as status, 23 as hours from generate_series(1, 20) n
           union all select 90000, 500, 1 union all select 90000, 200, 25) samples`,
        [own.id],
      );
      // Requests of another profile of the same model.
      await service.db.query(
        `insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, status_code, backend_ms, streamed, fallback_used,
           deadline_missed, cold_start_avoided_ms, cost_usd)
         select $1, gen_random_uuid()::text, clock_timestamp(), 'timed', 'other', 200, 90000, false, false, false, 0, 0
         from generate_series(1, 20)`,
        [own.id],
      );
      await own.operator.post('/v1/inference/costs/config', { profile_id, node_hourly_usd: 3.6 });
      await saveRoute(own.operator, 'timed', { targets: targetsOf(profile_id) });
      // 1.9 s of 3.6 dollars an hour, of which an eighth
      expect(await reserved('timed', {})).toBe('reserve 0.0002375 0 0');
    });

    it('reserves the cost at the dearest target', async () => {
      const dear = { spec: { pricing: { prompt_usd_per_mtok: 50, completion_usd_per_mtok: 150 } } };
      const mixed = await buildModel(org, [PRICED, dear, {}]);
      expect(await reserved(mixed.model, { estimated_prompt_tokens: 1_000 })).toBe('reserve 0.2036 0 0');
    });

    it('reserves nothing without a rate, and nothing without targets', async () => {
      for (const profiles of [[{}], []]) {
        const free = await buildModel(org, profiles);
        expect(await reserved(free.model, {})).toBe('reserve 0 0 0');
      }
    });
  });

  describe('requested again under its id', () => {
    it('is the same, and costs once', async () => {
      const request_id = newId();
      const answers = await inParallel(20, () => authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 }));
      expect(answers.map(({ text }) => text)).toEqual(answers.map(() => answers[0]?.text));
      expect(answers[0]?.status).toBe(200);
      expect((await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 })).text).toBe(answers[0]?.text);
      expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0']);
      expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.002036'));
    });

    it('is the same if it used up budget and rate itself', async () => {
      key = await issueKey(service, org, { budget_usd: 0.002036, rate_limit_rps: 1 });
      const request_id = newId();
      const first = await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 });
      const again = await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 });
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    });

    it('is the same if the rate has refused another request meanwhile', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 1 });
      const request_id = newId();
      const first = await authorize(key, model, { request_id });
      expect(countOf(await inParallel(5, () => authorize(key, model)), 429)).toBeGreaterThan(0);
      const again = await authorize(key, model, { request_id });
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    });

    it('is the same during its settlement, and takes no lock that the settlement needs', async () => {
      const request_id = newId();
      const first = await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 });
      const settling = await service.db.connect();
      try {
        await settling.query('begin');
        await settling.query('update authorizations set settled_at = clock_timestamp() where request_id = $1', [
          request_id,
        ]);
        const again = await authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 });
        expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
      } finally {
        await settling.query('rollback');
        settling.release();
      }
    });

    it('works with ids and models of any name', async () => {
      const strange = `m-${newId()} "\\", {NULL}, é`;
      await buildModel(org, [PRICED], { logical_model: strange });
      const request_id = `r-${newId()} "\\', {}`;
      const answers = await inParallel(3, () => authorize(key, strange, { request_id }));
      expect(countOf(answers, 200)).toBe(3);
      const { rows } = await service.db.query('select logical_model from authorizations where request_id = $1', [
        request_id,
      ]);
      expect(rows).toEqual([{ logical_model: strange }]);
    });

    it('answers 409 for another body, and changes nothing', async () => {
      const request_id = newId();
      const body = { request_id, estimated_prompt_tokens: 1_000 };
      expect((await authorize(key, model, body)).status).toBe(200);
      for (const other of [{ request_id }, { request_id, estimated_prompt_tokens: 1_001 }])
        expect(codeOf(await authorize(key, model, other))).toEqual([409, 'request_id_reused']);
      expect((await authorize(key, model, body)).status).toBe(200);
      expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0']);
    });

    it('answers 409 for another body even while the rate of the key refuses every request', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 1 });
      const request_id = newId();
      expect((await authorize(key, model, { request_id })).status).toBe(200);
      expect(countOf(await inParallel(5, () => authorize(key, model)), 429)).toBeGreaterThan(0);
      const other = await authorize(key, model, { request_id, estimated_prompt_tokens: 7 });
      expect(codeOf(other)).toEqual([409, 'request_id_reused']);
    });

    it('is separate for another key, and for another model', async () => {
      const request_id = newId();
      const other = await issueKey(service, org);
      const { model: another } = await buildModel(org, [PRICED]);
      expect((await authorize(key, model, { request_id })).status).toBe(200);
      const before = await ledgerOf(service, key.keyId);
      expect(codeOf(await authorize(other, model, { request_id }))).toEqual([409, 'request_id_reused']);
      expect(codeOf(await authorize(key, another, { request_id }))).toEqual([409, 'request_id_reused']);
      expect(await ledgerOf(service, key.keyId)).toEqual(before);
      expect(await ledgerOf(service, other.keyId)).toEqual([]);
    });

    it('belongs to one key if many request it under one id concurrently', async () => {
      const request_id = newId();
      const keys = await Promise.all(Array.from({ length: 5 }, () => issueKey(service, org)));
      const answers = await inParallel(20, (place) =>
        authorize(keys[place % keys.length] as IssuedKey, model, { request_id, estimated_prompt_tokens: 1_000 }),
      );
      expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([4, 16]);
      expect(await stored(request_id)).toHaveLength(1);
      const reserved = await Promise.all(keys.map(async ({ keyId }) => (await accountOf(service, keyId)).reserved));
      expect(reserved.sort()).toEqual([...Array<string>(4).fill('0.000000000000'), '0.002036000000']);
    });

    it('is separate in another organisation', async () => {
      const other = await service.organisation();
      const { model: theirs } = await buildModel(other, [PRICED]);
      const request_id = newId();
      const [own, foreign] = [
        await authorize(key, model, { request_id }),
        await authorize(await issueKey(service, other), theirs, { request_id }),
      ];
      expect([own.status, foreign.status]).toEqual([200, 200]);
      expect(own.body.authorization_id).not.toBe(foreign.body.authorization_id);
    });
  });

  describe('beyond the budget', () => {
    /** A budget for two requests of 0.002036 dollars, and nearly a third. */
    const BUDGET = { budget_usd: 0.006 };
    const ask = (overrides: JsonObject = {}) => authorize(key, model, { estimated_prompt_tokens: 1_000, ...overrides });

    it('is refused, and costs nothing', async () => {
      key = await issueKey(service, org, BUDGET);
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
      const refused = await ask();
      expect(codeOf(refused)).toEqual([402, 'insufficient_quota']);
      expect(refused.headers['retry-after']).toBeUndefined();
      expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.004072'));
      // The rest is enough for a smaller request.
      expect((await ask({ estimated_prompt_tokens: 0 })).status).toBe(200);
    });

    it('is granted up to the last digit', async () => {
      key = await issueKey(service, org, { budget_usd: 0.004072 });
      expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 402]);
      expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.004072'));
    });

    it('is refused with a budget of zero, unless it costs nothing', async () => {
      key = await issueKey(service, org, { budget_usd: 0 });
      expect((await ask()).status).toBe(402);
      expect((await authorize(key, (await buildModel(org)).model)).status).toBe(200);
    });

    it('is refused however many concurrent requests on any replica', async () => {
      const { url } = await service.replica();
      key = await issueKey(service, org, { budget_usd: 0.02036 });
      const elsewhere = new Caller(url, key.rawKey);
      const answers = await inParallel(60, (place) =>
        authorize(place % 2 ? elsewhere : key, model, { estimated_prompt_tokens: 1_000 }),
      );
      expect([countOf(answers, 200), countOf(answers, 402)]).toEqual([10, 50]);
      expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.02036'));
    });

    it('is granted again once an earlier request cost less than its reservation', async () => {
      key = await issueKey(service, org, { budget_usd: 0.003 });
      const first = await authorized(key, model);
      expect((await ask()).status).toBe(402);
      await sendTelemetry(org.controller, first, { end_to_end_latency_ms: 10 });
      expect((await ask()).status).toBe(200);
    });
  });

  describe('beyond the rate', () => {
    it('is refused, with the time until the next request is admitted', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 2 });
      const begun = performance.now();
      const answers = await inParallel(20, () => authorize(key, model));
      const seconds = (performance.now() - begun) / 1_000;
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThanOrEqual(Math.ceil(18 - 2 * seconds));
      for (const { body, headers } of refused) {
        expect([body.code, headers['retry-after']]).toEqual(['rate_limit_exceeded', '1']);
        const waitMs = Number(headers['retry-after-ms']);
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual(500);
      }
      expect(await ledgerOf(service, key.keyId)).toHaveLength(answers.length - refused.length);
    });

    it('is granted after that time', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 5 });
      const begun = performance.now();
      const answers = await inParallel(20, () => authorize(key, model));
      const waitMs = Math.max(...answers.map(({ headers }) => Number(headers['retry-after-ms'] ?? 0)));
      expect(waitMs).toBeGreaterThan(0);
      await sleep(waitMs + 5);
      expect((await authorize(key, model)).status).toBe(200);
      const seconds = (performance.now() - begun) / 1_000;
      const admitted = (await ledgerOf(service, key.keyId)).length;
      expect(admitted).toBeGreaterThanOrEqual(6);
      expect(admitted).toBeLessThanOrEqual(Math.floor(5 + 5 * seconds));
    });

    it('is granted to as many of several requests at once as the rate allows by then', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 2 });
      await service.db.query(
        `update inference_keys set bucket_tokens = 0, bucket_at = clock_timestamp() - interval '0.6 s' where id = $1`,
        [key.keyId],
      );
      const begun = performance.now();
      const answers = await inParallel(20, () => authorize(key, model));
      const seconds = (performance.now() - begun) / 1_000;
      expect(countOf(answers, 200)).toBeGreaterThanOrEqual(1);
      // Two at most at the beginning: the rate of a second.
      expect(countOf(answers, 200)).toBeLessThanOrEqual(Math.floor(2 + 2 * seconds));
      expect(countOf(answers, 200) + countOf(answers, 429)).toBe(20);
    });

    it('is refused to a request whose authorization expired unused, and repeated to one whose did not', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 2 });
      const repeat = ({ request_id }: { request_id: string }) =>
        authorize(key, model, { request_id, estimated_prompt_tokens: 1_000 });
      const [expired, open] = [await authorized(key, model), await authorized(key, model)];
      await letExpire(service, expired.authorization_id);
      await useUpRate(service, key.keyId);
      expect((await authorize(key, model)).status).toBe(429);
      expect((await repeat(expired)).status).toBe(429);
      const again = await repeat(open);
      expect([again.status, again.body.authorization_id]).toEqual([200, open.authorization_id]);
    });

    it('is refused however many concurrent requests on any replica', async () => {
      const { url } = await service.replica();
      key = await issueKey(service, org, { rate_limit_rps: 10 });
      const elsewhere = new Caller(url, key.rawKey);
      const begun = performance.now();
      const answers = await inParallel(100, (place) => authorize(place % 2 ? elsewhere : key, model));
      const seconds = (performance.now() - begun) / 1_000;
      const admitted = countOf(answers, 200);
      expect(admitted).toBeGreaterThanOrEqual(10);
      expect(admitted).toBeLessThanOrEqual(Math.floor(10 + 10 * seconds));
      expect(admitted + countOf(answers, 429)).toBe(100);
      expect(await ledgerOf(service, key.keyId)).toHaveLength(admitted);
    });

    it('does not use up the rate if the budget refuses it', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 1, budget_usd: 0.002 });
      for (let time = 0; time < 5; time++)
        expect(codeOf(await authorize(key, model, { estimated_prompt_tokens: 1_000 }))).toEqual([
          402,
          'insufficient_quota',
        ]);
      expect((await authorize(key, model, { estimated_prompt_tokens: 0 })).status).toBe(200);
    });

    it('applies to its key only', async () => {
      key = await issueKey(service, org, { rate_limit_rps: 1 });
      await inParallel(5, () => authorize(key, model));
      const other = await issueKey(service, org, { rate_limit_rps: 1 });
      expect((await authorize(other, model)).status).toBe(200);
    });
  });

  describe('for a model', () => {
    it('refuses a model that the key does not name, whether it exists or not', async () => {
      const { model: allowed } = await buildModel(org);
      key = await issueKey(service, org, { models: [allowed, 'nowhere'] });
      expect((await authorize(key, allowed)).status).toBe(200);
      expect(codeOf(await authorize(key, model))).toEqual([403, 'model_not_allowed']);
      expect(codeOf(await authorize(key, 'no such model'))).toEqual([403, 'model_not_allowed']);
      expect(codeOf(await authorize(key, 'nowhere'))).toEqual([404, 'model_not_found']);
    });

    it('answers 404 for a model without a route until there is a route', async () => {
      const name = `model-${newId()}`;
      expect(codeOf(await authorize(key, name))).toEqual([404, 'model_not_found']);
      await saveRoute(org.operator, name);
      expect((await authorize(key, name)).status).toBe(200);
    });

    it('returns the current generation of its route', async () => {
      const { model: name } = await buildModel(org);
      expect((await authorize(key, name)).body.route_generation).toBe(1);
      await saveRoute(org.operator, name, { queue_timeout_ms: 1 });
      expect((await authorize(key, name)).body.route_generation).toBe(2);
    });
  });

  it('is refused to an access token, whatever its role', async () => {
    for (const caller of [org.admin, org.operator, org.viewer, org.controller])
      expect(codeOf(await authorize(caller, model))).toEqual([403, 'forbidden']);
    expect(codeOf(await authorize(service.as(undefined), model))).toEqual([401, 'unauthenticated']);
  });

  const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
    ['without an id', { request_id: undefined }, 'request_id', 'is required'],
    ['with an empty id', { request_id: '' }, 'request_id', 'must not be empty'],
    ['with an id that is too long', { request_id: 'x'.repeat(256) }, 'request_id', 'must have at most 255 characters'],
    ['without a model', { logical_model: undefined }, 'logical_model', 'is required'],
    [
      'with a negative number of tokens',
      { estimated_prompt_tokens: -1 },
      'estimated_prompt_tokens',
      'must be at least 0',
    ],
    ['with null as tokens', { estimated_prompt_tokens: null }, 'estimated_prompt_tokens', 'must not be null'],
    ['with an unknown member', { max_tokens: 7 }, 'max_tokens', 'is not a member of this body'],
  ];
  it.each(REFUSED)('is refused %s', async (_what, body, field, message) => {
    const answer = await authorize(key, model, body);
    expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]]);
    expect(await ledgerOf(service, key.keyId)).toEqual([]);
  });

  it('writes no audit entry: the authorization is the record', async () => {
    const { headers } = await authorize(key, model);
    const { body } = await org.operator.get('/v1/audit?limit=1000');
    expect((body as JsonObject[]).map(({ request_id: id }) => id)).not.toContain(headers['x-request-id']);
  });
});
