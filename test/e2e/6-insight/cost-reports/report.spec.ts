import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { register } from '../../../support/artifacts';
import { askedAt, COSTS, podLived, saveRates, stayed, transferred } from '../../../support/costs';
import { saveRoute, targetsOf } from '../../../support/inference';
import { buildProfile, createProfile } from '../../../support/profiles';
import { experimentOf } from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { buildCluster, ok } from '../../../support/workloads';
import { HOUR, MINUTE } from '../../../support/durations';

interface Side {
  cost_usd: number;
  node_seconds: number;
  heavy_activation_count: number;
  heavy_active_duration_s: number;
}
interface Report {
  hours: number;
  baseline: Side;
  treatment: Side;
  treatment_idle_time_s: number;
  treatment_idle_cost: { starting_usd: number; warm_idle_usd: number; release_usd: number };
  treatment_cost_per_mtok: { held_usd: number | null; used_usd: number | null };
  treatment_escalation_rate: number;
  treatment_quality: { requests: number; refusal_rate: number; avg_ttft_ms: number | null; ttft_count: number };
  savings_usd: number;
  savings_pct: number;
  node_seconds_saved: number;
  treatment_release_latency_ms: number | null;
  variance: string | null;
  prices: { profile_id: string; node_hourly_usd: number; source: string }[];
}

const NOW = Date.now();
const ago = (ms: number) => NOW - ms;
const DAY_S = 24 * 3_600;
const NOTHING: Side = { cost_usd: 0, node_seconds: 0, heavy_activation_count: 0, heavy_active_duration_s: 0 };

