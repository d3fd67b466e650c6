import { newId } from '../../../../src/1-platform/common/ids';
import { COSTS, costRows, podLived, reportedLived, saveRates, transferred, windowOfAll } from '../../../support/costs';
import { DAY, HOUR, MINUTE } from '../../../support/durations';
import { saveRoute, targetsOf } from '../../../support/inference';
import { createProfile } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';
import { buildRequest, writeRequests } from '../../../support/usage-records';
import type { CostRow } from '../../../../src/6-insight/cost-reports/cost-breakdown.queries';

const QUARTER = 15 * MINUTE;

describe('the unit prices of the past', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;
  const now = Date.now();
  const today = Math.floor(now / DAY) * DAY;
  /** It crosses the midnight before yesterday. */
  const life = { scheduled: today - 2 * DAY, ready: today - 2 * DAY + HOUR, stopped: today - 2 * HOUR };

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
    profileId = (await createProfile(org, { profile_id: `p-${newId()}` })).profile_id;
  });

  const past = async () =>
    (
      await service.db.query(
        `select until, node_hourly_usd::float8 as node, storage_gb_hour_usd::float8 as storage, transfer_gb_usd::float8 as transfer
         from past_cost_rates where org_id = $1 and profile_id = $2 order by until`,
        [org.id, profileId],
      )
    ).rows as { until: Date; node: number; storage: number; transfer: number }[];
  /** As if the last change had been saved at another time. */
  const changedAt = async (at: number, of = profileId) => {
    const { rowCount } = await service.db.query(
      `update past_cost_rates p set until = $3 where org_id = $1 and profile_id = $2
         and until = (select max(until) from past_cost_rates where org_id = $1 and profile_id = $2)`,
      [org.id, of, new Date(at)],
    );
    expect(rowCount).toBe(1);
  };
  const days = async () =>
    ((await org.viewer.get(`${COSTS}/daily?days=3`)).body as { days: { compute_usd: number; total_usd: number }[] })
      .days;
  const row = async (from: number, to: number, of = profileId) =>
    (await costRows(service, org.id, windowOfAll(from, to))).find(({ profile_id: id }) => id === of)!;

  it('are kept when others are saved, and only then', async () => {
    await saveRates(org, profileId, { node: 2, storage: 3, transfer: 4 });
    await saveRates(org, profileId, { node: 2, storage: 3, transfer: 4 });
    expect(await past()).toEqual([]);
    await saveRates(org, profileId, { node: 2, storage: 3, transfer: 5 });
    expect(await past()).toMatchObject([{ node: 2, storage: 3, transfer: 4 }]);
    // As a replica of the previous release saves them.
    await service.db.query('update cost_rates set node_hourly_usd = 7 where profile_id = $1', [profileId]);
    expect(await past()).toMatchObject([{ transfer: 4 }, { node: 2, transfer: 5 }]);
  });

  it('are kept one after the other, however many are saved at once', async () => {
    await saveRates(org, profileId, { node: 1 });
    await Promise.all(Array.from({ length: 12 }, (_, place) => saveRates(org, profileId, { node: 2 + place })));
    const { rows } = await service.db.query<{ node: number }>(
      'select node_hourly_usd::float8 as node from cost_rates where profile_id = $1',
      [profileId],
    );
    const all = [...(await past()).map(({ node }) => node), rows[0]?.node];
    // Those of one millisecond count once.
    expect(all[0]).toBe(1);
    expect(new Set(all).size).toBe(all.length);
  });

  it('leave the costs of a day as they were when prices change on the next', async () => {
    await saveRates(org, profileId, { node: 2 });
    await reportedLived(service, org, profileId, life);
    const before = await days();
    expect(before[0]?.compute_usd).toBeCloseTo(2 * 24, 9);
    await saveRates(org, profileId, { node: 10 });
    await changedAt(today - DAY + 6 * HOUR + 5 * MINUTE);
    const [first, second] = await days();
    expect(first).toEqual(before[0]);
    expect(second?.compute_usd).toBeCloseTo(2 * 6 + 10 * 16, 9);
    const rows = (await org.viewer.get(`${COSTS}/breakdown?hours=72`)).body as {
      compute_usd: number;
      node_seconds: number;
      price: object;
    }[];
    expect(rows).toMatchObject([{ node_seconds: (46 * HOUR) / 1_000, price: { node_hourly_usd: 10 } }]);
    expect(rows[0]?.compute_usd).toBeCloseTo(2 * 30 + 10 * 16, 9);
  });

  it('are those before the quarter of an hour in which others are saved', async () => {
    await reportedLived(service, org, profileId, life);
    const [from, to] = [today - DAY, today - DAY + HOUR];
    await saveRates(org, profileId, { node: 1 });
    await saveRates(org, profileId, { node: 5 });
    for (const [at, usd] of [
      [from + QUARTER, 0.25 + 3.75],
      [from + 2 * QUARTER - 1, 0.25 + 3.75],
      [from + 2 * QUARTER, 0.5 + 2.5],
      [from - 1, 5],
      [from, 5],
      [to - 1, 0.75 + 1.25],
      [to, 1],
    ] as const) {
      await changedAt(at);
      expect([at - from, (await row(from, to)).compute_usd]).toEqual([at - from, usd.toFixed(12)]);
    }
    // Of several in one quarter, the last ones apply from its beginning on.
    await saveRates(org, profileId, { node: 9 });
    await changedAt(from + QUARTER + 2);
    await service.db.query(`update past_cost_rates set until = $2 where profile_id = $1 and node_hourly_usd = 1`, [
      profileId,
      new Date(from + QUARTER + 1),
    ]);
    expect((await row(from, to)).compute_usd).toBe((0.25 + 9 * 0.75).toFixed(12));
  });

  describe('of an organisation with all kinds of costs', () => {
    const [from, cut, to] = [today - 2 * DAY, today - DAY + 3 * QUARTER, today - 3 * HOUR];
    let other: string;
    beforeEach(async () => {
      other = (await createProfile(org, { profile_id: `q-${newId()}` })).profile_id;
      const model = `m-${newId()}`;
      await saveRoute(org.operator, model, { targets: targetsOf(profileId, other) });
      const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: newId() })).text;
      await podLived(org, clusterId, profileId, { scheduled: from + HOUR, ready: from + 2 * HOUR, stopped: to - HOUR });
      await podLived(org, clusterId, other, { scheduled: from, ready: from + HOUR });
      for (const at of [from + 3 * HOUR, cut - 10 * MINUTE, cut + HOUR, to - 2 * HOUR]) {
        await transferred(org, profileId, at, 3_000_000_000);
        await writeRequests(
          service.db,
          org,
          buildRequest(at, { profile_id: profileId, logical_model: model, backend_ms: 1_200_000, prompt_tokens: 7 }),
          buildRequest(at, {
            profile_id: other,
            meant_for_profile_id: profileId,
            logical_model: model,
            fallback_used: true,
            backend_ms: 600_000,
          }),
        );
      }
      await saveRates(org, profileId, { node: 2, storage: 1, transfer: 3 });
      await saveRates(org, other, { node: 4 });
    });

    const AMOUNTS = [
      'compute_usd',
      'transfer_usd',
      'fallback_usd',
      'used_usd',
      'warm_idle_usd',
      'starting_usd',
    ] as const;
    const numbers = (one: CostRow) => AMOUNTS.map((name) => [name, Number(one[name])] as const);

    it('apply to each part of a window, and the rest of its figures stays', async () => {
      const before = { whole: await row(from, to), first: await row(from, cut), second: await row(cut, to) };
      await saveRates(org, profileId, { node: 6, storage: 1, transfer: 9 });
      await saveRates(org, other, { node: 20 });
      for (const id of [profileId, other]) await changedAt(cut + MINUTE, id);
      expect(await row(from, cut)).toEqual({ ...before.first, ...(await presentPrices()) });
      const whole = await row(from, to);
      const times: Record<string, number> = { transfer_usd: 3, fallback_usd: 5 };
      for (const [place, [name, usd]] of numbers(before.second).entries()) {
        const [, first = NaN] = numbers(before.first)[place] ?? [];
        expect([name, usd > 0 || name === 'starting_usd']).toEqual([name, true]);
        expect([name, Number(whole[name])]).toEqual([name, expect.closeTo(first + usd * (times[name] ?? 3), 9)]);
      }
      const same = ['activation_count', 'tokens', 'node_ms', 'active_ms', 'idle_ms', 'releases', 'release_latency_ms'];
      for (const name of same) expect([name, whole[name]]).toEqual([name, before.whole[name]]);
    });
    const presentPrices = async () => {
      const { node_hourly_usd, storage_gb_hour_usd, transfer_gb_usd, priced_at } = await row(cut, to);
      return { node_hourly_usd, storage_gb_hour_usd, transfer_gb_usd, priced_at };
    };

    it('apply to the report: the baseline at their mean, the treatment part by part', async () => {
      await saveRates(org, other, { node: 20 });
      await changedAt(now - 36 * HOUR, other);
      const { body } = await org.viewer.get(`${COSTS}/report?hours=48`);
      const changed = Math.floor((now - 36 * HOUR) / QUARTER) * QUARTER;
      const report = body as { baseline: { cost_usd: number }; treatment: { cost_usd: number }; prices: object[] };
      // The other one is the dearest target, by its mean. The window moves on with the clock.
      const baseline = (4 * (changed - (now - 48 * HOUR)) + 20 * (now - changed)) / HOUR;
      expect(Math.abs(report.baseline.cost_usd - baseline)).toBeLessThan(1);
      const rows = (await org.viewer.get(`${COSTS}/breakdown?hours=48`)).body as { total_usd: number }[];
      expect(Math.abs(report.treatment.cost_usd - rows.reduce((sum, one) => sum + one.total_usd, 0))).toBeLessThan(1);
      expect(report.prices).toMatchObject([{ node_hourly_usd: 2 }, { node_hourly_usd: 20 }]);
    });

    it('cost the mean of their time where they changed too often', async () => {
      await service.db.query(
        `insert into past_cost_rates (org_id, profile_id, until, node_hourly_usd, storage_gb_hour_usd, transfer_gb_usd)
         select $1, $2, timestamptz '1970-01-01 00:00:00Z' + ($3::bigint + n * 900000) * interval '1 millisecond', n % 2, 0, 0
         from generate_series(1, 100) n`,
        [org.id, other, from],
      );
      // Of 100 quarters of an hour, every second one costs a dollar an hour; then they cost four.
      const whole = await row(from, to, other);
      expect(Number(whole.compute_usd)).toBeCloseTo(50 * 0.25 + 4 * ((to - from - 100 * QUARTER) / HOUR), 9);
    });
  });

  it('go when no report reaches back to them', async () => {
    await saveRates(org, profileId, { node: 1 });
    for (const node of [2, 3]) await saveRates(org, profileId, { node });
    await service.db.query(
      "update past_cost_rates set until = until - interval '401 days' where profile_id = $1 and node_hourly_usd = 1",
      [profileId],
    );
    await service.sweep('old rows');
    expect((await past()).map(({ node }) => node)).toEqual([2]);
  });
});
