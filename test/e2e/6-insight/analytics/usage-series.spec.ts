import { newId } from '../../../../src/1-platform/common/ids';
import { BUCKETS } from '../../../../src/6-insight/analytics/usage-series.dto';
import { authorized, buildModel, issueKey, resolve, routersSee, sendTelemetry } from '../../../support/inference';
import { report } from '../../../support/profiles';
import {
  ask,
  asked,
  databaseNow,
  expectRefused,
  expectUnauthenticated,
  REFUSED,
  type Query,
} from '../../../support/reports';
import { Service, type Organisation } from '../../../support/service';
import { buildRequest, writeRequests } from '../../../support/usage-records';
import { HOUR } from '../../../support/durations';

const PATH = 'usage/series';
const NOTHING = {
  requests: 0,
  successes: 0,
  fallbacks: 0,
  deadline_misses: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cold_start_avoided_ms: 0,
  avg_backend_ms: null,
  avg_routing_ms: null,
  avg_ttft_ms: null,
};
interface BucketOfTests {
  bucket: string;
  requests: number;
}

describe('GET /v1/inference/usage/series', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const series = async (query: Query = {}, of = org) => (await asked(of.viewer, PATH, query)) as BucketOfTests[];
  /** Buckets that are not empty. */
  const used = async (query: Query = {}, of = org) => (await series(query, of)).filter(({ requests }) => requests > 0);
  const write = (...requests: Parameters<typeof buildRequest>[]) =>
    writeRequests(service.db, org, ...requests.map((one) => buildRequest(...one)));
  const bucketAt = (at: number) => new Date(at).toISOString();
  /** The beginning of the hour this many hours before the present one. */
  const hoursAgo = async (hours: number) => Math.floor((await databaseNow(service)) / HOUR) * HOUR - hours * HOUR;

  /** Consecutive, of one length, from the first bucket that the window touches to the last. */
  async function expectWindow(query: { hours?: number; bucket?: keyof typeof BUCKETS }, hours: number): Promise<void> {
    const length = BUCKETS[query.bucket ?? '1h'] * 1_000;
    const floor = (at: number) => Math.floor(at / length) * length;
    const before = await databaseNow(service);
    const buckets = await series(query);
    const after = await databaseNow(service);
    const times = buckets.map(({ bucket }) => Date.parse(bucket));
    const [first = NaN, last = NaN] = [times[0], times.at(-1)];
    expect(times).toEqual(times.map((_, place) => first + place * length));
    expect(first).toBeGreaterThanOrEqual(floor(before - hours * HOUR));
    expect(first).toBeLessThanOrEqual(floor(after - hours * HOUR));
    expect(last).toBeGreaterThanOrEqual(floor(before - 1));
    expect(last).toBeLessThanOrEqual(floor(after));
  }

  it('has 24 empty hours without requests', async () => {
    const buckets = await series();
    expect(buckets.length === 24 || buckets.length === 25).toBe(true);
    expect(buckets).toEqual(buckets.map(({ bucket }) => ({ ...NOTHING, bucket })));
    expect(buckets[0]?.bucket).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
    await expectWindow({}, 24);
  });

  it('covers the requested window, at most 90 days', async () => {
    await expectWindow({ hours: 1 }, 1);
    await expectWindow({ hours: 48 }, 48);
    await expectWindow({ hours: 2_160, bucket: '6h' }, 2_160);
    await expectWindow({ hours: 99_999, bucket: '6h' }, 2_160);
    await expectWindow({ hours: Number.MAX_SAFE_INTEGER, bucket: '1d' }, 2_160);
  });

  it.each(Object.keys(BUCKETS) as (keyof typeof BUCKETS)[])('has buckets of %s', async (bucket) => {
    const length = BUCKETS[bucket] * 1_000;
    const now = await databaseNow(service);
    const border = Math.floor((now - 1_000) / length) * length;
    // The last millisecond of a bucket, the first one of the next, and a little later.
    await write([border - 1, { ttft_ms: 10 }], [border, { ttft_ms: 20 }], [border + 1, { ttft_ms: 31 }]);
    await expectWindow({ hours: 30, bucket }, 30);
    expect(await used({ hours: 30, bucket })).toEqual([
      { ...NOTHING, bucket: bucketAt(border - length), requests: 1, successes: 1, avg_ttft_ms: 10 },
      { ...NOTHING, bucket: bucketAt(border), requests: 2, successes: 2, avg_ttft_ms: (20 + 31) / 2 },
    ]);
  });

  it.each([
    ['1m', 33, 34],
    ['5m', 166, 167],
    ['15m', 500, 501],
  ] as const)('returns at most 2,000 whole buckets of %s', async (bucket, most, tooMany) => {
    const buckets = await series({ hours: most, bucket });
    expect(buckets.length).toBeLessThanOrEqual(2_001);
    expect(buckets.length).toBeGreaterThanOrEqual((most * 3_600) / BUCKETS[bucket]);
    await expectRefused(org.viewer, PATH, { hours: tooMany, bucket }, 'bucket');
  });

  it.each<Record<string, string>>([{}, { bucket: '1h' }])(
    'covers every window of up to 90 days with buckets of the default length: %j',
    async (more) => {
      for (const hours of [2_001, 2_160, 99_999]) {
        const { length } = await series({ hours, ...more });
        expect([Math.min(hours, 2_160), Math.min(hours, 2_160) + 1]).toContain(length);
      }
    },
  );

  it('covers at most 90 days, whatever is requested', async () => {
    expect((await series({ hours: 99_999, bucket: '1d' })).length).toBeLessThanOrEqual(91);
  });

  it('adds up reported values, and averages only those', async () => {
    const at = await hoursAgo(3);
    await write(
      [
        at,
        {
          status_code: 200,
          fallback_used: true,
          prompt_tokens: 100,
          completion_tokens: 7,
          backend_ms: 1_000,
          routing_ms: 5,
          ttft_ms: 300,
          cold_start_avoided_ms: 40_000,
        },
      ],
      [
        at + 1,
        { status_code: 503, deadline_missed: true, prompt_tokens: 11, routing_ms: 10, cold_start_avoided_ms: 2 },
      ],
      [at + HOUR - 1, { status_code: 299, completion_tokens: 3, backend_ms: 0, routing_ms: 10, fallback_used: true }],
      // Of the next hour, without a result.
      [at + HOUR, { completion_tokens: 5, ttft_ms: 0 }],
    );
    expect(await used()).toEqual([
      {
        bucket: bucketAt(at),
        requests: 3,
        successes: 2,
        fallbacks: 2,
        deadline_misses: 1,
        prompt_tokens: 100 + 11,
        completion_tokens: 7 + 3,
        cold_start_avoided_ms: 40_000 + 2,
        avg_backend_ms: (1_000 + 0) / 2,
        avg_routing_ms: (5 + 10 + 10) / 3,
        avg_ttft_ms: 300,
      },
      { ...NOTHING, bucket: bucketAt(at + HOUR), requests: 1, successes: 1, completion_tokens: 5, avg_ttft_ms: 0 },
    ]);
  });

  it.each([
    [199, 0],
    [200, 1],
    [204, 1],
    [299, 1],
    [300, 0],
    [404, 0],
    [499, 0],
    [500, 0],
    [null, 1],
  ])('counts a request with the status %s as %i successes', async (status_code, successes) => {
    await write([await hoursAgo(2), { status_code }]);
    expect(await used()).toMatchObject([{ requests: 1, successes }]);
  });

  it('cuts the window to the millisecond: its first and last buckets are parts', async () => {
    const now = await databaseNow(service);
    const second = 1_000;
    const minute = 60 * second;
    // Tests on a slow machine take a while: a request within stays within for a minute, one outside was never
    // in.
    await write(
      [now - 2 * HOUR - second, { prompt_tokens: 1 }],
      [now - 2 * HOUR + minute, { prompt_tokens: 10 }],
      [now - minute, { prompt_tokens: 100 }],
      // Nothing in the future counts.
      [now + 10 * minute, { prompt_tokens: 1_000 }],
    );
    for (const bucket of ['1m', '5m', '15m', '1h', '6h', '1d']) {
      const buckets = (await series({ hours: 2, bucket })) as unknown as { prompt_tokens: number }[];
      expect([bucket, buckets.reduce((sum, { prompt_tokens: tokens }) => sum + tokens, 0)]).toEqual([bucket, 10 + 100]);
    }
  });

  it('treats an empty parameter as missing', async () => {
    await write([await hoursAgo(2), { profile_id: 'p' }]);
    expect(await used({ hours: '', bucket: '', profile_id: '', experiment_id: '' })).toEqual(await used());
    expect(await used()).toHaveLength(1);
  });

  it('has every digit of its sums', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const at = await hoursAgo(1);
    const members = { prompt_tokens: most, completion_tokens: most, cold_start_avoided_ms: most, ttft_ms: most };
    await write([at, members], [at, members], [at, members]);
    const { text } = await ask(org.viewer, PATH);
    const sum = (BigInt(most) * 3n).toString();
    for (const name of ['prompt_tokens', 'completion_tokens', 'cold_start_avoided_ms'])
      expect(text).toContain(`"${name}":${sum},`);
    expect(text).toContain(`"avg_ttft_ms":${most}`);
  });

  it('covers the serving profile, an experiment, or both', async () => {
    const at = await hoursAgo(2);
    const [one, other] = [newId(), newId()];
    await write(
      [at, { profile_id: 'p', experiment_id: one, prompt_tokens: 1 }],
      [at, { profile_id: 'p', experiment_id: other, prompt_tokens: 10 }],
      [at, { profile_id: 'q', meant_for_profile_id: 'p', experiment_id: one, prompt_tokens: 100 }],
      [at, { profile_id: null, experiment_id: one, prompt_tokens: 1_000 }],
      [at, { profile_id: 'p', prompt_tokens: 10_000 }],
    );
    const tokens = async (query: Query) =>
      ((await used(query)) as unknown as { prompt_tokens: number }[]).map(({ prompt_tokens: sum }) => sum);
    expect(await tokens({})).toEqual([11_111]);
    expect(await tokens({ profile_id: 'p' })).toEqual([1 + 10 + 10_000]);
    expect(await tokens({ profile_id: 'q' })).toEqual([100]);
    expect(await tokens({ profile_id: 'P' })).toEqual([]);
    expect(await tokens({ profile_id: "p' or 'p' = 'p" })).toEqual([]);
    expect(await tokens({ experiment_id: one })).toEqual([1 + 100 + 1_000]);
    expect(await tokens({ experiment_id: one.toUpperCase() })).toEqual([1 + 100 + 1_000]);
    expect(await tokens({ experiment_id: one, profile_id: 'p' })).toEqual([1]);
    expect(await tokens({ experiment_id: other, profile_id: 'q' })).toEqual([]);
    expect(await tokens({ experiment_id: newId() })).toEqual([]);
    // Empty buckets are there all the same.
    expect((await series({ experiment_id: newId(), profile_id: 'q' })).length).toBe((await series()).length);
  });

  it('has the telemetry of routers, at its time of arrival', async () => {
    const { model, profileIds } = await buildModel(org);
    const [profileId = ''] = profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
    const key = await issueKey(service, org);
    const hour = 3 * HOUR;
    const before = await databaseNow(service);
    for (const members of [
      { end_to_end_latency_ms: hour, ttft_ms: 500 },
      // Without the total, it took its wait, its first byte and its stream together.
      { queue_ms: hour / 3, stream_duration_ms: (2 * hour) / 3, ttft_ms: 700 },
    ]) {
      const request = await authorized(key, model);
      await resolve(org.controller, request);
      expect((await sendTelemetry(org.controller, request, { profile_id: profileId, ...members })).status).toBe(200);
    }
    const after = await databaseNow(service);
    const { rows } = await service.db.query<{ at: Date }>(
      'select occurred_at as at from usage_records where org_id = $1',
      [org.id],
    );
    for (const { at } of rows) {
      expect(at.getTime()).toBeGreaterThanOrEqual(before - hour - 700 - 1);
      expect(at.getTime()).toBeLessThanOrEqual(after - hour + 1);
    }
    const buckets = (await used({ hours: 4, bucket: '1d', profile_id: profileId })) as unknown as {
      requests: number;
      avg_ttft_ms: number;
    }[];
    expect(buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(2);
    expect(buckets.map(({ requests, avg_ttft_ms: ms }) => requests * ms).reduce((sum, ms) => sum + ms)).toBe(500 + 700);
    // And nothing of it was before that.
    expect(await used({ hours: 2, bucket: '5m', profile_id: profileId })).toEqual([]);
  });

  it.each([...REFUSED, [{ bucket: '2h' }, 'bucket'], [{ bucket: '1H' }, 'bucket']] as typeof REFUSED)(
    'refuses %j',
    (query, field) => expectRefused(org.viewer, PATH, query, field),
  );

  it('needs a token', () => expectUnauthenticated(service, PATH));

  it('shows nothing of another organisation', async () => {
    const experiment = newId();
    await write([await hoursAgo(2), { profile_id: 'p', experiment_id: experiment }]);
    const other = await service.organisation();
    for (const query of [{}, { profile_id: 'p' }, { experiment_id: experiment }] as Query[]) {
      expect(await used(query)).toHaveLength(1);
      expect(await used(query, other)).toEqual([]);
    }
  });
});
