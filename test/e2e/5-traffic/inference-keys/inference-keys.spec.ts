import { KeyVerifier } from '../../../../src/1-platform/auth/bearers/key-verifier';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventually } from '../../../support/eventually';
import { authorize, buildModel, issueKey } from '../../../support/inference';
import { onThisMachine } from '../../../support/machine';
import { Service, type Answer, type Organisation } from '../../../support/service';

const KEYS = '/v1/inference/keys';
const MEMBERS = [
  'budget_usd',
  'created_at',
  'key_id',
  'models',
  'name',
  'overrun_usd',
  'rate_limit_rps',
  'reserved_usd',
  'revoked_at',
  'spent_usd',
  'tenant_id',
];
/** Digits only: the time is the database's. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('an inference key', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const create = (body: JsonObject = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    org.operator.post(KEYS, { name: 'key', ...body }, headers);
  const listed = async (keyId: string): Promise<JsonObject | undefined> =>
    ((await org.viewer.get(KEYS)).body as JsonObject[]).find(({ key_id: id }) => id === keyId);
  const revoke = (keyId: string) => org.operator.delete(`${KEYS}/${keyId}`);

  describe('is issued', () => {
    it('is issued with its secret, which is shown once', async () => {
      const body = {
        name: 'support-bot',
        models: ['llama-8b'],
        budget_usd: 25.5,
        rate_limit_rps: 20,
        tenant_id: 'acme',
      };
      const answer = await create(body);
      const { raw_key: rawKey, ...key } = answer.body as JsonObject;
      expect(answer.status).toBe(201);
      expect(key).toEqual({
        ...body,
        key_id: expect.any(String),
        created_at: expect.stringMatching(TIME),
        revoked_at: null,
        spent_usd: 0,
        reserved_usd: 0,
        overrun_usd: 0,
      });
      // 256 bits in base64url, behind the prefix that clients of model APIs expect.
      expect(rawKey).toMatch(/^sk-[A-Za-z0-9_-]{43}$/);
      const list = await org.viewer.get(KEYS);
      expect(list.text).not.toContain(rawKey);
      expect(await listed(String(key.key_id))).toEqual(key);
      for (const one of list.body as object[]) expect(Object.keys(one).sort()).toEqual(MEMBERS);
    });

    it.each<[string, JsonObject]>([
      ['nothing but a name', {}],
      ['null wherever that is allowed', { budget_usd: null, rate_limit_rps: null, tenant_id: null }],
      ['no models, which means every model', { models: [] }],
    ])('is issued with %s: without limits, for every model', async (_what, body) => {
      expect((await create(body)).body).toMatchObject({
        models: [],
        budget_usd: null,
        rate_limit_rps: null,
        tenant_id: null,
      });
    });

    it('is issued with a new secret each time', async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, () => create()));
      expect(new Set(keys.map(({ body }) => body.raw_key as string)).size).toBe(20);
      expect(new Set(keys.map(({ body }) => body.key_id as string)).size).toBe(20);
    });

    it('is issued with a budget that is exact to the last digit', async () => {
      for (const budget of [0, 0.000000000001, 0.1, 1_000_000_000]) {
        const { body } = await create({ budget_usd: budget });
        expect([body.budget_usd, (await listed(body.key_id as string))?.budget_usd]).toEqual([budget, budget]);
      }
    });

    it('is issued once per Idempotency-Key, whose owner gets the secret again', async () => {
      const headers = { 'idempotency-key': newId() };
      const before = ((await org.viewer.get(KEYS)).body as unknown[]).length;
      const first = await create({ name: 'once' }, headers);
      const again = await create({ name: 'once' }, headers);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(((await org.viewer.get(KEYS)).body as unknown[]).length).toBe(before + 1);
      expect((await create({ name: 'another' }, headers)).status).toBe(422);
      // Another caller with the same Idempotency-Key gets a key of their own.
      const other = await org.admin.post(KEYS, { name: 'once' }, headers);
      expect([other.status, other.body.raw_key === first.body.raw_key]).toEqual([201, false]);
    });

    it('is issued and audited without its secret', async () => {
      const { body, headers } = await create({ name: 'audited', budget_usd: 5 });
      const { body: entries, text } = await org.operator.get(`/v1/audit?resource=${body.key_id}`);
      expect(entries).toEqual([
        expect.objectContaining({
          action: 'create_inference_key',
          resource_type: 'inference_key',
          resource_id: body.key_id,
          request_id: headers['x-request-id'],
          details: { name: 'audited', models: [], budget_usd: 5, rate_limit_rps: null, tenant_id: null },
        }),
      ]);
      expect(text).not.toContain(body.raw_key);
    });

    const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
      ['without a name', { name: undefined }, 'name', 'is required'],
      ['with an empty name', { name: '' }, 'name', 'must not be empty'],
      ['with a number as name', { name: 7 }, 'name', 'must be a string'],
      ['with null as name', { name: null }, 'name', 'must not be null'],
      ['with a negative budget', { budget_usd: -0.01 }, 'budget_usd', 'must be at least 0'],
      ['with a budget that is too large', { budget_usd: 1_000_000_001 }, 'budget_usd', 'must be at most 1000000000'],
      ['with a string as budget', { budget_usd: '25' }, 'budget_usd', 'must be a number'],
      ['with a rate of zero', { rate_limit_rps: 0 }, 'rate_limit_rps', 'must be at least 1'],
      ['with a rate that is too large', { rate_limit_rps: 1_000_001 }, 'rate_limit_rps', 'must be at most 1000000'],
      ['with models that are not a list', { models: 'llama-8b' }, 'models', 'must be an array'],
      ['with null as models', { models: null }, 'models', 'must not be null'],
      [
        'with a model that is not a string',
        { models: ['a', 7] },
        'models',
        '[1] must be a string of at most 253 characters',
      ],
      [
        'with too many models',
        { models: Array.from({ length: 257 }, () => 'a') },
        'models',
        'must hold at most 256 elements',
      ],
      ["with a secret of the caller's choice", { raw_key: 'sk-mine' }, 'raw_key', 'is not a member of this body'],
      ['with an amount spent', { spent_usd: 0 }, 'spent_usd', 'is not a member of this body'],
      ['with an unknown member', { scope: 'all' }, 'scope', 'is not a member of this body'],
    ];
    it.each(REFUSED)('only with a valid body: refuses one %s', async (_what, body, field, message) => {
      const answer = await create(body);
      expect([answer.status, answer.body.code, answer.body.errors]).toEqual([
        400,
        'validation_failed',
        [{ field, message }],
      ]);
    });
  });

  it('is listed newest first, page by page', async () => {
    const own = await service.organisation();
    expect((await own.viewer.get(KEYS)).body).toEqual([]);
    for (const name of ['a', 'b', 'c']) await issueKey(service, own, { name });
    const names = async (query: string) => {
      const { body, headers } = await own.viewer.get(KEYS + query);
      return [(body as JsonObject[]).map(({ name }) => name).join(''), headers.link];
    };
    expect(await names('')).toEqual(['cba', undefined]);
    expect(await names('?limit=2')).toEqual(['cb', expect.stringContaining('rel="next"')]);
    expect(await names('?limit=2&offset=2')).toEqual(['a', undefined]);
  });

  describe('is revoked', () => {
    const models = (key: { get(path: string): Promise<Answer> }) => key.get('/v1/inference/models');

    it('is revoked at once on every replica, even if all of them have it in their cache', async () => {
      const { url, app } = await service.replica();
      const forget = jest.spyOn(app.get(KeyVerifier), 'forget');
      const key = await issueKey(service, org);
      const elsewhere = async () =>
        (await fetch(`${url}/v1/inference/models`, { headers: { authorization: `Bearer ${key.rawKey}` } })).status;
      expect([(await models(key)).status, await elsewhere()]).toEqual([200, 200]);
      expect((await revoke(key.keyId)).status).toBe(204);
      expect((await models(key)).status).toBe(401);
      await eventually(() => expect(forget).toHaveBeenCalledWith(key.keyId));
      expect(await elsewhere()).toBe(401);
    });

    it('is revoked for good: another request gets the same reply and changes nothing', async () => {
      const { keyId } = await issueKey(service, org);
      await revoke(keyId);
      const first = await listed(keyId);
      expect(first).toMatchObject({ revoked_at: expect.stringMatching(TIME) });
      for (let time = 0; time < 3; time++) expect((await revoke(keyId)).status).toBe(204);
      expect(await listed(keyId)).toEqual(first);
    });

    it('admits no further request after it is revoked, whatever was admitted before', async () => {
      const { model } = await buildModel(org);
      const key = await issueKey(service, org);
      const request_id = newId();
      expect((await authorize(key, model, { request_id })).status).toBe(200);
      await revoke(key.keyId);
      for (const overrides of [{ request_id }, {}]) {
        const { status, body, headers } = await authorize(key, model, overrides);
        expect([status, body.code, headers['www-authenticate']]).toEqual([401, 'unauthenticated', 'Bearer']);
      }
    });

    it('audits each revocation', async () => {
      const { keyId } = await issueKey(service, org);
      await revoke(keyId);
      await revoke(keyId);
      const { body } = await org.operator.get(`/v1/audit?resource=${keyId}`);
      expect((body as JsonObject[]).map(({ action }) => action)).toEqual([
        'revoke_inference_key',
        'revoke_inference_key',
        'create_inference_key',
      ]);
    });

    it.each([
      ['an unknown id', newId()],
      ['no UUID', 'key'],
      ['what looks like SQL', encodeURIComponent("' or 1=1 --")],
    ])('only if it exists: answers 404 for %s', async (_what, keyId) => {
      const { status, body } = await revoke(keyId);
      expect([status, body.code]).toEqual([404, 'inference_key_not_found']);
    });

    it('is revoked neither by its secret, nor by another organisation', async () => {
      const other = await service.organisation();
      const key = await issueKey(service, other);
      for (const name of [key.keyId, key.rawKey]) {
        const { status, body } = await revoke(name);
        expect([status, body.code]).toEqual([404, 'inference_key_not_found']);
      }
      expect((await models(key)).status).toBe(200);
    });
  });

  it.each([
    ['a key that was never issued', `sk-${'a'.repeat(43)}`],
    ['a key that is too short', 'sk-'],
    ['a key that looks like SQL', "sk-' or pg_sleep(3)--"],
    ['a key that is too long', `sk-${'a'.repeat(9_000)}`],
  ])('is refused if it is %s', async (_what, bearer) => {
    const begun = performance.now();
    const { status, body } = await service.as(bearer).get('/v1/inference/models');
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect(performance.now() - begun).toBeLessThan(onThisMachine(2_000));
  });

  it('is compared as a whole: a part of it, or another case, is refused', async () => {
    const { rawKey } = await issueKey(service, org);
    for (const bearer of [
      rawKey.slice(0, -1),
      `${rawKey}a`,
      rawKey.toUpperCase(),
      rawKey.slice(3),
      `ccp_${rawKey.slice(3)}`,
    ])
      expect([bearer, (await service.as(bearer).get('/v1/inference/models')).status]).toEqual([bearer, 401]);
  });
});
