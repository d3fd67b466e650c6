import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { measured, PRICED } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import {
  account,
  accountOf,
  authorize,
  authorized,
  buildModel,
  issueKey,
  ledgerOf,
  resolve,
  routersSee,
  saveRoute,
  sendTelemetry,
  type Authorized,
  type IssuedKey,
} from '../../../support/inference';
import { createProfile, report } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';
import { untilServed } from '../../../support/until-served';

/** A router's report on a served request, without its costs. */
const ALL: JsonObject = {
  decision_source: 'priority',
  activation_path: 'warm',
  classifier_profile_id: 'tiny',
  route_generation: 7,
  queue_ms: 15,
  ttft_ms: 130,
  stream_duration_ms: 1_700,
  end_to_end_latency_ms: 1_800,
  classifier_latency_ms: 12,
  prompt_tokens: 420,
  completion_tokens: 96,
  status_code: 200,
  upstream_attempts: 2,
  mean_inter_token_ms: 16.5,
  p95_inter_token_ms: 31.25,
  fallback_used: true,
};

describe('the telemetry of a request', () => {
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

  const asked = (overrides: JsonObject = {}) => authorized(key, model, overrides);
  /** A request that was admitted and sent to the profile. */
  async function sent(overrides: JsonObject = {}): Promise<Authorized> {
    const request = await asked(overrides);
    expect((await resolve(org.controller, request)).status).toBe(200);
    return request;
  }
  const reported = async (request: Pick<Authorized, 'request_id' | 'logical_model'>, overrides: JsonObject = {}) => {
    const { status, text } = await sendTelemetry(org.controller, request, { profile_id: profileId, ...overrides });
    expect([status, text]).toEqual([200, '']);
  };
  const records = async ({ request_id }: Pick<Authorized, 'request_id'>): Promise<JsonObject[]> =>
    (
      await service.db.query<{ record: JsonObject }>(
        'select to_json(u) as record from usage_records u where org_id = $1 and request_id = $2',
        [org.id, request_id],
      )
    ).rows.map(({ record }) => record);

  it('is recorded as reported for an answered request, and settles its authorization', async () => {
    const request = await sent();
    const before = Date.now();
    await reported(request, ALL);
    const [{ occurred_at: occurredAt, ...record } = {}, ...others] = await records(request);
    expect(others).toEqual([]);
    const { stream_duration_ms: _stream, end_to_end_latency_ms, classifier_latency_ms, ...same } = ALL;
    expect(record).toEqual({
      ...same,
      org_id: org.id,
      request_id: request.request_id,
      key_id: key.keyId,
      logical_model: model,
      profile_id: profileId,
      meant_for_profile_id: null,
      experiment_id: null,
      // The total time without the wait, whatever the stream took.
      backend_ms: 1_785,
      end_to_end_ms: end_to_end_latency_ms,
      classifier_ms: classifier_latency_ms,
      routing_ms: null,
      streamed: true,
      deadline_missed: false,
      cold_start_avoided_ms: 0,
      // 420 x 0.5 / 10^6 + 96 x 1.5 / 10^6
      unreported: false,
      repeated: 0,
      cost_usd: 0.000354,
    });
    // The time of arrival.
    expect(Math.abs(Date.parse(String(occurredAt)) - (before - 1_800))).toBeLessThan(5_000);
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'settle -0.002036 0.000354 0']);
    expect(await accountOf(service, key.keyId)).toEqual(account('0.000354', '0'));
  });

  it('is recorded at the time at which a long request arrived', async () => {
    const request = await sent();
    const before = Date.now();
    await reported(request, { ...ALL, end_to_end_latency_ms: 600_000 });
    const [{ occurred_at: occurredAt } = {}] = await records(request);
    expect(Math.abs(Date.parse(String(occurredAt)) - (before - 600_000))).toBeLessThan(60_000);
  });

  it('may consist of the end of the request alone', async () => {
    const request = await asked();
    await sendTelemetry(org.controller, request, { status_code: undefined });
    const [record = {}] = await records(request);
    expect(record).toMatchObject({ key_id: key.keyId, profile_id: null, status_code: null, cost_usd: 0 });
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'settle -0.002036 0 0']);
    const nothing = Object.fromEntries(Object.keys(ALL).map((name) => [name, null]));
    const other = await asked();
    expect((await sendTelemetry(org.controller, other, { ...nothing, profile_id: null })).status).toBe(200);
    expect(await records(other)).toHaveLength(1);
  });

  it('counts once: a repetition changes nothing, whatever it contains', async () => {
    const request = await sent();
    await reported(request, ALL);
    const before = [await records(request), await ledgerOf(service, key.keyId), await accountOf(service, key.keyId)];
    await reported(request, ALL);
    await reported(request, { ...ALL, prompt_tokens: 999_999, status_code: 500 });
    await sendTelemetry(org.controller, { ...request, logical_model: 'another' }, ALL);
    expect([await records(request), await ledgerOf(service, key.keyId), await accountOf(service, key.keyId)]).toEqual(
      before,
    );
  });

  it('does not lock the key while it is added to the rollups', async () => {
    const request = await sent();
    const reading = await service.db.connect();
    let written = false;
    await reading.query('begin; lock table usage_rollups in exclusive mode');
    const reporting = reported(request, ALL).then(() => (written = true));
    try {
      await eventually(async () => {
        const { rows } = await service.db.query(
          `select from pg_locks join pg_database on pg_database.oid = database and datname = current_database()
           where relation = 'usage_rollups'::regclass and not granted`,
        );
        expect(rows).toHaveLength(1);
      });
      expect((await authorize(key, model)).status).toBe(200);
      expect(written).toBe(false);
    } finally {
      await reading.query('rollback');
      reading.release();
    }
    await reporting;
    expect(await records(request)).toHaveLength(1);
  });

  it('counts once for many concurrent reports, on two replicas', async () => {
    const { url } = await service.replica();
    const request = await sent();
    const body = JSON.stringify({
      ...ALL,
      profile_id: profileId,
      request_id: request.request_id,
      logical_model: model,
    });
    const headers = { authorization: `Bearer ${org.controller.token}`, 'content-type': 'application/json' };
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, place) => {
        const base = place % 2 ? url : service.url;
        const report = () => fetch(`${base}/v1/inference/router/telemetry`, { method: 'POST', headers, body });
        return (await untilServed(report)).status;
      }),
    );
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await records(request)).toHaveLength(1);
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0', 'settle -0.002036 0.000354 0']);
  });

  it('settles many requests of many keys', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => issueKey(service, org)));
    const requests = await Promise.all(
      Array.from({ length: 80 }, (_, place) => authorized(keys[place % keys.length] as IssuedKey, model)),
    );
    await Promise.all(requests.map((request) => reported(request, { prompt_tokens: 1_000, completion_tokens: 0 })));
    // 20 x 1,000 x 0.5 / 10^6 each
    for (const { keyId } of keys) expect(await accountOf(service, keyId)).toEqual(account('0.01', '0'));
  });

  it('records the telemetry of a model whose route this replica has not yet seen under its name', async () => {
    const logical_model = `made-${newId()}`;
    expect((await sendTelemetry(org.controller, { request_id: newId(), logical_model })).status).toBe(200);
    // No notification is sent for it.
    await service.db.query(`
      begin; alter table routes disable trigger user;
      insert into routes (org_id, logical_model, mode, queue_timeout_ms, generation) values ('${org.id}', '${logical_model}', 'priority', 1000, 1);
      alter table routes enable trigger user; commit`);
    await new Promise((resolve) => setTimeout(resolve, 60));
    const request = { request_id: newId(), logical_model };
    expect((await sendTelemetry(org.controller, request)).status).toBe(200);
    expect(await records(request)).toMatchObject([{ logical_model }]);
  });

  it('records the telemetry of a request without an authorization, which costs nothing', async () => {
    const request = { request_id: newId(), logical_model: model };
    await reported(request, ALL);
    expect(await records(request)).toMatchObject([{ key_id: null, profile_id: profileId, cost_usd: 0.000354 }]);
    expect(await ledgerOf(service, key.keyId)).toEqual([]);
    // Nor for an unknown model.
    const unknown = { request_id: newId(), logical_model: 'nowhere' };
    expect((await sendTelemetry(org.controller, unknown, { profile_id: 'nobody' })).status).toBe(200);
    // Names that callers may invent are not recorded.
    expect(await records(unknown)).toMatchObject([{ logical_model: '(unknown)', profile_id: 'nobody', cost_usd: 0 }]);
  });

  describe('charges', () => {
    const costs = async (request: Authorized, overrides: JsonObject): Promise<string> => {
      await reported(request, overrides);
      return (await ledgerOf(service, key.keyId)).at(-1) ?? '';
    };

    it('charges the tokens, to the last digit', async () => {
      // 1 x 0.5 / 10^6 + 3 x 1.5 / 10^6
      expect(await costs(await asked(), { prompt_tokens: 1, completion_tokens: 3 })).toBe(
        'settle -0.002036 0.000005 0',
      );
      expect(await costs(await asked(), { prompt_tokens: 0, completion_tokens: 0 })).toBe('settle -0.002036 0 0');
      // As much as without telemetry: an answer without a count is not free.
      expect(await costs(await asked(), { stream_duration_ms: 9_000 })).toBe('settle -0.002036 0.002036 0');
      for (const counted of [{ prompt_tokens: 1 }, { completion_tokens: 1 }])
        expect(await costs(await asked(), counted)).toBe('settle -0.002036 0.002036 0');
      // Nor is one that broke off.
      for (const broken of [
        { status_code: 502, stream_duration_ms: 9_000 },
        { status_code: 499, ttft_ms: 50, stream_duration_ms: 9_000 },
        { status_code: 499, ttft_ms: 50, prompt_tokens: 1_000 },
      ])
        expect(await costs(await asked(), broken)).toBe('settle -0.002036 0.002036 0');
      // An answer that never began costs nothing, whatever its prompt was.
      for (const status_code of [499, 503])
        expect(await costs(await asked(), { status_code, prompt_tokens: 1_000 })).toBe('settle -0.002036 0 0');
      const cut = { status_code: 499, ttft_ms: 50, prompt_tokens: 1_000, completion_tokens: 0 };
      expect(await costs(await asked(), cut)).toBe('settle -0.002036 0.0005 0');
    });

    it('charges what is counted if the other tokens have no price, or are none', async () => {
      const prompts = { pricing: { prompt_usd_per_mtok: 0.5 } };
      const answersOnly = { pricing: { completion_usd_per_mtok: 0.5 } };
      const embeddings = { ...(PRICED.spec as JsonObject), endpoints: ['embeddings'] };
      for (const [spec, counted] of [
        [prompts, { prompt_tokens: 2 }],
        [answersOnly, { completion_tokens: 2 }],
        [embeddings, { prompt_tokens: 2 }],
      ] as const) {
        const built = await buildModel(org, [{ spec }]);
        const request = await authorized(key, built.model);
        const [, spent] =
          (await costs(request, { profile_id: built.profileIds[0], ...counted })).match(/ (\S+) 0$/) ?? [];
        expect(spent).toBe('0.000001');
      }
    });

    describe('by the time', () => {
      let timed: { model: string; profileIds: string[] };
      beforeAll(async () => {
        timed = await buildModel(org, [{ target_concurrency: 8 }]);
        await org.operator.post('/v1/inference/costs/config', {
          profile_id: timed.profileIds[0],
          node_hourly_usd: 3.6,
        });
        await routersSee(org.controller, timed.profileIds[0] ?? '', { node_hourly_usd: 3.6 });
      });

      // 3.6 dollars an hour are 0.001 a second, of which a request has an eighth. The reservation covers a
      // minute.
      it.each<[string, JsonObject, string]>([
        ['of its stream', { stream_duration_ms: 4_000, end_to_end_latency_ms: 9_000 }, '0.0005'],
        ['to its first byte and of its stream', { ttft_ms: 1_000, stream_duration_ms: 3_000 }, '0.0005'],
        [
          'of the whole without the wait, whatever else is reported',
          { end_to_end_latency_ms: 5_000, queue_ms: 1_000, ttft_ms: 1_500, stream_duration_ms: 9_000 },
          '0.0005',
        ],
        ['which is zero if the answer never began', { end_to_end_latency_ms: 9_000, status_code: 504 }, '0'],
        ['of the whole', { end_to_end_latency_ms: 8_000 }, '0.001'],
        ['which is zero if it waited for all of it', { end_to_end_latency_ms: 500, queue_ms: 1_000 }, '0'],
        ['that was reserved if no time is reported', {}, '0.0075'],
        ['which is zero if no time is reported for a failure', { status_code: 503 }, '0'],
        ['whatever the tokens', { stream_duration_ms: 8_000, prompt_tokens: 1_000_000 }, '0.001'],
      ])('charges by the time %s', async (_what, overrides, usd) => {
        const request = await authorized(key, timed.model);
        await reported(request, { profile_id: timed.profileIds[0], ...overrides });
        expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.0075 0 0', `settle -0.0075 ${usd} 0`]);
      });
    });

    it('charges the price of the target that served it, not of the dearest', async () => {
      const dear = { spec: { pricing: { prompt_usd_per_mtok: 50, completion_usd_per_mtok: 150 } } };
      const mixed = await buildModel(org, [dear, PRICED]);
      const request = await authorized(key, mixed.model);
      await reported(request, { profile_id: mixed.profileIds[1], prompt_tokens: 420, completion_tokens: 96 });
      expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.2036 0 0', 'settle -0.2036 0.000354 0']);
    });

    it('charges the price of the target that it was sent to if the router does not name one', async () => {
      expect(await costs(await sent(), { profile_id: undefined, prompt_tokens: 420, completion_tokens: 96 })).toBe(
        'settle -0.002036 0.000354 0',
      );
    });

    it('charges the price at its profile even if that left the route meanwhile', async () => {
      const moving = await buildModel(org, [PRICED]);
      const [of = ''] = moving.profileIds;
      await report(org.controller, of);
      await routersSee(org.controller, of, { ready: true });
      const request = await authorized(key, moving.model);
      expect((await resolve(org.controller, request)).status).toBe(200);
      await saveRoute(org.operator, moving.model, { targets: [] });
      await reported(request, { profile_id: of, prompt_tokens: 420, completion_tokens: 96 });
      expect((await ledgerOf(service, key.keyId)).at(-1)).toBe('settle -0.002036 0.000354 0');
    });

    it('charges more than the reservation: the excess reduces the budget', async () => {
      key = await issueKey(service, org, { budget_usd: 0.006 });
      const request = await asked({ estimated_prompt_tokens: 0 });
      // 10,000 x 0.5 / 10^6 = 0.005, of which 0.001536 were reserved
      await reported(request, { prompt_tokens: 10_000, completion_tokens: 0 });
      expect(await ledgerOf(service, key.keyId)).toEqual([
        'reserve 0.001536 0 0',
        'settle -0.001536 0.001536 0.003464',
      ]);
      expect(await accountOf(service, key.keyId)).toEqual(account('0.001536', '0', '0.003464'));
      const { body } = await org.viewer.get('/v1/inference/keys');
      expect((body as JsonObject[]).find(({ key_id: id }) => id === key.keyId)).toMatchObject({
        spent_usd: 0.005,
        reserved_usd: 0,
        overrun_usd: 0.003464,
      });
      // 0.005 + 0.001536 is more than 0.006.
      const next = await authorize(key, model, { estimated_prompt_tokens: 0 });
      expect([next.status, next.body.code]).toEqual([402, 'insufficient_quota']);
    });

    it("charges more than the key's budget: the key is blocked, and nothing else", async () => {
      key = await issueKey(service, org, { budget_usd: 0.002 });
      const request = await asked({ estimated_prompt_tokens: 0 });
      await reported(request, { prompt_tokens: 100_000_000, completion_tokens: 100_000_000 });
      // 50 + 150 dollars
      expect(await accountOf(service, key.keyId)).toEqual(account('0.001536', '0', '199.998464'));
      expect((await authorize(key, model, { estimated_prompt_tokens: 0 })).status).toBe(402);
      expect((await authorize(await issueKey(service, org), model)).status).toBe(200);
    });
  });

  it.each<[string, () => Promise<string>]>([
    ['is unknown', () => Promise.resolve('no-such-profile')],
    ['has no prices and is not in the route', async () => (await createProfile(org)).profile_id],
  ])('is charged by the profile that it was sent to if the reported profile %s', async (_, named) => {
    const other = await issueKey(service, org);
    const request = await authorized(other, model);
    expect((await resolve(org.controller, request)).status).toBe(200);
    const counts = { prompt_tokens: 1_000, completion_tokens: 200 };
    expect((await sendTelemetry(org.controller, request, { profile_id: await named(), ...counts })).status).toBe(200);
    // 1,000 x 0.5 / 10^6 + 200 x 1.5 / 10^6
    expect(await ledgerOf(service, other.keyId)).toContain('settle -0.002036 0.0008 0');
  });

  describe('of the first request that a restored start serves', () => {
    /** A profile with cold starts of a minute, and a worker that was restored in four seconds. */
    const restored = async () => {
      const built = await buildModel(org, [PRICED]);
      const [of = ''] = built.profileIds;
      await measured(service, org, of, 'cold', 60_000, 60_000, 60_000);
      await measured(service, org, of, 'restore', ...Array<number>(60).fill(5_000));
      expect((await report(org.controller, of)).status).toBe(204);
      await service.db.query(
        `update starts set beginning_seen = true, began_at = ready_at - interval '4 seconds', restore_checkpoint_path = '/checkpoints/new'
         where profile_id = $1 and ended_at is null`,
        [of],
      );
      await saveRoute(org.operator, built.model, { queue_timeout_ms: 1 });
      await routersSee(org.controller, of, { ready: true });
      return { ...built, of };
    };
    const avoided = async ({ model: name, of }: { model: string; of: string }, overrides: JsonObject = {}) => {
      const request = { request_id: newId(), logical_model: name };
      await reported(request, { profile_id: of, ...overrides });
      return (await records(request))[0]?.cold_start_avoided_ms;
    };

    it('records the time that the restore saved, once, whether or not the request waited', async () => {
      const profile = await restored();
      expect(await avoided(profile, { status_code: 503 })).toBe(0);
      expect(await avoided(profile, { activation_path: 'warm', queue_ms: 0 })).toBe(56_000);
      expect(await avoided(profile, { activation_path: 'restore', queue_ms: 4_000 })).toBe(0);
    });

    it('is found once among many concurrent reports, on two replicas', async () => {
      const profile = await restored();
      const elsewhere = (await service.replica()).as(org.controller.token);
      const ids = Array.from({ length: 40 }, () => newId());
      await Promise.all(
        ids.map((request_id, place) =>
          sendTelemetry(
            place % 2 ? elsewhere : org.controller,
            { request_id, logical_model: profile.model },
            { profile_id: profile.of },
          ),
        ),
      );
      const { rows } = await service.db.query<{ ms: number }>(
        'select cold_start_avoided_ms::int as ms from usage_records where request_id = any ($1) and cold_start_avoided_ms > 0',
        [ids],
      );
      expect(rows).toEqual([{ ms: 56_000 }]);
    });

    it('is not found again by a repeated report', async () => {
      const profile = await restored();
      const request = { request_id: newId(), logical_model: profile.model };
      await reported(request, { profile_id: profile.of, status_code: 503 });
      await reported(request, { profile_id: profile.of });
      expect(await avoided(profile)).toBe(56_000);
    });
  });

  it('is recorded for a refused request too, under a new id', async () => {
    const { model: refusedModel } = await buildModel(org, [PRICED]);
    const poor = await issueKey(service, org, { budget_usd: 0 });
    const request_id = newId();
    expect((await authorize(poor, refusedModel, { request_id })).status).toBe(402);
    expect((await authorize(poor, 'nowhere')).status).toBe(404);
    await eventually(async () => {
      const { rows } = await service.db.query(
        'select logical_model, status_code, request_id = $2 as same, cost_usd::int as usd from usage_records where key_id = $1 order by status_code',
        [poor.keyId, request_id],
      );
      expect(rows).toEqual([
        { logical_model: refusedModel, status_code: 402, same: false, usd: 0 },
        { logical_model: '(unknown)', status_code: 404, same: false, usd: 0 },
      ]);
    });
  });

  const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
    ['without an id', { request_id: undefined }, 'request_id', 'is required'],
    ['without a model', { logical_model: undefined }, 'logical_model', 'is required'],
    ['with an invalid status', { status_code: 99 }, 'status_code', 'must be at least 100'],
    ['with a negative number of tokens', { prompt_tokens: -1 }, 'prompt_tokens', 'must be at least 0'],
    ['with too many tokens', { completion_tokens: 1_000_000_001 }, 'completion_tokens', 'must be at most 100000000'],
    ['with a negative time', { ttft_ms: -1 }, 'ttft_ms', 'must be at least 0'],
    [
      'with a time that is too long',
      { end_to_end_latency_ms: 31_536_000_000 },
      'end_to_end_latency_ms',
      'must be at most 2592000000',
    ],
    ['with a path that is not a string', { decision_source: 7 }, 'decision_source', 'must be a string'],
  ];
  it.each(REFUSED)('is refused %s, and the request stays open', async (_what, body, field, message) => {
    const request = await asked();
    const answer = await sendTelemetry(org.controller, request, body);
    expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]]);
    expect(await records(request)).toEqual([]);
    expect(await ledgerOf(service, key.keyId)).toEqual(['reserve 0.002036 0 0']);
  });
});
