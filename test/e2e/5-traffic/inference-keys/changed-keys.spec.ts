import { KeyVerifier } from '../../../../src/1-platform/auth/bearers/key-verifier';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { eventually } from '../../../support/eventually';
import { authorize, authorized, buildModel, issueKey, type IssuedKey } from '../../../support/inference';
import { Caller, Service, type Answer, type Organisation, type Replica } from '../../../support/service';

const KEYS = '/v1/inference/keys';
/** What a request of a thousand prompt tokens reserves for them, in US dollars. */
const PROMPT_USD = 1;

describe('an inference key that is changed', () => {
  let service: Service;
  let replica: Replica;
  let org: Organisation;
  let model: string;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    replica = await service.replica();
    org = await service.organisation();
    const pricing = { prompt_usd_per_mtok: 1_000, completion_usd_per_mtok: 0 };
    const built = await buildModel(org, [{ spec: { pricing } }]);
    model = built.model;
    profileId = built.profileIds[0] ?? '';
  });
  afterAll(() => service.close());

  const change = (keyId: string, body: JsonObject, headers: Record<string, string> = {}): Promise<Answer> =>
    org.operator.patch(`${KEYS}/${keyId}`, body, headers);
  const listed = async (keyId: string): Promise<JsonObject | undefined> =>
    ((await org.viewer.get(KEYS)).body as JsonObject[]).find(({ key_id: id }) => id === keyId);
  const elsewhere = ({ rawKey }: IssuedKey) => new Caller(replica.url, rawKey);
  const ask = (key: Caller) => authorize(key, model, { estimated_prompt_tokens: 1_000 });
  /** Its bucket, which fills no more for an hour, or until a request is refused. */
  const bucket = async ({ keyId }: IssuedKey): Promise<number> => {
    const { rows } = await service.db.query('select bucket_tokens from inference_keys where id = $1', [keyId]);
    return (rows[0] as { bucket_tokens: number }).bucket_tokens;
  };
  const fill = ({ keyId }: IssuedKey, tokens: number) =>
    service.db.query(
      `update inference_keys set bucket_tokens = $2, bucket_at = clock_timestamp() + interval '1 hour' where id = $1`,
      [keyId, tokens],
    );

  it('has what was changed, and keeps the rest', async () => {
    const key = await issueKey(service, org, { models: [model], budget_usd: 5, rate_limit_rps: 7, tenant_id: 'acme' });
    const before = await listed(key.keyId);
    for (const part of [
      { name: 'renamed' },
      { models: [] },
      { budget_usd: null },
      { budget_usd: 0.25 },
      { rate_limit_rps: 9 },
      { rate_limit_rps: null },
      { tenant_id: null },
      { tenant_id: 'other' },
      {},
    ]) {
      Object.assign(before ?? {}, part);
      const { status, body } = await change(key.keyId, part);
      expect([status, body]).toEqual([200, before]);
      expect(await listed(key.keyId)).toEqual(before);
    }
  });

  it('leaves an audit entry with what was changed', async () => {
    const { keyId } = await issueKey(service, org);
    const { headers } = await change(keyId, { budget_usd: 5, models: [model] });
    const { body } = await org.operator.get(`/v1/audit?resource=${keyId}`);
    expect((body as JsonObject[])[0]).toMatchObject({
      action: 'update_inference_key',
      resource_type: 'inference_key',
      request_id: headers['x-request-id'],
      details: { budget_usd: 5, models: [model] },
    });
  });

  it('admits as much as a raised budget covers, at once on every replica', async () => {
    const key = await issueKey(service, org, { budget_usd: PROMPT_USD });
    expect((await ask(key)).status).toBe(200);
    expect([(await ask(key)).status, (await ask(elsewhere(key))).status]).toEqual([402, 402]);
    await change(key.keyId, { budget_usd: 3 * PROMPT_USD });
    expect([(await ask(elsewhere(key))).status, (await ask(key)).status]).toEqual([200, 200]);
    expect([(await ask(key)).status, (await ask(elsewhere(key))).status]).toEqual([402, 402]);
  });

  it('settles what it has admitted when its budget is lowered below that, and admits no more', async () => {
    const key = await issueKey(service, org, { budget_usd: 3 * PROMPT_USD });
    const [first, second] = [await authorized(key, model), await authorized(key, model)];
    const { status, body } = await change(key.keyId, { budget_usd: PROMPT_USD / 2 });
    expect([status, body.budget_usd, body.reserved_usd]).toEqual([200, PROMPT_USD / 2, 2 * PROMPT_USD]);
    expect([(await ask(key)).status, (await ask(elsewhere(key))).status]).toEqual([402, 402]);
    for (const [{ authorization_id, request_id, logical_model }, prompt_tokens] of [
      [first, 1_000],
      [second, 400],
    ] as const) {
      const resolved = { authorization_id, request_id, logical_model };
      await org.controller.post('/v1/inference/router/resolve', resolved);
      const used = { request_id, logical_model, profile_id: profileId, status_code: 200, prompt_tokens };
      const report = await org.controller.post('/v1/inference/router/telemetry', used);
      expect(report.status).toBeLessThan(300);
    }
    await eventually(async () =>
      expect(await listed(key.keyId)).toMatchObject({ reserved_usd: 0, spent_usd: 1.4 * PROMPT_USD }),
    );
    // Another change of it keeps to that.
    await change(key.keyId, { budget_usd: 2 * PROMPT_USD });
    expect((await ask(key)).status).toBe(402);
    await change(key.keyId, { budget_usd: 2.4 * PROMPT_USD });
    expect([(await ask(key)).status, (await ask(key)).status]).toEqual([200, 402]);
  });

  it('spends and reserves no more than its budget, or what was admitted before: the database checks it', async () => {
    const { keyId } = await issueKey(service, org, { budget_usd: 5 });
    const reserve = (usd: number) =>
      service.db.query('update inference_keys set reserved_usd = $2 where id = $1', [keyId, usd]);
    await reserve(4);
    await change(keyId, { budget_usd: 1 });
    await reserve(4);
    await expect(reserve(4.1)).rejects.toThrow('inference_keys_budget_check');
    await reserve(0.5);
    await change(keyId, { name: 'again' });
    await expect(reserve(2)).rejects.toThrow('inference_keys_budget_check');
  });

  it('counts what is admitted while the change waits for it', async () => {
    const key = await issueKey(service, org, { budget_usd: 5, rate_limit_rps: 3 });
    const other = await service.db.connect();
    await other.query('begin');
    await other.query(
      `update inference_keys set reserved_usd = 4, bucket_tokens = 0, bucket_at = clock_timestamp() + interval '1 hour'
       where id = $1`,
      [key.keyId],
    );
    const changed = change(key.keyId, { budget_usd: 1, rate_limit_rps: 30 });
    await eventually(async () => {
      const { rows } = await service.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows.length).toBeGreaterThan(0);
    });
    await other.query('commit');
    other.release();
    expect((await changed).body).toMatchObject({ budget_usd: 1, reserved_usd: 4, rate_limit_rps: 30 });
    expect(await bucket(key)).toBe(0);
    expect((await ask(key)).status).toBe(429);
  });

  it('gets no second burst with another rate, however often it is changed', async () => {
    const key = await issueKey(service, org, { rate_limit_rps: 20 });
    await fill(key, 1);
    for (const rate_limit_rps of [30, 40, 20, 30]) await change(key.keyId, { rate_limit_rps });
    expect(await bucket(key)).toBe(1);
    for (const rate_limit_rps of [null, 20]) await change(key.keyId, { rate_limit_rps });
    expect([await bucket(key), (await ask(key)).status]).toEqual([0, 429]);
  });

  it('has no more left than a lower rate holds', async () => {
    const key = await issueKey(service, org, { rate_limit_rps: 20 });
    await fill(key, 20);
    await change(key.keyId, { rate_limit_rps: 2 });
    expect(await bucket(key)).toBe(2);
    await change(key.keyId, { rate_limit_rps: 20, name: 'raised' });
    expect(await bucket(key)).toBe(2);
  });

  it('may use other models at once on every replica, even if all of them have it in their cache', async () => {
    const forget = jest.spyOn(replica.app.get(KeyVerifier), 'forget');
    const key = await issueKey(service, org, { models: [model] });
    expect([(await ask(key)).status, (await ask(elsewhere(key))).status]).toEqual([200, 200]);
    await change(key.keyId, { models: ['another'] });
    expect((await ask(key)).status).toBe(403);
    await eventually(() => expect(forget).toHaveBeenCalledWith(key.keyId));
    expect((await ask(elsewhere(key))).status).toBe(403);
  });

  it('is forgotten by replicas only if its models or its rate changed', async () => {
    const forgets = [service.app, replica.app].map((app) => jest.spyOn(app.get(KeyVerifier), 'forget'));
    const { keyId } = await issueKey(service, org, { models: [model], rate_limit_rps: 7 });
    const { keyId: last } = await issueKey(service, org);
    for (const part of [
      { name: 'renamed' },
      { budget_usd: 5 },
      { tenant_id: 'acme' },
      { models: [model], rate_limit_rps: 7 },
      {},
    ])
      expect((await change(keyId, part)).status).toBe(200);
    // Notifications arrive in the order of their commits.
    await change(last, { rate_limit_rps: 1 });
    for (const forget of forgets) {
      await eventually(() => expect(forget).toHaveBeenCalledWith(last));
      expect(forget).not.toHaveBeenCalledWith(keyId);
    }
    for (const part of [{ models: [] }, { rate_limit_rps: 8 }, { rate_limit_rps: null }]) {
      const key = await issueKey(service, org, { models: [model], rate_limit_rps: 7 });
      await change(key.keyId, part);
      for (const forget of forgets) await eventually(() => expect(forget).toHaveBeenCalledWith(key.keyId));
    }
  });

  it('is changed and revoked under the id that is stored, however the caller writes it', async () => {
    const forget = jest.spyOn(service.app.get(KeyVerifier), 'forget');
    const key = await issueKey(service, org, { models: [model] });
    const written = key.keyId.toUpperCase();
    expect((await ask(key)).status).toBe(200);
    const { body } = await change(written, { models: ['another'] });
    expect(body.key_id).toBe(key.keyId);
    expect((await ask(key)).status).toBe(403);
    expect((await org.operator.delete(`${KEYS}/${written}`)).status).toBe(204);
    expect(forget).toHaveBeenCalledWith(key.keyId);
    expect(forget).not.toHaveBeenCalledWith(written);
    const entries = (await org.operator.get(`/v1/audit?resource=${key.keyId}`)).body as JsonObject[];
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['update_inference_key', 'revoke_inference_key']),
    );
  });

  it('is changed once per Idempotency-Key: a late repetition takes back nothing', async () => {
    const { keyId } = await issueKey(service, org);
    const headers = { 'idempotency-key': newId() };
    const first = await change(keyId, { budget_usd: 5 }, headers);
    await change(keyId, { budget_usd: 9 });
    expect((await change(keyId, { budget_usd: 5 }, headers)).text).toBe(first.text);
    expect(await listed(keyId)).toMatchObject({ budget_usd: 9 });
  });

  it('is changed if it is as its caller expects, of whatever the caller names', async () => {
    const { keyId } = await issueKey(service, org, { models: [model], budget_usd: 5, tenant_id: 'acme' });
    for (const [part, expected] of [
      [{ budget_usd: 9.5 }, { budget_usd: 5 }],
      [{ budget_usd: null }, { budget_usd: 9.5, models: [model], rate_limit_rps: null, tenant_id: 'acme' }],
      [{ models: ['b', 'a'] }, { budget_usd: null }],
      [{ rate_limit_rps: 7 }, { models: ['a', 'b'] }],
      [{ name: 'renamed' }, {}],
    ] as const)
      expect((await change(keyId, { ...part, expected })).body).toMatchObject(part);
    const { body } = await org.operator.get(`/v1/audit?resource=${keyId}`);
    expect((body as JsonObject[])[0]?.details).toEqual({ name: 'renamed' });
  });

  it('stays as it is if somebody else has changed what its caller names', async () => {
    const { keyId } = await issueKey(service, org, { budget_usd: 5 });
    const { body: before } = await change(keyId, { budget_usd: 50 });
    const { status, body } = await change(keyId, { budget_usd: 10, name: 'new', expected: { budget_usd: 5 } });
    expect([status, body.code, body.detail]).toEqual([
      409,
      'inference_key_changed',
      'The key was changed meanwhile: budget_usd is 50, and not 5. Nothing of this change was done.',
    ]);
    expect(await listed(keyId)).toEqual(before);
    const revoked = await issueKey(service, org);
    await org.operator.delete(`${KEYS}/${revoked.keyId}`);
    expect((await change(revoked.keyId, { expected: { budget_usd: 5 } })).body.code).toBe('inference_key_revoked');
    expect((await change(newId(), { expected: { budget_usd: 5 } })).body.code).toBe('inference_key_not_found');
  });

  it('is changed by one of several who change it at once, if all of them expect the same', async () => {
    const { keyId } = await issueKey(service, org, { budget_usd: 5 });
    const through = [org.operator, new Caller(replica.url, org.operator.token)];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        through[n % 2]!.patch(`${KEYS}/${keyId}`, { budget_usd: 10 + n, expected: { budget_usd: 5 } }),
      ),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await listed(keyId)).toEqual(done[0]?.body);
  });

  it.each<[string, JsonObject, string, string]>([
    ['with an expectation that is no object', { expected: 5 }, 'expected', 'must be an object'],
    [
      'with an unknown expectation',
      { expected: { spent_usd: 0 } },
      'expected.spent_usd',
      'is not a member of this body',
    ],
    ['with null as name', { name: null }, 'name', 'must not be null'],
    ['with an empty name', { name: '' }, 'name', 'must not be empty'],
    ['with null as models', { models: null }, 'models', 'must not be null'],
    ['with a negative budget', { budget_usd: -1 }, 'budget_usd', 'must be at least 0'],
    ['with a rate of zero', { rate_limit_rps: 0 }, 'rate_limit_rps', 'must be at least 1'],
    ['with an amount spent', { spent_usd: 0 }, 'spent_usd', 'is not a member of this body'],
    ['with an unknown member', { expires_at: null }, 'expires_at', 'is not a member of this body'],
  ])('stays as it is if it is changed %s', async (_what, body, field, message) => {
    const { keyId } = await issueKey(service, org);
    const before = await listed(keyId);
    const answer = await change(keyId, { budget_usd: 5, ...body });
    expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]]);
    expect(await listed(keyId)).toEqual(before);
  });

  it('stays as it is for viewers, for another organisation, and once it is revoked', async () => {
    const { keyId } = await issueKey(service, org);
    const other = await service.organisation();
    expect((await org.viewer.patch(`${KEYS}/${keyId}`, { budget_usd: 5 })).status).toBe(403);
    expect((await other.operator.patch(`${KEYS}/${keyId}`, { budget_usd: 5 })).status).toBe(404);
    await org.operator.delete(`${KEYS}/${keyId}`);
    const before = await listed(keyId);
    const { status, body } = await change(keyId, { budget_usd: 5 });
    expect([status, body.code]).toEqual([410, 'inference_key_revoked']);
    expect(await listed(keyId)).toEqual(before);
    for (const id of [newId(), 'key']) expect((await change(id, {})).body.code).toBe('inference_key_not_found');
  });
});