describe('the cost report', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
    for (const id of ['large', 'small']) await createProfile(org, { profile_id: id });
  });

  const report = async (query = '', of = org): Promise<Report> =>
    ok(await of.viewer.get(`${COSTS}/report${query}`)).body as Report;
  const route = async (model: string, ...profileIds: string[]) =>
    ok(await saveRoute(org.operator, model, { targets: targetsOf(...profileIds) }));
  const used = (...requests: Partial<Request>[]) => {
    const usual = { logical_model: 'chat', profile_id: 'small', status_code: 200 };
    return writeRequests(service.db, org, ...requests.map((one) => buildRequest(ago(HOUR), { ...usual, ...one })));
  };
  const requests = (count: number, members: Partial<Request> = {}) =>
    used(...Array<Partial<Request>>(count).fill(members));
  const worked = (profileId: string, life: Parameters<typeof podLived>[3]) => podLived(org, clusterId, profileId, life);

  it('shows zeros, and null for undefined means, for an organisation without activity', async () => {
    expect(await report('', await service.organisation())).toEqual({
      hours: 24,
      baseline: NOTHING,
      treatment: NOTHING,
      treatment_idle_time_s: 0,
      treatment_idle_cost: { starting_usd: 0, warm_idle_usd: 0, release_usd: 0 },
      treatment_cost_per_mtok: { held_usd: null, used_usd: null },
      treatment_escalation_rate: 0,
      treatment_quality: { requests: 0, refusal_rate: 0, avg_ttft_ms: null, ttft_count: 0 },
      savings_usd: 0,
      savings_pct: 0,
      node_seconds_saved: 0,
      treatment_release_latency_ms: null,
      variance:
        'No unit prices are saved, so every amount is 0; 0 requests are fewer than 30: shares and means may be chance.',
      prices: [],
    });
  });

  it('is shown to its organisation only, and needs a token', async () => {
    await route('chat', 'large', 'small');
    await saveRates(org, 'large', { node: 3 });
    await worked('large', { scheduled: ago(HOUR), ready: ago(50 * MINUTE) });
    await requests(30);
    const other = await report('', await service.organisation());
    expect([other.baseline, other.treatment, other.prices]).toEqual([NOTHING, NOTHING, []]);
    expect((await service.as(undefined).get(`${COSTS}/report`)).status).toBe(401);
  });

  it('compares actual costs with the baseline', async () => {
    await route('chat', 'small', 'large');
    await saveRates(org, 'large', { node: 7.2 });
    await saveRates(org, 'small', { node: 0.72, transfer: 1 });
    await askedAt(service, org, 'large', ago(5 * HOUR), 1);
    await askedAt(service, org, 'large', ago(30 * MINUTE), 0);
    await worked('large', { scheduled: ago(60 * MINUTE), ready: ago(50 * MINUTE), stopped: ago(30 * MINUTE - 6_000) });
    await worked('small', { scheduled: ago(90 * MINUTE), ready: ago(80 * MINUTE), stopped: ago(60 * MINUTE) });
    await transferred(org, 'small', ago(80 * MINUTE), 500_000_000);
    await used(
      { profile_id: 'large', at: ago(50 * MINUTE), backend_ms: 90_000, prompt_tokens: 1_500, ttft_ms: 200 },
      { profile_id: 'small', at: ago(80 * MINUTE), backend_ms: 60_000, completion_tokens: 500, ttft_ms: 101 },
      { profile_id: 'small', at: ago(75 * MINUTE) },
      { profile_id: null, at: ago(75 * MINUTE), status_code: 503 },
    );
    const reported = await report();
    // 7.2 dollars an hour are 0.002 a second, 0.72 are 0.0002.
    const largeS = 30 * 60 + 6;
    const smallS = 30 * 60;
    const treatmentUsd = 0.002 * largeS + 0.0002 * smallS + 0.5;
    expect(reported.baseline).toEqual({
      cost_usd: 7.2 * 24,
      node_seconds: DAY_S,
      heavy_activation_count: 1,
      heavy_active_duration_s: DAY_S,
    });
    expect(reported.treatment).toEqual({
      cost_usd: expect.closeTo(treatmentUsd, 11),
      node_seconds: largeS + smallS,
      heavy_activation_count: 1,
      heavy_active_duration_s: 90,
    });
    expect(reported.treatment_idle_time_s).toBe(largeS - 90 + smallS - 60);
    expect(reported.treatment_idle_cost).toEqual({
      starting_usd: expect.closeTo(0.002 * 600 + 0.0002 * 600, 11),
      warm_idle_usd: expect.closeTo(0.002 * (1_200 - 90) + 0.0002 * (1_200 - 60), 11),
      release_usd: expect.closeTo(0.002 * 6, 11),
    });
    expect(reported.treatment_cost_per_mtok).toEqual({
      held_usd: expect.closeTo(((0.002 * largeS + 0.0002 * smallS) * 1e6) / 2_000, 6),
      used_usd: expect.closeTo(((0.002 * 90 + 0.0002 * 60) * 1e6) / 2_000, 6),
    });
    expect(reported.treatment_escalation_rate).toBe(1 / 4);
    expect(reported.treatment_quality).toEqual({
      requests: 4,
      refusal_rate: 1 / 4,
      avg_ttft_ms: (200 + 101) / 2,
      ttft_count: 2,
    });
    expect(reported.savings_usd).toBeCloseTo(7.2 * 24 - treatmentUsd, 11);
    expect(reported.savings_pct).toBeCloseTo((1 - treatmentUsd / (7.2 * 24)) * 100, 9);
    expect(reported.node_seconds_saved).toBe(DAY_S - largeS - smallS);
    expect(reported.treatment_release_latency_ms).toBe(6_000);
    expect(reported.prices.map(({ profile_id: id, node_hourly_usd: usd }) => [id, usd])).toEqual([
      ['large', 7.2],
      ['small', 0.72],
    ]);
  });

  describe('takes as the baseline', () => {
    it('takes as the baseline the dearest target of each route, once, however many routes it is in', async () => {
      const dear = (await createProfile(org, { profile_id: 'dear' })).profile_id;
      await saveRates(org, 'large', { node: 3 });
      await saveRates(org, 'small', { node: 1 });
      await saveRates(org, dear, { node: 5 });
      await route('chat', 'small', 'large');
      await route('code', 'large');
      expect((await report()).baseline).toMatchObject({
        cost_usd: 3 * 24,
        node_seconds: DAY_S,
        heavy_activation_count: 1,
      });
      await route('math', dear, 'large');
      expect((await report()).baseline).toMatchObject({
        cost_usd: (3 + 5) * 24,
        node_seconds: 2 * DAY_S,
        heavy_activation_count: 2,
        heavy_active_duration_s: 2 * DAY_S,
      });
    });

    it('takes the target that is tried first as the baseline if several have the same price', async () => {
      for (const id of ['large', 'small']) await saveRates(org, id, { node: 2 });
      await route('chat', 'small', 'large');
      await used({ profile_id: 'small' }, { profile_id: 'small' }, { profile_id: 'large' });
      await worked('large', { scheduled: ago(HOUR), failed: ago(50 * MINUTE) });
      const reported = await report();
      expect(reported.baseline).toMatchObject({ cost_usd: 2 * 24, node_seconds: DAY_S });
      expect(reported.treatment.heavy_activation_count).toBe(0);
      expect(reported.treatment_escalation_rate).toBeCloseTo(2 / 3, 12);
    });

    it('takes as the baseline a free target before one without rates', async () => {
      await saveRates(org, 'large', { node: 0 });
      await route('chat', 'small', 'large');
      await used({ profile_id: 'large' });
      expect((await report()).treatment_escalation_rate).toBe(1);
    });

    describe('does not take', () => {
      const targets = (isEnabled: boolean) => [
        { ...targetsOf('large')[0], enabled: isEnabled },
        { ...targetsOf('small')[0], priority: 2 },
      ];
      beforeEach(async () => {
        await saveRates(org, 'large', { node: 3 });
        await saveRates(org, 'small', { node: 1 });
        ok(await saveRoute(org.operator, 'chat', { targets: targets(true) }));
        await used({ profile_id: 'large' }, { profile_id: 'small' }, { profile_id: 'small' });
      });
      const saveLarge = async (members: JsonObject) =>
        ok(
          await org.operator.post('/v1/inference/profiles', buildProfile('large', { max_replicas: 1_000, ...members })),
        );
      const compared = async (query = '') => {
        const { baseline, treatment_escalation_rate: escalations } = await report(query);
        return [baseline.cost_usd, baseline.node_seconds, escalations];
      };

      it.each<[string, (isEnabled: boolean) => Promise<unknown>]>([
        ['target', async (isEnabled) => ok(await saveRoute(org.operator, 'chat', { targets: targets(isEnabled) }))],
        ['profile', (isEnabled) => saveLarge({ enabled: isEnabled })],
      ])(
        'does not take a disabled %s as the baseline, as if it were removed, until it is enabled',
        async (_, enable) => {
          expect(await compared()).toEqual([3 * 24, DAY_S, 1 / 3]);
          await enable(false);
          expect(await compared()).toEqual([1 * 24, DAY_S, 2 / 3]);
          expect(await compared('?profile_id=small')).toEqual([1 * 24, DAY_S, 1]);
          // No route targets it any more.
          expect(await compared('?profile_id=large')).toEqual([0, 0, 0]);
          await enable(true);
          expect(await compared()).toEqual([3 * 24, DAY_S, 1 / 3]);
        },
      );

      it('does not take anything of a route whose targets are all disabled', async () => {
        ok(await saveRoute(org.operator, 'chat', { targets: targets(true).slice(0, 1) }));
        await saveLarge({ enabled: false });
        expect(await compared()).toEqual([0, 0, 0]);
      });
    });

    it('takes as the baseline nothing of a route without targets', async () => {
      await saveRates(org, 'large', { node: 3 });
      await route('chat');
      const reported = await report();
      expect([reported.baseline, reported.savings_usd, reported.savings_pct]).toEqual([NOTHING, 0, 0]);
    });
  });

  it.each([
    ['more than the baseline', 1, 24 - 4 * 24, -300],
    ['as much', 4, 0, 0],
  ])('shows savings if %s was spent', async (_what, hourly, savings, percent) => {
    // Four workers for a day, at a dollar an hour each.
    await saveRates(org, 'large', { node: hourly });
    await saveRates(org, 'small', { node: 1 });
    await route('chat', 'large', 'small');
    for (let pods = 0; pods < 4; pods++) await worked('small', { scheduled: ago(30 * HOUR), ready: ago(29 * HOUR) });
    const reported = await report();
    expect([reported.savings_usd, reported.savings_pct, reported.node_seconds_saved]).toEqual([
      savings,
      percent,
      DAY_S - 4 * DAY_S,
    ]);
  });

  it('shows no savings if the baseline itself ran, to the last digit', async () => {
    await saveRates(org, 'large', { node: 1.006 });
    await route('chat', 'large');
    await worked('large', { scheduled: ago(30 * HOUR), ready: ago(29 * HOUR) });
    for (const ms of [1, 265, 7_777, 3_599_999]) {
      const id = await experimentOf(service, org, { since: ago(5 * HOUR), until: ago(5 * HOUR) + ms });
      const { baseline, treatment, savings_usd, savings_pct } = await report(`?experiment_id=${id}`);
      expect([baseline.cost_usd, treatment.node_seconds]).toEqual([
        Number(((1.006 * ms) / HOUR).toFixed(12)),
        ms / 1_000,
      ]);
      expect([ms, treatment.cost_usd, savings_usd, savings_pct]).toEqual([ms, baseline.cost_usd, 0, 0]);
    }
  });

  it('has no share of savings if the baseline is zero', async () => {
    await saveRates(org, 'small', { node: 1 });
    await worked('small', { scheduled: ago(30 * HOUR), ready: ago(29 * HOUR) });
    expect(await report()).toMatchObject({ savings_usd: -24, savings_pct: 0, node_seconds_saved: -DAY_S });
  });

  describe('counts requests by result', () => {
    it.each([
      [null, 0],
      [200, 0],
      [302, 0],
      [399, 0],
      [400, 1],
      [429, 1],
      [498, 1],
      // The client left.
      [499, 0],
      [500, 1],
      [503, 1],
    ])('counts a request with the status %j as refused in %d cases', async (status, refused) => {
      await used({ status_code: status }, { status_code: 200 }, { status_code: 200 }, { status_code: 200 });
      expect((await report()).treatment_quality.refusal_rate).toBe(refused / 4);
    });

    it('counts requests by their model: the dearest target of another route does not matter', async () => {
      await saveRates(org, 'large', { node: 3 });
      await route('chat', 'small', 'large');
      await route('code', 'small');
      await used(
        { logical_model: 'chat', profile_id: 'large' },
        { logical_model: 'chat', profile_id: 'small' },
        { logical_model: 'code', profile_id: 'small' },
        { logical_model: 'code', profile_id: 'large' },
        { logical_model: 'chat', profile_id: null, status_code: 503 },
      );
      expect((await report()).treatment_escalation_rate).toBe(2 / 5);
    });
  });

  describe('warns', () => {
    it.each([
      [0, '0 requests are fewer than 30: shares and means may be chance.'],
      [1, '1 request is fewer than 30: shares and means may be chance.'],
      [29, '29 requests are fewer than 30: shares and means may be chance.'],
      [30, null],
    ])('warns if there are too few requests: %d', async (count, sentence) => {
      await saveRates(org, 'small', { node: 1 });
      if (count > 0) await requests(count);
      expect((await report()).variance).toBe(sentence);
    });

    it('warns if amounts have no prices', async () => {
      await route('chat', 'large', 'small');
      await requests(30);
      await worked('large', { scheduled: ago(HOUR), failed: ago(50 * MINUTE) });
      const reported = await report();
      expect(reported.variance).toBe('No unit prices are saved, so every amount is 0.');
      expect(reported.baseline).toMatchObject({ cost_usd: 0, node_seconds: DAY_S });
      expect(reported).toMatchObject({ savings_usd: 0, savings_pct: 0, node_seconds_saved: DAY_S - 600 });
      expect(reported.prices).toMatchObject([{ profile_id: 'large', node_hourly_usd: 0, source: 'none' }]);
    });
  });

  it('compares what a profile served and used with the routes that target it', async () => {
    await saveRates(org, 'large', { node: 3 });
    await saveRates(org, 'small', { node: 1 });
    const dear = (await createProfile(org, { profile_id: 'dear' })).profile_id;
    await saveRates(org, dear, { node: 9 });
    await route('chat', 'small', 'large');
    await route('math', dear);
    await worked('large', { scheduled: ago(HOUR), failed: ago(50 * MINUTE) });
    await worked('small', { scheduled: ago(HOUR), failed: ago(40 * MINUTE) });
    await used({ profile_id: 'large' }, { profile_id: 'small', status_code: 500, ttft_ms: 30 }, { profile_id: dear });
    const small = await report('?profile_id=small');
    expect(small.baseline).toMatchObject({ cost_usd: 3 * 24, node_seconds: DAY_S, heavy_activation_count: 1 });
    expect(small.treatment).toEqual({
      cost_usd: expect.closeTo(1 / 3, 11),
      node_seconds: 20 * 60,
      heavy_activation_count: 0,
      heavy_active_duration_s: 0,
    });
    expect(small).toMatchObject({ treatment_escalation_rate: 0 });
    expect(small.treatment_quality).toEqual({ requests: 1, refusal_rate: 1, avg_ttft_ms: 30, ttft_count: 1 });
    expect(small.variance).toBe('1 request is fewer than 30: shares and means may be chance.');
    // The baseline used the price of another target.
    expect(small.prices.map(({ profile_id: id, node_hourly_usd: usd, source }) => [id, usd, source])).toEqual([
      ['large', 3, 'configured'],
      ['small', 1, 'configured'],
    ]);
    const large = await report('?profile_id=large');
    expect(large.treatment).toMatchObject({ node_seconds: 10 * 60, heavy_activation_count: 1 });
    expect(large.treatment_escalation_rate).toBe(1);
    const nobody = await report('?profile_id=nobody');
    expect([nobody.baseline, nobody.treatment, nobody.prices]).toEqual([NOTHING, NOTHING, []]);
  });

  describe('of an experiment', () => {
    beforeEach(async () => {
      await saveRates(org, 'large', { node: 3 });
      await saveRates(org, 'small', { node: 1 });
      const dear = (await createProfile(org, { profile_id: 'dear' })).profile_id;
      await saveRates(org, dear, { node: 9 });
      await route('chat', 'small', 'large');
      await route('math', dear);
      await worked('small', { scheduled: ago(3 * HOUR), ready: ago(2.9 * HOUR), stopped: ago(1.5 * HOUR) });
      await worked(dear, { scheduled: ago(3 * HOUR), ready: ago(2.9 * HOUR), stopped: ago(1.5 * HOUR) });
    });

    it('contains its time, and the requests that name it', async () => {
      const id = await experimentOf(service, org, { since: ago(2 * HOUR), until: ago(1 * HOUR) });
      await requests(30, { experiment_id: id, profile_id: 'large', at: ago(100 * MINUTE), prompt_tokens: 1 });
      await requests(7, { status_code: 500, at: ago(100 * MINUTE) });
      const reported = await report(`?experiment_id=${id}`);
      expect(reported.baseline).toEqual({
        cost_usd: 3 + 9,
        node_seconds: 2 * 3_600,
        heavy_activation_count: 2,
        heavy_active_duration_s: 2 * 3_600,
      });
      expect(reported.treatment).toMatchObject({ node_seconds: 2 * 30 * 60, cost_usd: 0.5 + 4.5 });
      expect(reported).toMatchObject({ hours: 24, treatment_escalation_rate: 1, savings_usd: 12 - 5, variance: null });
      expect(reported.treatment_quality.refusal_rate).toBe(0);
    });

    it('compares the profile of an experiment with the routes that target it', async () => {
      const id = await experimentOf(service, org, { since: ago(2 * HOUR), until: ago(1 * HOUR), profileId: 'small' });
      await used(
        { experiment_id: id, logical_model: 'math', profile_id: 'dear' },
        { experiment_id: id, profile_id: 'small' },
      );
      const reported = await report(`?experiment_id=${id}`);
      expect(reported.baseline).toMatchObject({ cost_usd: 3, node_seconds: 3_600, heavy_activation_count: 1 });
      expect(reported.treatment).toMatchObject({ cost_usd: 0.5, node_seconds: 30 * 60, heavy_activation_count: 0 });
      // Of every route, of which the dearest serves.
      expect(reported.treatment_escalation_rate).toBe(1 / 2);
    });

    it('contains the part in the window of an experiment that began before it', async () => {
      const id = await experimentOf(service, org, { since: ago(48 * HOUR), until: ago(1 * HOUR) });
      const reported = await report(`?experiment_id=${id}&hours=2`);
      // From two hours before the report, which is requested a little later than these times are computed.
      expect(reported.baseline.node_seconds).toBeLessThanOrEqual(2 * 3_600);
      expect(reported.baseline.node_seconds).toBeGreaterThan(2 * (3_600 - (Date.now() - NOW) / 1_000 - 1));
      expect(reported.baseline.heavy_activation_count).toBe(2);
    });

    it.each(['does not exist', 'belongs to another organisation'])(
      'is empty for an experiment that %s',
      async (what) => {
        const other = await service.organisation();
        const id =
          what === 'does not exist'
            ? newId()
            : await experimentOf(service, other, { since: ago(2 * HOUR), until: ago(HOUR) });
        await requests(3);
        const reported = await report(`?experiment_id=${id}`);
        expect(reported.baseline).toMatchObject({ cost_usd: 0, node_seconds: 0, heavy_active_duration_s: 0 });
        expect(reported.treatment).toEqual(NOTHING);
        expect(reported).toMatchObject({
          savings_usd: 0,
          savings_pct: 0,
          node_seconds_saved: 0,
          treatment_escalation_rate: 0,
        });
      },
    );
  });

  it('equals the sum of the breakdown', async () => {
    const key = ((await org.viewer.get('/v1/inference/profiles/large')).body as { compatibility_key: string })
      .compatibility_key;
    await saveRates(org, 'large', { node: 3.1415926, storage: 0.000123, transfer: 0.07 });
    await saveRates(org, 'small', { node: 0.577215, transfer: 0.013 });
    await route('chat', 'small', 'large');
    for (let nth = 1; nth <= 7; nth++) {
      const begun = ago(nth * HOUR + nth * 7_919);
      const profileId = nth % 3 === 0 ? 'large' : 'small';
      await askedAt(service, org, profileId, begun - 1_000, 1);
      await worked(profileId, { scheduled: begun, ready: begun + 97_003, stopped: begun + 17 * MINUTE + nth });
      await transferred(org, profileId, begun, 10 ** 9 + nth * 7_777_777);
      await used({
        profile_id: profileId,
        at: begun + 100_000,
        backend_ms: 31_337 * nth,
        prompt_tokens: nth,
        completion_tokens: 13,
      });
      await askedAt(service, org, profileId, begun + 16 * MINUTE, 0);
    }
    const artifact = await register(
      org,
      { profile_id: 'large', compatibility_key: key },
      { physical_bytes: 12_345_678_901 },
    );
    await org.operator.delete(`/v1/inference/artifacts/${artifact.body.artifact_id}`);
    await stayed(service, org.id, artifact.body.artifact_id as string, [ago(5 * HOUR), ago(2 * HOUR + 1)]);

    const rows = ok(await org.viewer.get(`${COSTS}/breakdown`)).body as JsonObject[];
    const sum = (of: (row: any) => number) => rows.reduce((total, row) => total + of(row), 0); // oxlint-disable-line typescript/no-explicit-any -- tests look into it freely
    const reported = await report();
    expect(reported.treatment.cost_usd).toBeCloseTo(
      sum((row) => row.total_usd),
      12,
    );
    expect(reported.treatment.cost_usd).toBeCloseTo(
      sum((row) => row.compute_usd + row.storage_usd + row.transfer_usd),
      12,
    );
    expect(reported.treatment.node_seconds).toBeCloseTo(
      sum((row) => row.node_seconds),
      9,
    );
    expect(reported.treatment_idle_time_s).toBeCloseTo(
      sum((row) => row.idle_time_s),
      9,
    );
    for (const part of ['starting_usd', 'warm_idle_usd', 'release_usd'] as const)
      expect(reported.treatment_idle_cost[part]).toBeCloseTo(
        sum((row) => row.idle_cost[part]),
        12,
      );
    const tokens = sum((row) => row.tokens_served);
    expect(tokens).toBe(1 + 2 + 3 + 4 + 5 + 6 + 7 + 7 * 13);
    expect(reported.treatment_cost_per_mtok.held_usd).toBeCloseTo((sum((row) => row.compute_usd) * 1e6) / tokens, 6);
    // Idle plus used equals paid.
    const idle = Object.values(reported.treatment_idle_cost).reduce((total, usd) => total + usd, 0);
    const usedUsd = ((reported.treatment_cost_per_mtok.used_usd ?? NaN) * tokens) / 1e6;
    expect(idle + usedUsd).toBeCloseTo(
      sum((row) => row.compute_usd),
      9,
    );
    expect(reported.treatment_release_latency_ms).toBe((7 * MINUTE + (1 + 2 + 3 + 4 + 5 + 6 + 7)) / 7);
    expect(reported.prices).toEqual(rows.map((row) => row.price));
    // Each profile alone, too.
    for (const id of ['large', 'small']) {
      const one = await report(`?profile_id=${id}`);
      const row = rows.find(({ profile_id: of }) => of === id);
      expect([one.treatment.cost_usd, one.treatment.node_seconds]).toEqual([row?.total_usd, row?.node_seconds]);
    }
  });

  describe('covers hours', () => {
    it.each([
      ['', 24],
      ['?hours=1', 1],
      ['?hours=2160', 2_160],
      ['?hours=2161', 2_160],
      ['?hours=99999999999999999999', 2_160],
    ])('covers the hours of the query %j', async (query, hours) => {
      await route('chat', 'large');
      await saveRates(org, 'large', { node: 0.5 });
      const reported = await report(query);
      expect([reported.hours, reported.baseline.node_seconds, reported.baseline.cost_usd]).toEqual([
        hours,
        hours * 3_600,
        hours * 0.5,
      ]);
    });

    it.each(['0', '-1', 'abc', '1.5'])('refuses hours of %j', async (hours) => {
      const { status, body } = await org.viewer.get(`${COSTS}/report?hours=${hours}`);
      expect([status, (body as JsonObject).errors]).toEqual([400, [expect.objectContaining({ field: 'hours' })]]);
    });

    it('refuses an experiment without a valid id', async () => {
      expect((await org.viewer.get(`${COSTS}/report?experiment_id=first`)).status).toBe(400);
    });
  });
});
