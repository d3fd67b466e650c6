import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { usdOf, type Usd } from '../../../../src/1-platform/common/money';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { AdmissionsService } from '../../../../src/5-traffic/admissions/admissions.service';
import { releaseUnused } from '../../../../src/5-traffic/admissions/settlements.queries';
import { createKey } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { Service, type Organisation } from '../../../support/service';

const RPS = 2;
const LIVES_MS = 60_000;
const HELD_MS = 120_000;
/** The clock was set back by an hour. */
const AHEAD = "bucket_tokens = 0.5, bucket_at = clock_timestamp() + interval '1 hour'";

const usd = (text: string): Usd => usdOf(text) ?? 0n;

describe('the rules of admissions in the database', () => {
  let service: Service;
  let org: Organisation;
  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const keyWith = async (limits: JsonObject, state = ''): Promise<string> => {
    const { key_id: id } = await createKey(org, limits);
    if (state !== '') await service.db.query(`update inference_keys set ${state} where id = $1`, [id]);
    return id;
  };

  describe('that refuse a request before it is read', () => {
    const refusal = (keyId: string, atLeast = '0') =>
      service.app.get(AdmissionsService).refusal(org.id, keyId, usd(atLeast));

    it('say how long a key waits that has half of a request left', async () => {
      const state = 'bucket_tokens = 0.5, bucket_at = clock_timestamp()';
      const refused = await refusal(await keyWith({ rate_limit_rps: RPS }, state));
      expect(refused).toEqual({ outcome: 'rate', waitMs: expect.any(Number) });
      const { waitMs } = refused as { waitMs: number };
      expect(waitMs).toBeLessThanOrEqual(500 / RPS);
      expect(waitMs).toBeGreaterThan(0);
    });

    it.each([
      ['has a request left', 'bucket_tokens = 1, bucket_at = clock_timestamp()'],
      ['had none left some seconds ago', "bucket_tokens = 0, bucket_at = clock_timestamp() - interval '5 seconds'"],
      // The admission decides, which takes the bucket back.
      ['used its rate before the clock was set back', AHEAD],
    ])('admit one of a key that %s', async (_what, state) => {
      expect(await refusal(await keyWith({ rate_limit_rps: RPS }, state))).toBeUndefined();
    });

    it('count what is spent, reserved and beyond reservations against the budget', async () => {
      const keyId = await keyWith({ budget_usd: 1 }, 'spent_usd = 0.5, reserved_usd = 0.3, overrun_usd = 0.1');
      expect(await refusal(keyId, '0.1')).toBeUndefined();
      expect(await refusal(keyId, '0.1001')).toEqual({ outcome: 'budget' });
    });

    it('refuse a revoked key, and one that is unknown', async () => {
      expect(await refusal(await keyWith({}, 'revoked_at = clock_timestamp()'))).toEqual({ outcome: 'revoked' });
      expect(await refusal(newId())).toEqual({ outcome: 'revoked' });
    });
  });

  describe('that open authorizations', () => {
    const asked = (profileId: string | null) => ({
      id: newId(),
      requestId: newId(),
      logicalModel: 'm',
      promptTokens: 7,
      routeGeneration: 3,
      reservedUsd: usd('0.25'),
      livesMs: LIVES_MS,
      heldMs: HELD_MS,
      profileId,
    });
    const stored = async (id: string) => {
      const { rows } = await service.db.query(
        `select key_id, logical_model, prompt_tokens::int, route_generation::int, reserved_usd::float8, profile_id,
           round(extract(epoch from expires_at - created_at) * 1000)::int as lives_ms,
           round(extract(epoch from held_until - created_at) * 1000)::int as held_ms,
           resolved_at = created_at as is_resolved, settled_at, released
         from authorizations where org_id = $1 and id = $2`,
        [org.id, id],
      );
      return rows[0] as unknown;
    };
    const expected = (keyId: string, profileId: string | null) => ({
      key_id: keyId,
      logical_model: 'm',
      prompt_tokens: 7,
      route_generation: 3,
      reserved_usd: 0.25,
      profile_id: profileId,
      lives_ms: LIVES_MS,
      held_ms: HELD_MS,
      is_resolved: profileId === null ? null : true,
      settled_at: null,
      released: false,
    });

    it.each([[null], ['a profile']])(
      'give each what was asked for, for all requests of a statement: %s',
      async (at) => {
        const keyId = await keyWith({ rate_limit_rps: RPS });
        const one = asked(at);
        const admitted = await service.app.get(AdmissionsService).admit(org.id, { ...one, keyId }, false);
        expect(admitted).toMatchObject({ outcome: 'authorized', id: one.id, routeGeneration: 3 });
        expect(await stored(one.id)).toEqual(expected(keyId, at));
      },
    );

    it('refuse a key after the clock was set back no longer than its rate does, and leave it its tokens', async () => {
      const keyId = await keyWith({ rate_limit_rps: 2 }, AHEAD);
      const admitted = () => service.app.get(AdmissionsService).admit(org.id, { ...asked('a profile'), keyId }, false);
      const refused = await admitted();
      expect(refused).toMatchObject({ outcome: 'rate', waitMs: 250 });
      const { rows } = await service.db.query(
        'select bucket_tokens::float8 as tokens, bucket_at <= clock_timestamp() as fills from inference_keys where id = $1',
        [keyId],
      );
      expect(rows).toEqual([{ tokens: 0.5, fills: true }]);
      await eventually(async () => expect(await admitted()).toMatchObject({ outcome: 'authorized' }));
    });

    it.each([[null], ['a profile']])('give each what was asked for, one request after the other: %s', async (at) => {
      const keyId = await keyWith({ rate_limit_rps: RPS }, 'bucket_tokens = 1, bucket_at = clock_timestamp()');
      const both = [asked(at), asked(at)].map((one, n) => ({
        place: n,
        id: one.id,
        request_id: `${n}-${one.requestId}`,
        logical_model: one.logicalModel,
        route_generation: one.routeGeneration,
        reserved_usd: '0.25',
        lives_ms: LIVES_MS,
        held_ms: HELD_MS,
        profile_id: at,
        prompt_tokens: 7,
      }));
      const { rows } = await service.db.query<{ outcome: string; wait_ms: number | null }>(
        'select outcome, wait_ms from admit_requests_one_by_one($1, $2, $3::json) order by place',
        [org.id, keyId, JSON.stringify(both)],
      );
      expect(rows.map(({ outcome }) => outcome)).toEqual(['authorized', 'rate']);
      expect(rows[1]?.wait_ms).toBeGreaterThan(400 / RPS);
      expect(rows[1]?.wait_ms).toBeLessThanOrEqual(1_000 / RPS);
      expect(await stored(both[0]?.id ?? '')).toEqual(expected(keyId, at));
      expect(await stored(both[1]?.id ?? '')).toBeUndefined();
    });
  });

  /** Open, and due. @returns its id and the one of its request */
  async function due(keyId: string, resolvedAt: string | null, released = false) {
    const [id, requestId] = [newId(), newId()];
    await service.db.query(
      `insert into authorizations (org_id, id, key_id, request_id, logical_model, route_generation, reserved_usd, created_at, expires_at,
         resolved_at, profile_id, held_until, settled_at, released)
       select $1, $2, $3, $4, 'm', 1, 0.5, at, at, case when $5::text is not null then at end, $5::text, at,
         case when $6 then at end, $6 from (select clock_timestamp() - interval '1 minute' as at) t`,
      [org.id, id, keyId, requestId, resolvedAt, released],
    );
    return { id, requestId };
  }

  it('give back what was reserved for requests that no worker has seen, and for no others', async () => {
    const keyId = await keyWith({ budget_usd: 5 }, 'reserved_usd = 1');
    const [sent, unsent] = [await due(keyId, 'a profile'), await due(keyId, null)];
    const expired = await service.app.get(UnitOfWork).system('a test gives reservations back', releaseUnused);
    expect(expired).toEqual({ closed: 1, heldKeys: [] });
    const { rows } = await service.db.query(
      'select id, settled_at is not null as is_settled, released from authorizations where key_id = $1',
      [keyId],
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: sent.id, is_settled: false, released: false },
        { id: unsent.id, is_settled: true, released: true },
      ]),
    );
    const { rows: money } = await service.db.query(
      'select reserved_usd::float8 as reserved, spent_usd::float8 as spent from inference_keys where id = $1',
      [keyId],
    );
    expect(money).toEqual([{ reserved: 0.5, spent: 0 }]);
  });

  describe('that find the key of a record', () => {
    /** Of a record with a key of its own and a cost, after its reporter knew a key or none. */
    async function attributed(one: { requestId: string }, own: string | null, reported: string | null) {
      await service.db.query(
        `insert into usage_records (org_id, request_id, occurred_at, key_id, logical_model, streamed, fallback_used, deadline_missed,
           cold_start_avoided_ms, cost_usd)
         values ($1, $2, clock_timestamp(), $3, 'm', false, false, false, 0, 0.5)`,
        [org.id, one.requestId, own],
      );
      await service.db.query('select attribute_usage(array[$1::uuid], array[$2], array[$3::uuid])', [
        org.id,
        one.requestId,
        reported,
      ]);
      const { rows } = await service.db.query<{ key: string | null; cost: number }>(
        'select key_id as key, cost_usd::float8 as cost from usage_records where org_id = $1 and request_id = $2',
        [org.id, one.requestId],
      );
      return rows[0];
    }

    it('take the one of its authorization, where the reporter knew none', async () => {
      const [keyId, other] = [await keyWith({}), await keyWith({})];
      expect(await attributed(await due(keyId, 'a profile'), null, null)).toEqual({ key: keyId, cost: 0.5 });
      expect(await attributed(await due(keyId, 'a profile'), other, null)).toEqual({ key: keyId, cost: 0.5 });
      expect(await attributed(await due(keyId, 'a profile'), other, other)).toEqual({ key: other, cost: 0.5 });
    });

    it('take the cost off it if its reservation was given back', async () => {
      const keyId = await keyWith({});
      expect(await attributed(await due(keyId, 'a profile', true), keyId, null)).toEqual({ key: keyId, cost: 0 });
      expect(await attributed(await due(keyId, 'a profile', true), null, null)).toEqual({ key: keyId, cost: 0 });
    });
  });
});
