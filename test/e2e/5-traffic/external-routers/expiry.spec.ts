import { newId } from '../../../../src/1-platform/common/ids';
import { PRICED } from '../../../support/chat';
import {
  account,
  accountOf,
  authorize,
  authorized,
  buildModel,
  issueKey,
  ledgerOf,
  letBeForgotten,
  letExpire,
  resolve,
  routersSee,
  sendTelemetry,
  type Authorized,
  type IssuedKey,
} from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { report } from '../../../support/profiles';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';

describe('an authorization without a settlement', () => {
  let service: Service;
  let org: Organisation;
  let key: IssuedKey;
  let model: string;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    const built = await buildModel(org, [PRICED]);
    model = built.model;
    [profileId = ''] = built.profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    key = await issueKey(service, org);
  });

  const asked = () => authorized(key, model);
  async function sent(): Promise<Authorized> {
    const request = await asked();
    expect((await resolve(org.controller, request)).status).toBe(200);
    return request;
  }

  const letPass = (...requests: Authorized[]) => letExpire(service, ...requests.map(({ authorization_id: id }) => id));

  it('gives its reservation back if the request was never sent to a worker', async () => {
    const request = await asked();
    await letPass(request);
    await service.sweep('authorizations');
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'release -0.002036 0 0']);
    expect(await accountOf(service, key.keyId)).toEqual(account('0', '0'));
  });

  it('is charged its reservation if the request was sent to a worker', async () => {
    const request = await sent();
    await letPass(request);
    await service.sweep('authorizations');
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'charge -0.002036 0.002036 0']);
    expect(await accountOf(service, key.keyId)).toEqual(account('0.002036', '0'));
  });

  it('stays open until its time is over', async () => {
    const open = await asked();
    const held = await sent();
    // Long after it could have been resolved, a resolved authorization stays open.
    await service.db.query(
      "update authorizations set expires_at = clock_timestamp() - interval '10 minutes' where id = $1",
      [held.authorization_id],
    );
    await service.sweep('authorizations');
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'reserve 0.002036 0 0']);
    expect((await resolve(org.controller, open)).status).toBe(200);
  });

  const used = async ({ request_id }: Authorized) => {
    const { rows } = await service.db.query(
      `select u.key_id, logical_model, profile_id, route_generation::int, status_code, decision_source, prompt_tokens::int,
         trim_scale(cost_usd)::text as cost, unreported, occurred_at = (
           select created_at from authorizations z where z.request_id = u.request_id
         ) as "asAdmitted"
       from usage_records u where request_id = $1`,
      [request_id],
    );
    return rows as object[];
  };
  /** As the report of usage shows them. */
  const reported = async () => {
    const { body } = await org.viewer.get(`/v1/inference/usage/series?hours=1&bucket=1h&profile_id=${profileId}`);
    const sum = { requests: 0, successes: 0, prompt_tokens: 0, completion_tokens: 0 };
    for (const bucket of body as unknown as (typeof sum)[])
      for (const measure of Object.keys(sum) as (keyof typeof sum)[]) sum[measure] += bucket[measure];
    return sum;
  };

  it('leaves a usage record of what is known and was charged, if the request was sent to a worker', async () => {
    const [charged, givenBack] = [await sent(), await asked()];
    const before = await reported();
    await letPass(charged, givenBack);
    await service.sweep('authorizations');
    expect(await used(charged)).toEqual([
      {
        key_id: key.keyId,
        logical_model: model,
        profile_id: profileId,
        route_generation: 1,
        status_code: null,
        decision_source: null,
        prompt_tokens: null,
        cost: '0.002036',
        unreported: true,
        asAdmitted: true,
      },
    ]);
    expect(await used(givenBack)).toEqual([]);
    expect(await reported()).toEqual({ ...before, requests: before.requests + 1, successes: before.successes + 1 });
    await expectSoundLedger(service.db);
  });

  it('has its record replaced once by late telemetry, at the time of the request and the cost that was charged', async () => {
    const requests = await Promise.all([sent(), sent(), sent()]);
    await letPass(...requests);
    await service.sweep('authorizations');
    const before = await reported();
    const report = (request: Authorized, tokens: number) =>
      sendTelemetry(org.controller, request, {
        profile_id: profileId,
        decision_source: 'priority',
        status_code: 500,
        prompt_tokens: tokens,
        completion_tokens: 9,
      });
    // Together with one that is in time, and twice each.
    const inTime = await sent();
    const asked = [...requests, inTime].flatMap((request) => [report(request, 420), report(request, 420)]);
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    for (const request of [...requests, inTime]) expect((await report(request, 1)).status).toBe(200);
    for (const request of requests)
      expect(await used(request)).toMatchObject([
        {
          key_id: key.keyId,
          status_code: 500,
          decision_source: 'priority',
          prompt_tokens: 420,
          cost: '0.002036',
          unreported: false,
          asAdmitted: true,
        },
      ]);
    expect(await used(inTime)).toMatchObject([{ prompt_tokens: 420, cost: '0.0002235', unreported: false }]);
    expect(await reported()).toEqual({
      requests: before.requests + 1,
      successes: before.successes - 3,
      prompt_tokens: before.prompt_tokens + 4 * 420,
      completion_tokens: before.completion_tokens + 4 * 9,
    });
    await expectSoundLedger(service.db);
  });

  it('costs nothing if it was given back, whatever telemetry says later', async () => {
    const request = await asked();
    await letPass(request);
    await service.sweep('authorizations');
    const late = { profile_id: profileId, prompt_tokens: 420, completion_tokens: 96 };
    expect((await sendTelemetry(org.controller, request, late)).status).toBe(200);
    expect(await used(request)).toMatchObject([{ key_id: key.keyId, prompt_tokens: 420, cost: '0' }]);
    await expectSoundLedger(service.db);
  });

  it.each<[string, () => Promise<Authorized>, string[]]>([
    ['was given back', () => asked(), ['reserve 0.002036 0 0', 'release -0.002036 0 0']],
    ['was charged', () => sent(), ['reserve 0.002036 0 0', 'charge -0.002036 0.002036 0']],
  ])('keeps its state if it %s and its telemetry arrives later', async (_what, make, ledger) => {
    const request = await make();
    await letPass(request);
    await service.sweep('authorizations');
    const telemetry = { profile_id: profileId, prompt_tokens: 420, completion_tokens: 96 };
    expect((await sendTelemetry(org.controller, request, telemetry)).status).toBe(200);
    expect(await ledgerOf(service, key.keyId)).toEqual(ledger);
    await accountOf(service, key.keyId);
    // The usage is recorded with its key all the same.
    const { rows } = await service.db.query('select key_id, prompt_tokens from usage_records where request_id = $1', [
      request.request_id,
    ]);
    expect(rows).toEqual([{ key_id: key.keyId, prompt_tokens: '420' }]);
  });

  it.each([true, false])('is not found open any more, and its request gets a new one (swept: %s)', async (swept) => {
    const request = await asked();
    await letPass(request);
    if (swept) await service.sweep('authorizations');
    const expired = async () => {
      const { status, body } = await resolve(org.controller, request);
      expect([status, body.code]).toEqual([410, 'authorization_expired']);
    };
    await expired();
    // Another body is another request, and is admitted now.
    const again = await authorize(key, model, { request_id: request.request_id, estimated_prompt_tokens: 2_000 });
    expect(again.status).toBe(200);
    expect(again.body.authorization_id).not.toBe(request.authorization_id);
    expect(await ledgerOf(service, key.keyId)).toEqual([
      'reserve 0.002036 0 0',
      'release -0.002036 0 0',
      'reserve 0.002536 0 0',
    ]);
    expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.002536'));
    // The old one stays expired; the new one is used as any other.
    await expired();
    const { authorization_id } = again.body as { authorization_id: string };
    expect((await resolve(org.controller, { ...request, authorization_id })).status).toBe(200);
    await sendTelemetry(org.controller, request, { profile_id: profileId, prompt_tokens: 1, completion_tokens: 0 });
    expect(await accountOf(service, key.keyId)).toEqual(account('0.0000005', '0'));
  });

  it('is replaced once, however many concurrent requests on two replicas', async () => {
    const elsewhere = (await service.replica()).as(key.rawKey);
    for (let round = 0; round < 5; round++) {
      const request = await asked();
      await letPass(request);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, place) =>
          authorize(place % 2 ? elsewhere : key, model, {
            request_id: request.request_id,
            estimated_prompt_tokens: 1_000,
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ body }) => (body as { authorization_id: string }).authorization_id)).size).toBe(1);
    }
    expect(await accountOf(service, key.keyId)).toEqual(account('0', '0.01018'));
  });

  it('is not renewed if the request was sent to a worker', async () => {
    const request = await sent();
    await letPass(request);
    await service.sweep('authorizations');
    const again = await authorize(key, model, { request_id: request.request_id, estimated_prompt_tokens: 1_000 });
    expect([again.status, again.body.authorization_id]).toEqual([200, request.authorization_id]);
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'charge -0.002036 0.002036 0']);
  });

  it('is not renewed if its telemetry arrived after its time, but before its reservation was given back', async () => {
    const request = await asked();
    await letPass(request);
    const telemetry = { profile_id: profileId, prompt_tokens: 420, completion_tokens: 96 };
    expect((await sendTelemetry(org.controller, request, telemetry)).status).toBe(200);
    expect((await resolve(org.controller, request)).body.code).toBe('authorization_consumed');
    const settled = await ledgerOf(service, key.keyId);
    expect(settled.map((entry) => entry.split(' ')[0])).toEqual(['reserve', 'settle']);
    const again = await authorize(key, model, { request_id: request.request_id, estimated_prompt_tokens: 1_000 });
    expect([again.status, again.body.authorization_id]).toEqual([200, request.authorization_id]);
    expect(await ledgerOf(service, key.keyId)).toEqual(settled);
  });

  it('is renewed for nobody once its telemetry arrived, also after its reservation was given back', async () => {
    const request = await asked();
    await letPass(request);
    await service.sweep('authorizations');
    const used = { profile_id: profileId, prompt_tokens: 1, completion_tokens: 0 };
    expect((await sendTelemetry(org.controller, request, used)).status).toBe(200);
    const another = await issueKey(service, org);
    for (const asking of [key, another]) {
      const { status, body } = await authorize(asking, model, { request_id: request.request_id });
      expect([status, body.code]).toEqual([409, 'request_id_reused']);
    }
    expect(await ledgerOf(service, another.keyId)).toEqual([]);
  });

  it('is renewed only within the budget', async () => {
    key = await issueKey(service, org, { budget_usd: 0.0021 });
    const request = await asked();
    await letPass(request);
    const body = { request_id: request.request_id, estimated_prompt_tokens: 1_000 };
    expect((await authorize(key, model, { ...body, estimated_prompt_tokens: 9_000 })).status).toBe(402);
    expect((await authorize(key, model, body)).status).toBe(200);
  });

  it('frees budget if its reservation is given back, and none if it is charged', async () => {
    key = await issueKey(service, org, { budget_usd: 0.004072 });
    const [open, held] = [await asked(), await sent()];
    const status = async () => (await authorize(key, model, { estimated_prompt_tokens: 1_000 })).status;
    expect(await status()).toBe(402);
    await letPass(held);
    await service.sweep('authorizations');
    expect(await status()).toBe(402);
    await letPass(open);
    await service.sweep('authorizations');
    expect([await status(), await status()]).toEqual([200, 402]);
    expect(await accountOf(service, key.keyId)).toEqual(account('0.002036', '0.002036'));
  });

  it('is closed among thousands', async () => {
    const COUNT = 2_500;
    await service.db.query(
      `select count(*) from admit_requests_one_by_one($1, $2, (
         select json_agg(json_build_object('place', n, 'id', gen_random_uuid(), 'request_id', gen_random_uuid(), 'logical_model', $3::text,
           'route_generation', 1, 'reserved_usd', 0.001, 'lives_ms', 0, 'held_ms', 0, 'profile_id', case when n % 2 = 0 then 'a' end))
         from generate_series(1, $4::int) n))`,
      [org.id, key.keyId, model, COUNT],
    );
    // A round closes 1,000 at most.
    for (let round = 0; round < 3; round++) await service.sweep('authorizations');
    expect(await accountOf(service, key.keyId)).toEqual(account('1.25', '0'));
    expect(await ledgerOf(service, key.keyId)).toHaveLength(2 * COUNT);
  });

  it('is closed once, by concurrent sweeps of two replicas or by telemetry', async () => {
    const other = await service.replica();
    const COUNT = 60;
    const requests = await Promise.all(Array.from({ length: COUNT }, (_, place) => (place % 2 ? asked() : sent())));
    await letPass(...requests);
    const replicas = [service, other];
    await Promise.all([
      ...requests.map((request) =>
        sendTelemetry(org.controller, request, { profile_id: profileId, prompt_tokens: 10, completion_tokens: 0 }),
      ),
      ...replicas.flatMap((replica) => [replica.sweep('authorizations'), replica.sweep('authorizations')]),
    ]);
    await service.sweep('authorizations');
    expect((await accountOf(service, key.keyId)).reserved).toBe('0.000000000000');
    const { rows } = await service.db.query(
      'select count(*)::int as entries, count(distinct authorization_id)::int as authorizations from ledger_entries where key_id = $1 group by kind = $2',
      [key.keyId, 'reserve'],
    );
    expect(rows).toEqual([
      { entries: COUNT, authorizations: COUNT },
      { entries: COUNT, authorizations: COUNT },
    ]);
    await expectSoundLedger(service.db);
  });

  // The last one: the ledger is compared with authorizations.
  it('keeps the key of its record when telemetry comes after it was forgotten', async () => {
    const request = await sent();
    await letPass(request);
    await service.sweep('authorizations');
    await service.db.query('delete from authorizations where id = $1', [request.authorization_id]);
    const telemetry = { profile_id: profileId, decision_source: 'priority', prompt_tokens: 420, completion_tokens: 9 };
    expect((await sendTelemetry(org.controller, request, telemetry)).status).toBe(200);
    expect(await used(request)).toMatchObject([
      { key_id: key.keyId, prompt_tokens: 420, cost: '0.002036', unreported: false },
    ]);
  });
});

