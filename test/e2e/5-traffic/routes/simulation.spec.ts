import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { saveRoute, targetsOf } from '../../../support/inference';
import { buildEvent, createProfile, report, reportEvent } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';
import { buildCluster } from '../../../support/workloads';
import { MINUTE } from '../../../support/durations';

const SIMULATE = '/v1/inference/routes/simulate';
const NOW = Date.now();

describe('the simulation of a route', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  let model: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    clusterId = await buildCluster(org);
  });
  afterAll(() => service.close());
  beforeEach(() => {
    model = `model-${newId()}`;
  });

  const LOAD = { requests_per_hour: 120, deadline_ms: 10_000, cold_share: 0.1, restore_share: 0.2 };
  const ask = (overrides: JsonObject = {}, of = org.viewer): Promise<Answer> =>
    of.post(SIMULATE, { logical_model: model, ...LOAD, ...overrides });
  const simulate = async (overrides: JsonObject = {}): Promise<JsonObject> => {
    const { status, body } = await ask(overrides);
    expect([status, (body as JsonObject).logical_model]).toEqual([200, model]);
    return body as JsonObject;
  };
  const profile = async (overrides: JsonObject = {}) => (await createProfile(org, overrides)).profile_id;
  const route = async (profileIds: readonly string[], overrides: JsonObject = {}) =>
    expect((await saveRoute(org.operator, model, { targets: targetsOf(...profileIds), ...overrides })).status).toBe(
      200,
    );

  /** A worker that took this long to be ready, as events report; it is gone by now. */
  async function started(
    profileId: string,
    tookMs: number | null,
    kind: 'cold' | 'restore' = 'cold',
    more: string[] = [],
  ) {
    const workload_uid = newId();
    const began = NOW - 30 * MINUTE;
    const send = async (name: string, at: number, overrides: JsonObject = {}) => {
      const event = { kind: name, workload_uid, occurred_at: new Date(at).toISOString(), ...overrides };
      expect((await reportEvent(org.controller, buildEvent(clusterId, profileId, event))).status).toBe(204);
    };
    await send('worker.scheduled', began);
    const payload = { restore_checkpoint_path: `s3://checkpoints/${profileId}` };
    if (kind === 'restore') await send('worker.restoring', began, { payload });
    for (const name of more) await send(name, began + 1);
    if (tookMs !== null) await send('model.ready', began + tookMs);
    await send('worker.stopped', began + 20 * MINUTE);
  }
  const measured = async (profileId: string, cold: readonly number[], restore: readonly number[] = []) => {
    for (const tookMs of cold) await started(profileId, tookMs);
    for (const tookMs of restore) await started(profileId, tookMs, 'restore');
  };

  it('projects the measured starts of its first target', async () => {
    const first = await profile({ estimated_cold_start_ms: 1 });
    await route([first, await profile()]);
    // Of four, the second is the median; of five, the third.
    await measured(first, [90_000, 40_000, 60_000, 70_000], [3_000, 9_000, 2_000, 30_000, 4_000]);
    expect(await simulate()).toEqual({
      logical_model: model,
      evidence: 'measured',
      requests_per_hour: 120,
      cold_share: 0.1,
      restore_share: 0.2,
      projected_p50_ms: 0,
      projected_deadline_miss_rate: 0.1,
      projected_fallback_rate: 0.1,
      projected_cold_p50_ms: 60_000,
      projected_restore_p50_ms: 4_000,
    });
  });

  describe('depends on', () => {
    let first: string;
    beforeAll(async () => {
      first = await profile();
      await measured(first, [60_000], [4_000]);
    });
    beforeEach(async () => {
      await route([first, await profile()]);
    });

    it.each<[string, JsonObject, number]>([
      ['requests, half of which find a worker', { cold_share: 0.3, restore_share: 0.2 }, 0],
      ['requests, more than half of which wait for at most a restore', { cold_share: 0.3, restore_share: 0.21 }, 4_000],
      ['requests, half of which wait for a cold start', { cold_share: 0.5, restore_share: 0.5 }, 4_000],
      ['requests, more than half of which wait for a cold start', { cold_share: 0.51, restore_share: 0 }, 60_000],
      ['requests that all wait for a cold start', { cold_share: 1, restore_share: 0 }, 60_000],
      ['requests of which none waits', { cold_share: 0, restore_share: 0 }, 0],
    ])('depends on %s', async (_what, shares, p50) => {
      expect(await simulate(shares)).toMatchObject({ ...shares, projected_p50_ms: p50, evidence: 'measured' });
    });

    it.each<[number, number]>([
      [0, 0.3],
      [3_999, 0.3],
      [4_000, 0.1],
      [59_999, 0.1],
      [60_000, 0],
      [Number.MAX_SAFE_INTEGER, 0],
    ])('depends on a deadline of %d ms', async (deadline_ms, missed) => {
      const reported = await simulate({ deadline_ms });
      expect(reported.projected_deadline_miss_rate).toBeCloseTo(missed, 12);
      // A route with a wait of half a minute sends requests that need a cold start to the next target.
      expect(reported.projected_fallback_rate).toBeCloseTo(Math.max(missed, 0.1), 12);
    });

    it('depends on the maximal wait of the route', async () => {
      const rates = async (queue_timeout_ms: number) => {
        await saveRoute(org.operator, model, { queue_timeout_ms });
        const { projected_deadline_miss_rate: missed, projected_fallback_rate: fallback } = await simulate({
          deadline_ms: 100_000,
        });
        return [missed, Number(fallback).toFixed(9)];
      };
      expect(await rates(0)).toEqual([0, '0.300000000']);
      expect(await rates(4_000)).toEqual([0, '0.100000000']);
      expect(await rates(60_000)).toEqual([0, '0.000000000']);
    });

    it('depends on the existence of another target', async () => {
      await route([first]);
      expect(await simulate()).toMatchObject({ projected_fallback_rate: 0, projected_deadline_miss_rate: 0.1 });
    });

    it('depends on the order of the targets, and within one priority on the order of their names', async () => {
      const other = await profile({ estimated_cold_start_ms: 777 });
      const targets = (...priorities: readonly [string, number][]) =>
        route([], {
          targets: priorities.map(([profile_id, priority]) => ({ profile_id, tier: profile_id, priority })),
        });
      await targets([other, 2], [first, 1]);
      expect(await simulate()).toMatchObject({ projected_cold_p50_ms: 60_000 });
      await targets([other, 1], [first, 1]);
      expect(await simulate()).toMatchObject({ projected_cold_p50_ms: 777 });
    });
  });

  describe('uses', () => {
    const OFTEN = { cold_share: 0.2, restore_share: 0.6 };

    it('uses an estimate if nothing was measured', async () => {
      await route([await profile({ estimated_cold_start_ms: 45_000 }), await profile()]);
      expect(await simulate(OFTEN)).toMatchObject({
        evidence: 'estimated',
        // An unmeasured restore takes as long as a cold start.
        projected_p50_ms: 45_000,
        projected_deadline_miss_rate: 0.2 + 0.6,
        projected_cold_p50_ms: 45_000,
        projected_restore_p50_ms: null,
      });
    });

    it('uses nothing without measurements and estimates', async () => {
      await route([await profile(), await profile({ estimated_cold_start_ms: 45_000 })]);
      expect(await simulate(OFTEN)).toMatchObject({
        evidence: 'none',
        projected_p50_ms: 0,
        projected_deadline_miss_rate: 0.2 + 0.6,
        projected_fallback_rate: 0.2 + 0.6,
        projected_cold_p50_ms: null,
        projected_restore_p50_ms: null,
      });
    });

    it('uses nothing for a route without targets', async () => {
      await route([]);
      expect(await simulate(OFTEN)).toMatchObject({
        evidence: 'none',
        projected_p50_ms: 0,
        projected_deadline_miss_rate: 0.2 + 0.6,
        projected_fallback_rate: 0,
        projected_cold_p50_ms: null,
      });
    });

    it('measured cold starts without measured restores', async () => {
      const first = await profile({ estimated_cold_start_ms: 1 });
      await measured(first, [50_000]);
      await route([first]);
      expect(await simulate(OFTEN)).toMatchObject({ evidence: 'estimated', projected_p50_ms: 50_000 });
      expect(await simulate({ cold_share: 0.6, restore_share: 0 })).toMatchObject({ evidence: 'measured' });
    });

    it('measured restores with the estimate of cold starts', async () => {
      const first = await profile({ estimated_cold_start_ms: 80_000 });
      await measured(first, [], [5_000]);
      await route([first]);
      const cold = { projected_cold_p50_ms: 80_000, projected_restore_p50_ms: 5_000 };
      expect(await simulate(OFTEN)).toMatchObject({ evidence: 'estimated', projected_p50_ms: 5_000, ...cold });
      expect(await simulate({ cold_share: 0 })).toMatchObject({ evidence: 'measured', ...cold });
    });

    it('only starts that served and whose beginning is known', async () => {
      const first = await profile();
      await started(first, null, 'cold', ['worker.failed']);
      await started(first, null, 'restore');
      expect((await report(org.controller, first)).status).toBe(204);
      await route([first]);
      expect(await simulate()).toMatchObject({ evidence: 'none', projected_cold_p50_ms: null });
    });

    it('uses a start with a failed restore as a cold start', async () => {
      const first = await profile();
      await started(first, 70_000, 'restore', ['restore.failed']);
      await route([first]);
      expect(await simulate()).toMatchObject({ projected_cold_p50_ms: 70_000, projected_restore_p50_ms: null });
    });
  });

  it('changes nothing', async () => {
    const first = await profile();
    await measured(first, [60_000], [4_000]);
    await route([first, await profile()]);
    const { rows: tables } = await service.db.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'org_id'
       and table_name not in (select viewname from pg_views) order by table_name`,
    );
    const state = async () => {
      const found: Record<string, string> = {};
      for (const { name } of tables) {
        const { rows } = await service.db.query<{ digest: string }>(
          // A token records its last use.
          `select count(*) || ' ' || md5(coalesce(string_agg((to_jsonb(t) - 'last_used_at')::text, ',' order by t::text), '')) as digest
           from ${name} t where org_id = $1`,
          [org.id],
        );
        found[name] = rows[0]?.digest ?? '';
      }
      return found;
    };
    const before = await state();
    expect(Object.keys(before)).toEqual(expect.arrayContaining(['capacity_asks', 'routes', 'starts', 'usage_records']));
    await simulate();
    await simulate({ cold_share: 1, restore_share: 0, deadline_ms: 0 });
    expect(await state()).toEqual(before);
  });

  it.each(['viewer', 'operator', 'controller', 'admin'] as const)('may be requested by a %s', async (role) => {
    await route([await profile()]);
    expect((await ask({}, org[role])).status).toBe(200);
  });

  it('is refused to other organisations, and without a token', async () => {
    await route([await profile()]);
    const foreign = await ask({}, (await service.organisation()).viewer);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'model_not_found']);
    expect((await ask({}, service.as(undefined))).status).toBe(401);
  });

  it('answers 404 for an unknown model', async () => {
    const { status, body } = await ask();
    expect([status, body.code]).toEqual([404, 'model_not_found']);
  });

  const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
    [
      'shares that exceed 1 together',
      { cold_share: 0.6, restore_share: 0.5 },
      'restore_share',
      'must be at most 1 together with cold_share',
    ],
    ['a negative share of cold starts', { cold_share: -0.1 }, 'cold_share', 'must be at least 0'],
    ['a share of cold starts above 1', { cold_share: 1.01 }, 'cold_share', 'must be at most 1'],
    ['a negative share of restores', { restore_share: -0.1 }, 'restore_share', 'must be at least 0'],
    ['a share of restores above 1', { restore_share: 2 }, 'restore_share', 'must be at most 1'],
    ['a negative deadline', { deadline_ms: -1 }, 'deadline_ms', 'must be at least 0'],
    ['a negative number of requests', { requests_per_hour: -1 }, 'requests_per_hour', 'must be at least 0'],
    ['a missing share', { cold_share: undefined }, 'cold_share', 'is required'],
    ['a share that is null', { restore_share: null }, 'restore_share', 'must not be null'],
    ['a share that is a string', { restore_share: '0.5' }, 'restore_share', 'must be a number'],
    ['a missing deadline', { deadline_ms: undefined }, 'deadline_ms', 'is required'],
    ['a missing load', { requests_per_hour: undefined }, 'requests_per_hour', 'is required'],
    ['a missing model', { logical_model: undefined }, 'logical_model', 'is required'],
    ['an unknown member', { warm_share: 0.1 }, 'warm_share', 'is not a member of this body'],
  ];
  it.each(REFUSED)('refuses %s', async (_what, body, field, message) => {
    await route([]);
    const answer = await ask(body);
    expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]]);
  });

  it('accepts shares that add up to 1, although their doubles do not', async () => {
    await route([]);
    // 0.7 + 0.1 + 0.2 is less than 1, 0.9 + 0.1000000000000001 is more.
    expect((await ask({ cold_share: 0.9, restore_share: 0.1000000000000001 })).status).toBe(200);
    expect((await ask({ cold_share: 1, restore_share: 0 })).status).toBe(200);
    expect((await ask({ cold_share: 1, restore_share: 0.001 })).status).toBe(400);
  });
});