describe('the money of a key', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  it('always equals the sum of its ledger, whatever happens to its requests', async () => {
    const { model, profileIds } = await buildModel(org, [PRICED]);
    const [profileId = ''] = profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
    const keys = [
      await issueKey(service, org),
      await issueKey(service, org, { budget_usd: 0.05 }),
      await issueKey(service, org, { budget_usd: 0.01, rate_limit_rps: 20 }),
    ];
    const random = seeded(7);
    const requests: Authorized[] = [];
    const pick = <T>(among: readonly T[]): T => among[Math.floor(random() * among.length)] as T;
    const step = async (): Promise<unknown> => {
      const what = random();
      if (requests.length === 0 || what < 0.45) {
        const request_id = newId();
        const { status, body } = await authorize(pick(keys), model, {
          request_id,
          estimated_prompt_tokens: Math.floor(random() * 2_000),
        });
        if (status === 200)
          requests.push({ authorization_id: body.authorization_id as string, request_id, logical_model: model });
        return expect([200, 402, 429]).toContain(status);
      }
      const request = pick(requests);
      if (what < 0.65) return expect([200, 202, 409, 410]).toContain((await resolve(org.controller, request)).status);
      if (what < 0.85) {
        const tokens = { prompt_tokens: Math.floor(random() * 4_000), completion_tokens: Math.floor(random() * 2_000) };
        return expect((await sendTelemetry(org.controller, request, { profile_id: profileId, ...tokens })).status).toBe(
          200,
        );
      }
      await letExpire(service, request.authorization_id);
      return service.sweep('authorizations');
    };
    for (let round = 0; round < 30; round++) {
      await Promise.all(Array.from({ length: 12 }, step));
      for (const { keyId } of keys) await accountOf(service, keyId);
    }
    const { rows } = await service.db.query<{ kind: string }>('select distinct kind from ledger_entries order by kind');
    expect(rows.map(({ kind }) => kind)).toEqual(['charge', 'release', 'reserve', 'settle']);
  });

  it('is recorded for good: nobody can change or delete an entry', async () => {
    const { model } = await buildModel(org, [PRICED]);
    const { keyId, ...key } = await issueKey(service, org);
    await authorized(service.as(key.rawKey), model);
    for (const statement of [
      'update ledger_entries set reserved_usd = 0 where key_id = $1',
      'delete from ledger_entries where key_id = $1',
      'delete from inference_keys where id = $1',
    ])
      await expect(service.db.query(statement, [keyId])).rejects.toThrow(
        /entries of the ledger stay as they are|the ledger names them/,
      );
    expect(await ledgerOf(service, keyId)).toHaveLength(1);
  });

  it('stays recorded when the requests are deleted as too old', async () => {
    const { model, profileIds } = await buildModel(org, [PRICED]);
    const { keyId, rawKey } = await issueKey(service, org);
    const key = service.as(rawKey);
    const requests = [await authorized(key, model), await authorized(key, model), await authorized(key, model)];
    const [old, young, open] = requests;
    for (const request of [old, young])
      await sendTelemetry(org.controller, request as Authorized, {
        profile_id: profileIds[0],
        prompt_tokens: 10,
        completion_tokens: 0,
      });
    const before = await accountOf(service, keyId);
    const ledger = await ledgerOf(service, keyId);
    await service.db.query(
      `update authorizations set settled_at = settled_at - make_interval(days => case when id = $1 then 8 else 6 end) where key_id = $2`,
      [old?.authorization_id, keyId],
    );
    await service.db.query(
      `update usage_records set occurred_at = occurred_at - make_interval(days => case when request_id = $1 then 91 else 89 end) where key_id = $2`,
      [old?.request_id, keyId],
    );
    await service.sweep('usage history');
    const known = await service.db.query<{ id: string }>(
      'select id from authorizations where key_id = $1 order by id',
      [keyId],
    );
    expect(known.rows.map(({ id }) => id)).toEqual([young?.authorization_id, open?.authorization_id].sort());
    const used = await service.db.query('select request_id from usage_records where key_id = $1', [keyId]);
    expect(used.rows).toEqual([{ request_id: young?.request_id }]);
    expect([await accountOf(service, keyId), await ledgerOf(service, keyId)]).toEqual([before, ledger]);
  });

  it('is deleted as too old without a wait for those that are locked', async () => {
    const { model, profileIds } = await buildModel(org, [PRICED]);
    const { keyId, rawKey } = await issueKey(service, org);
    const key = service.as(rawKey);
    const [locked, free] = [await authorized(key, model), await authorized(key, model)];
    for (const request of [locked, free])
      await sendTelemetry(org.controller, request, {
        profile_id: profileIds[0],
        prompt_tokens: 10,
        completion_tokens: 0,
      });
    await letBeForgotten(service, keyId);
    const known = async (): Promise<string[]> =>
      (await service.db.query<{ id: string }>('select id from authorizations where key_id = $1', [keyId])).rows.map(
        ({ id }) => id,
      );
    const other = await service.db.connect();
    try {
      await other.query('begin');
      await other.query('select from authorizations where id = $1 for no key update', [locked.authorization_id]);
      await service.sweep('usage history');
      expect(await known()).toEqual([locked.authorization_id]);
    } finally {
      await other.query('rollback');
      other.release();
    }
    await service.sweep('usage history');
    expect(await known()).toEqual([]);
  });
});
