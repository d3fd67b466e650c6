import pg from 'pg';
import { servingOf, warmWaits } from '../../../../src/6-insight/analytics/analytics.queries';
import type { ReportWindow } from '../../../../src/6-insight/analytics/report-window.queries';
import { BUCKETS } from '../../../../src/6-insight/analytics/usage-series.dto';
import { usageSeries } from '../../../../src/6-insight/analytics/usage-series.queries';
import { costBreakdown } from '../../../../src/6-insight/cost-reports/cost-breakdown.queries';
import { newId } from '../../../../src/1-platform/common/ids';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { forgetUsage } from '../../../../src/5-traffic/usage/usage.queries';
import { inParallel, seeded } from '../../../support/random';
import { createProfile } from '../../../support/profiles';
import { Service } from '../../../support/service';
import { ALWAYS_BUSY, batched, historyOf, momentOf, pick, shuffled } from '../../../support/usage-history';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { busyTimes, keptSums, sumsOf } from '../../../support/usage-sums';
import { DAY, HOUR, MINUTE } from '../../../support/durations';
import { inForm } from '../../../support/form';

// Two and a half days, around a night in which European clocks are put forward.
const FROM = Date.UTC(2026, 2, 28, 21, 30);
const TO = Date.UTC(2026, 2, 31, 0, 10);
const EXPERIMENTS = [newId(), newId()];
const PROFILES = ['p', 'q', 'NULL', 'never heard of'];

/** The rows have only the id of the organisation: none of these exists otherwise. */
const organisation = () => ({ id: newId() });
type Of = ReturnType<typeof organisation>;

describe('the usage rollups', () => {
  let service: Service;

  beforeAll(async () => {
    // Rows with a fixed date must not be deleted meanwhile.
    service = await Service.start({ usageRetentionDays: 36_500 });
  });
  afterAll(() => service.close());

  const read = <T>({ id: orgId }: Of, work: (tx: Tx) => Promise<T>): Promise<T> =>
    service.app.get(UnitOfWork).read({ orgId }, work);

  /** Rows of one transaction or of several, in order. */
  async function insert(of: Of, requests: readonly Request[], random: () => number): Promise<void> {
    for (const transaction of batched(random, requests, 60)) {
      const client = await service.db.connect();
      try {
        await client.query('begin');
        for (const statement of batched(random, transaction, 25)) await writeRequests(client, of, ...statement);
        await client.query('commit');
      } finally {
        client.release();
      }
    }
  }

  /** An organisation with a history of this seed, inserted in a random order. */
  async function withHistory(seed: number, count = 700): Promise<{ of: Of; requests: Request[] }> {
    const of = organisation();
    const requests = historyOf(seed, count, [FROM, TO], EXPERIMENTS);
    const random = seeded(-seed);
    await insert(of, shuffled(random, requests), random);
    return { of, requests };
  }

  /** Windows of every length, within the history and beyond it. */
  function windowOf(random: () => number): Window {
    const from = momentOf(random, FROM - HOUR, TO + HOUR);
    const length = pick(random, [2, 1_000, 2 * MINUTE, 40 * MINUTE, 3 * HOUR, 30 * HOUR, 4 * DAY]);
    return [from, momentOf(random, from, Math.min(from + length, TO + 2 * HOUR) + 1)];
  }
  type Window = readonly [from: number, to: number];

  /** Now and then around ten days for which there are sums: they begin on 28 March and end on 7 April. */
  const anyWindow = (random: () => number): Window =>
    random() < 0.7
      ? windowOf(random)
      : [momentOf(random, FROM - 12 * DAY, FROM + HOUR), momentOf(random, TO - HOUR, TO + 12 * DAY)];

  const filtersOf = (random: () => number): Filters => ({
    profileId: random() < 0.5 ? null : pick(random, PROFILES),
    experimentId: random() < 0.7 ? null : pick(random, EXPERIMENTS),
  });
  type Filters = Pick<ReportWindow, 'profileId' | 'experimentId'>;

  const report = ([since, until]: Window, filters: Filters): ReportWindow => {
    const span = { from: new Date(since), to: new Date(until) };
    return { ...span, ...filters, hours: 1, run: { ...span, profileId: null } };
  };

  const figures = (of: Of, window: Window, filters: Filters) =>
    read(of, async (tx) => ({
      serving: await servingOf(tx, report(window, filters)),
      warm: await warmWaits(tx, report(window, filters)),
    }));

  const OF_WINDOW = `org_id = $1 and occurred_at >= $2 and occurred_at < $3 and ($4::text is null or profile_id = $4) and ($5::uuid is null or experiment_id = $5)`;

  /** The same figures, from the records alone. */
  async function plainFigures({ id }: Of, [since, until]: Window, { profileId, experimentId }: Filters) {
    const values = [id, new Date(since), new Date(until), profileId, experimentId];
    const { rows: serving } = await service.db.query(
      `select coalesce(sum(1 + repeated), 0)::int as requests, count(*) filter (where fallback_used)::int as fallbacks,
         coalesce(sum(1 + repeated) filter (where deadline_missed), 0)::int as deadline_misses, coalesce(sum(prompt_tokens), 0)::text as prompt_tokens,
         coalesce(sum(completion_tokens), 0)::text as completion_tokens, avg(ttft_ms)::float8 as average_ttft_ms,
         count(ttft_ms)::int as ttft_count,
         case when $5::uuid is not null then (count(*) filter (where backend_ms > 0 and completion_tokens is not null))::int end
           as timed_count,
         (sum(completion_tokens) filter (where backend_ms > 0) * 1000
           / nullif(sum(backend_ms) filter (where completion_tokens is not null), 0))::float8 as tokens_per_second
       from usage_records where ` + OF_WINDOW,
      values,
    );
    const { rows: warm } = await service.db.query(
      `select count(*)::int as samples, (percentile_disc(0.5) within group (order by queue_ms))::float8 as p50_ms,
         (percentile_disc(0.95) within group (order by queue_ms))::float8 as p95_ms
       from usage_records where activation_path = 'warm' and profile_id is not null and queue_ms is not null and ${OF_WINDOW} having count(*) > 0`,
      values,
    );
    return { serving: serving[0], warm: warm[0] };
  }

  const SERIES = `
    select (floor(extract(epoch from occurred_at) / $6) * $6 * 1000)::float8 as bucket, sum(1 + repeated)::int as requests,
      count(*) filter (where status_code is null or status_code between 200 and 299)::int as successes,
      count(*) filter (where fallback_used)::int as fallbacks,
      coalesce(sum(1 + repeated) filter (where deadline_missed), 0)::int as deadline_misses,
      coalesce(sum(prompt_tokens), 0)::text as prompt_tokens, coalesce(sum(completion_tokens), 0)::text as completion_tokens,
      sum(cold_start_avoided_ms)::text as cold_start_avoided_ms, avg(backend_ms)::float8 as avg_backend_ms,
      (sum(routing_ms * (1 + repeated)) / sum(1 + repeated) filter (where routing_ms is not null))::float8 as avg_routing_ms, avg(ttft_ms)::float8 as avg_ttft_ms
    from usage_records where ${OF_WINDOW} group by 1 order by 1`;

  const NOTHING = {
    requests: 0,
    successes: 0,
    fallbacks: 0,
    deadline_misses: 0,
    prompt_tokens: '0',
    completion_tokens: '0',
    cold_start_avoided_ms: '0',
    avg_backend_ms: null,
    avg_routing_ms: null,
    avg_ttft_ms: null,
  };

  /** The series from the records alone: a bucket for every multiple of its length that the window touches. */
  async function plainSeries({ id }: Of, [since, until]: Window, { profileId, experimentId }: Filters, step: number) {
    const values = [id, new Date(since), new Date(until), profileId, experimentId, step];
    const { rows } = await service.db.query<{ bucket: number }>(SERIES, values);
    const length = step * 1_000;
    const first = Math.floor(since / length) * length;
    const buckets = since < until ? Math.ceil((until - first) / length) : 0;
    return Array.from({ length: buckets }, (_, place) => {
      const bucket = first + place * length;
      return { ...NOTHING, ...rows.find((row) => row.bucket === bucket), bucket: new Date(bucket) };
    });
  }

  const series = (of: Of, window: Window, filters: Filters, step: number) =>
    read(of, (tx) => usageSeries(tx, report(window, filters), step));

  /** The exact sum of rows of figures. */
  const total = (rows: readonly object[], names: readonly string[]): string[] =>
    names.map((name) =>
      rows.reduce((sum, row) => sum + BigInt((row as Record<string, string | number>)[name] ?? 0), 0n).toString(),
    );
  const SERVING_SUMS = ['requests', 'fallbacks', 'deadline_misses', 'prompt_tokens', 'completion_tokens'];
  const SERIES_SUMS = [...SERVING_SUMS, 'successes', 'cold_start_avoided_ms'];

  /** An error that names the seed. */
  async function ofSeed(seed: number | string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      throw new Error(`with the seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }

  describe('in tables', () => {
    it.each(inForm([1], [1, 2, 3, 4]))('equal the sums by JavaScript after every transaction; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const of = organisation();
        const random = seeded(seed);
        const written: Request[] = [];
        for (const some of batched(random, historyOf(seed, 500, [FROM, TO]), 150)) {
          await insert(of, some, random);
          written.push(...some);
          expect(await keptSums(service.db, of)).toEqual(sumsOf(written));
        }
        expect(written).toHaveLength(500);
      }),
    );

    it.each(inForm([5], [5, 6]))('do not depend on the order of rows; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const [one, other] = [await withHistory(seed), organisation()];
        const random = seeded(seed * 31);
        await insert(other, one.requests.toReversed(), random);
        const kept = await keptSums(service.db, other);
        expect(kept).toEqual(await keptSums(service.db, one.of));
        expect(kept).toEqual(sumsOf(one.requests));
        for (let times = 0; times < 15; times++) {
          const [window, filters] = [windowOf(random), filtersOf(random)];
          expect(await figures(other, window, filters)).toEqual(await figures(one.of, window, filters));
        }
      }),
    );

    it('count a repeated request once, in one statement and in another', async () => {
      const of = organisation();
      const requests = historyOf(7, 100, [FROM, TO]);
      await writeRequests(
        service.db,
        of,
        ...requests,
        ...requests.slice(50).map((one) => ({ ...one, at: one.at + 1 })),
      );
      await writeRequests(service.db, of, ...requests.slice(0, 60).map((one) => ({ ...one, status_code: 500 })));
      expect(await keptSums(service.db, of)).toEqual(sumsOf(requests));
    });

    it('forget what a transaction rolled back', async () => {
      const of = organisation();
      const [kept, undone] = [historyOf(8, 50, [FROM, TO]), historyOf(9, 50, [FROM, TO])];
      await writeRequests(service.db, of, ...kept);
      const client = await service.db.connect();
      await client.query('begin');
      await writeRequests(client, of, ...undone);
      await client.query('rollback');
      client.release();
      expect(await keptSums(service.db, of)).toEqual(sumsOf(kept));
    });

    it('are the same in any time zone of the session', async () => {
      const requests = historyOf(10, 300, [FROM, TO]);
      const url = new URL(service.environment.databaseUrl ?? '');
      // Put forward in the night of the history; of a quarter of an hour; put back in steps of half an hour.
      for (const zone of ['Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns']) {
        const of = organisation();
        const client = new pg.Client({
          connectionString: url.href,
          options: `-c app.system=on -c TimeZone=${zone}`,
        });
        await client.connect();
        try {
          for (const some of batched(seeded(10), requests, 100)) await writeRequests(client, of, ...some);
        } finally {
          await client.end();
        }
        expect(await keptSums(service.db, of)).toEqual(sumsOf(requests));
        const window: Window = [FROM + 1, TO - 1];
        const everything = { profileId: null, experimentId: null };
        const [day, serving] = await read(of, async (tx) => {
          await tx.query("select set_config('TimeZone', $zone, true)", { zone });
          const asked = report(window, everything);
          return [await usageSeries(tx, asked, BUCKETS['1d']), await servingOf(tx, asked)];
        });
        expect([zone, day]).toEqual([zone, await plainSeries(of, window, everything, BUCKETS['1d'])]);
        expect(serving).toEqual((await plainFigures(of, window, everything)).serving);
      }
    });
  });

  describe('in windows', () => {
    it.each(inForm([11], [11, 12, 13]))('equal the records, for any query; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const { of } = await withHistory(seed);
        const random = seeded(seed);
        let seen = 0;
        for (let times = 0; times < 60; times++) {
          const [window, filters] = [anyWindow(random), filtersOf(random)];
          const found = await figures(of, window, filters);
          expect([window, filters, found]).toEqual([window, filters, await plainFigures(of, window, filters)]);
          seen += found.serving.requests > 0 ? 1 : 0;
        }
        expect(seen).toBeGreaterThan(20);
      }),
    );

    it.each(inForm([14], [14, 15, 16]))('add up over consecutive windows, wherever they are cut; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const { of } = await withHistory(seed);
        const random = seeded(seed);
        for (let times = 0; times < 12; times++) {
          const [[from, to], filters] = [anyWindow(random), filtersOf(random)];
          const cuts = [1, 2, 3].map(() => momentOf(random, from, to + 1)).sort((a, b) => a - b);
          const parts = await inOrder([from, ...cuts], (since, place) =>
            figures(of, [since, cuts[place] ?? to], filters),
          );
          const whole = await figures(of, [from, to], filters);
          const reported = (rows: Awaited<ReturnType<typeof figures>>[]) => [
            total(rows.map(({ serving }) => serving), SERVING_SUMS), // prettier-ignore
            total(rows.map(({ warm }) => warm ?? {}), ['samples']), // prettier-ignore
          ];
          expect([from, cuts, to, reported(parts)]).toEqual([from, cuts, to, reported([whole])]);
        }
      }),
    );

    it.each(inForm([17], [17, 18]))('equal the sum of their series, of buckets of every length; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const { of } = await withHistory(seed);
        const random = seeded(seed);
        for (const step of Object.values(BUCKETS))
          for (let times = 0; times < 6; times++) {
            const filters = filtersOf(random);
            const [from, until] = windowOf(random);
            // Nobody queries an empty window.
            const window: Window = [from, Math.max(until, from + 1)];
            const buckets = await series(of, window, filters, step);
            expect([window, step, buckets]).toEqual([window, step, await plainSeries(of, window, filters, step)]);
            const { serving } = await figures(of, window, filters);
            expect(total(buckets, SERVING_SUMS)).toEqual(total([serving], SERVING_SUMS));
            const cut = momentOf(random, window[0], window[1] + 1);
            const parts = [
              ...(await series(of, [window[0], cut], filters, step)),
              ...(await series(of, [cut, window[1]], filters, step)),
            ];
            expect(total(parts, SERIES_SUMS)).toEqual(total(buckets, SERIES_SUMS));
          }
      }),
    );

    it('include the request of their first millisecond, and exclude that of their end', async () => {
      const of = organisation();
      const border = Date.UTC(2026, 3, 1);
      await writeRequests(service.db, of, ...[-1, 0, 1].map((offset) => buildRequest(border + offset)));
      const everything = { profileId: null, experimentId: null };
      for (const [window, count] of [
        [[border - 1, border], 1],
        [[border, border + 1], 1],
        [[border, border], 0],
        [[border - 1, border + 1], 2],
        [[border - HOUR, border], 1],
        [[border, border + HOUR], 2],
        [[border - DAY, border + DAY], 3],
      ] as [Window, number][]) {
        expect((await figures(of, window, everything)).serving.requests).toBe(count);
        for (const step of Object.values(BUCKETS))
          expect(total(await series(of, window, everything, step), ['requests'])).toEqual([String(count)]);
      }
    });

    it('work for times before 1970', async () => {
      const of = organisation();
      const requests = [-HOUR, -HOUR - 1, -MINUTE, -1, 0, 1, -DAY].map((at) =>
        buildRequest(at, { profile_id: 'p', backend_ms: 90_000, queue_ms: 1, activation_path: 'warm' }),
      );
      await writeRequests(service.db, of, ...requests);
      expect(await keptSums(service.db, of)).toEqual(sumsOf(requests));
      const [window, filters] = [[-2 * DAY, 2] as const, { profileId: null, experimentId: null }];
      expect(await figures(of, window, filters)).toEqual(await plainFigures(of, window, filters));
      for (const step of Object.values(BUCKETS))
        expect(await series(of, [-2 * HOUR - 1, 2], filters, step)).toEqual(
          await plainSeries(of, [-2 * HOUR - 1, 2], filters, step),
        );
    });

    it('have sums beyond the range of double and bigint', async () => {
      const of = organisation();
      const most = Number.MAX_SAFE_INTEGER;
      const members = { prompt_tokens: most, completion_tokens: most, ttft_ms: most, backend_ms: most };
      await writeRequests(
        service.db,
        of,
        ...Array.from({ length: 2_000 }, () => buildRequest(FROM, { ...members, cold_start_avoided_ms: most })),
      );
      const [window, filters] = [[FROM - DAY, FROM + DAY] as const, { profileId: null, experimentId: null }];
      const sum = (BigInt(most) * 2_000n).toString();
      const { serving } = await figures(of, window, filters);
      expect(serving).toMatchObject({ prompt_tokens: sum, average_ttft_ms: most, tokens_per_second: 1_000 });
      expect((await series(of, window, filters, 86_400)).find(({ requests }) => requests > 0)).toMatchObject({
        completion_tokens: sum,
        cold_start_avoided_ms: sum,
        avg_backend_ms: most,
      });
    });
  });

  describe('as time in which workers were busy', () => {
    const names = [ALWAYS_BUSY, 'p', 'q', 'NULL', 'p,q'];

    const activeTimes = async (of: Of, window: Window, experimentId: string | null) => {
      const rows = await read(of, (tx) => costBreakdown(tx, report(window, { profileId: null, experimentId })));
      return Object.fromEntries(rows.map(({ profile_id: id, active_ms: ms }) => [id, ms]));
    };
    const expected = (requests: readonly Request[], [since, until]: Window) => {
      const times = busyTimes(requests);
      const within = (profile: string) =>
        (times.get(profile) ?? []).reduce(
          (sum, [a, b]) => sum + Math.max(Math.min(b, until) - Math.max(a, since), 0),
          0,
        );
      return Object.fromEntries(names.map((name) => [name, within(name)]));
    };

    it.each(inForm([41], [41, 42, 43]))('are the union of their requests, cut to the window; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const of = await service.organisation();
        for (const profile_id of names) await createProfile(of, { profile_id });
        const requests = historyOf(seed, 500, [FROM, TO], EXPERIMENTS);
        const random = seeded(seed);
        await insert(of, requests, random);
        const windows = Array.from({ length: 15 }, () => windowOf(random));
        // More milliseconds than an int can hold.
        for (let end = 0; end < 4; end++)
          windows.push(
            [momentOf(random, FROM, TO), momentOf(random, TO, TO + 2 * DAY) + 88 * DAY],
            [momentOf(random, FROM, TO) - 90 * DAY, momentOf(random, FROM, TO)],
          );
        for (const window of windows) {
          expect([window, await activeTimes(of, window, null)]).toEqual([window, expected(requests, window)]);
          const experiment = pick(random, EXPERIMENTS);
          const some = requests.filter(({ experiment_id: id }) => id === experiment);
          expect([window, await activeTimes(of, window, experiment)]).toEqual([window, expected(some, window)]);
        }
      }),
    );
  });

  describe('by many concurrent writers', () => {
    /** Each on a connection of its own, all at once. */
    async function atOnce(works: readonly ((client: pg.Client) => Promise<void>)[]): Promise<void> {
      const clients = works.map(
        () => new pg.Client({ connectionString: service.environment.databaseUrl, options: '-c app.system=on' }),
      );
      await Promise.all(clients.map((client) => client.connect()));
      try {
        // A deadlock is an error of one of them.
        await Promise.all(works.map((work, place) => work(clients[place] as pg.Client)));
      } finally {
        await Promise.all(clients.map((client) => client.end()));
      }
    }

    it.each(inForm([21], [21, 22, 23]))('equal those of one writer, without a deadlock; seed %i', (seed) =>
      ofSeed(seed, async () => {
        const of = organisation();
        // All in an hour and a half: every writer meets the others in every row.
        const requests = historyOf(seed, 600, [FROM, FROM + 1.5 * HOUR]);
        const random = seeded(seed);
        const writers = Array.from(
          { length: 6 },
          (_, place) =>
          // Each request is reported twice; the first report counts.
          batched(random, shuffled(random, requests.filter((_one, at) => [at % 6, (at + 1) % 6].includes(place))), 20), // prettier-ignore
        );
        await atOnce(
          writers.map((batches) => async (client) => {
            for (const batch of batches) await writeRequests(client, of, ...batch);
          }),
        );
        expect(await keptSums(service.db, of)).toEqual(sumsOf(requests));
      }),
    );

    // Requests that are new in one hour and known in the next, and the other way round, in rows that share
    // nothing else.
    it('continue when two write long requests over the same hours', async () => {
      for (let round = 0; round < 40; round++) {
        const of = organisation();
        const hour = Date.UTC(2026, 3, 2, 12);
        const minutes = Array.from({ length: 20 }, (_, place) => place);
        const minuteOf = (base: number, place: number, model: string) =>
          buildRequest(base + place * MINUTE, {
            profile_id: 'p',
            logical_model: model,
            backend_ms: 10_000,
            end_to_end_ms: 10_000,
          });
        const known = [
          ...minutes.map((place) => minuteOf(hour + HOUR, place, 'one')),
          ...minutes.map((place) => minuteOf(hour, place + 30, 'other')),
        ];
        await writeRequests(service.db, of, ...known);
        const later = (one: Request): Request => ({ ...one, request_id: newId(), at: one.at + 20_000 });
        const one = [...known.slice(0, 20).map(later), ...minutes.map((place) => minuteOf(hour, place, 'one'))];
        const other = [
          ...known.slice(20).map(later),
          ...minutes.map((place) => minuteOf(hour + HOUR, place + 30, 'other')),
        ];
        await atOnce([one, other].map((requests) => (client) => writeRequests(client, of, ...requests)));
        expect(await keptSums(service.db, of)).toEqual(sumsOf([...known, ...one, ...other]));
      }
    });
  });
});

/** One after the other. */
async function inOrder<T, R>(items: readonly T[], work: (item: T, place: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  await inParallel(items, 1, async (item, place) => results.push(await work(item, place)));
  return results;
}

describe('old usage', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  const forget = (days: number, limit: number): Promise<number> =>
    service.app.get(UnitOfWork).system('tests', (tx) => forgetUsage(tx, days, limit));
  const databaseNow = async (): Promise<number> =>
    (await service.db.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]?.now.getTime() ?? NaN;

  it('is deleted with its sums, in every organisation, and the rest stays', async () => {
    const now = await databaseNow();
    const one = await service.organisation();
    const other = await service.organisation();
    const histories = [one, other].map((of, place) => ({
      of,
      requests: historyOf(30 + place, 400, [now - 20 * DAY, now]),
    }));
    const random = seeded(30);
    for (const { of, requests } of histories)
      for (const some of batched(random, shuffled(random, requests), 100)) await writeRequests(service.db, of, ...some);
    const earliest = (await databaseNow()) - 10 * DAY;
    let rounds = 0;
    while ((await forget(10, 300)) === 300) rounds++;
    const latest = (await databaseNow()) - 10 * DAY;
    expect(rounds).toBeGreaterThan(1);
    for (const { of, requests } of histories) {
      const { rows } = await service.db.query<{ at: Date }>(
        'select occurred_at as at from usage_records where org_id = $1 order by occurred_at',
        [of.id],
      );
      const left = requests.filter(({ at }) => at >= latest);
      expect(left.length).toBeGreaterThan(100);
      expect(requests.length - left.length).toBeGreaterThan(100);
      expect(rows.map(({ at }) => at.getTime()).filter((at) => at >= latest)).toEqual(left.map(({ at }) => at));
      expect(rows.filter(({ at }) => at.getTime() < earliest)).toEqual([]);

      const [kept, all] = [await keptSums(service.db, of), sumsOf(requests)];
      for (const table of Object.keys(all) as (keyof typeof all)[]) {
        const [found, expected] = [kept[table], all[table]].map((texts) =>
          texts.filter((text) => agesFrom(text) >= latest),
        );
        expect([table, found]).toEqual([table, expected]);
        expect([table, kept[table].filter((text) => agesFrom(text) < earliest)]).toEqual([table, []]);
        expect(all[table].filter((text) => agesFrom(text) < earliest).length).toBeGreaterThan(10);
      }
    }
  });

  /** From when on a row of sums ages: the beginning of its span, or the end of a day or of ten days. */
  const agesFrom = (text: string): number => {
    const [first, second] = JSON.parse(text.slice(0, text.indexOf(']') + 1)) as [number, number | string];
    // Of a rollup, the first is its step.
    if (typeof second !== 'number') return first;
    return first * 1_000 >= DAY ? second + first * 1_000 : second;
  };

  it('is in no report that begins within the days that are kept, however near to their beginning', async () => {
    const of = await service.organisation();
    await createProfile(of, { profile_id: 'p' });
    const now = await databaseNow();
    // In the first half of a day, whose sum is kept: what lies in it before the window must not count.
    const kept = Math.floor(now / DAY) * DAY - 12 * DAY + 200 * MINUTE;
    const requests = historyOf(31, 900, [kept - 2 * DAY, now]);
    const random = seeded(31);
    for (const some of batched(random, shuffled(random, requests), 100)) await writeRequests(service.db, of, ...some);
    // As the removal of old rows leaves them at that moment.
    for (const old of [
      'usage_records where occurred_at < $2',
      "usage_rollups where bucket + case when step < 86400 then 0 else step end * interval '1 second' < $2",
      'busy_minutes where minute < $2',
      'busy_hours where hour < $2',
      "busy_spans where bucket + step * interval '1 second' < $2",
    ])
      await service.db.query(`delete from ${old} and org_id = $1`, [of.id, new Date(kept)]);
    const busy = busyTimes(requests).get('p') ?? [];
    for (let round = 0; round < 40; round++) {
      const [from, to] = [kept + Math.floor(random() * 8 * HOUR), now - Math.floor(random() * HOUR)];
      const span = { from: new Date(from), to: new Date(to) };
      const window = { ...span, hours: 1, profileId: null, experimentId: null, run: { ...span, profileId: null } };
      const { serving, row } = await service.app.get(UnitOfWork).read({ orgId: of.id }, async (tx) => ({
        serving: await servingOf(tx, window),
        row: (await costBreakdown(tx, window))[0],
      }));
      const within = requests.filter(({ at }) => at >= from && at < to);
      expect(serving).toMatchObject({
        requests: within.reduce((sum, { repeated }) => sum + 1 + repeated, 0),
        prompt_tokens: within.reduce((sum, { prompt_tokens: tokens }) => sum + BigInt(tokens ?? 0), 0n).toString(),
      });
      const overlaps = busy.map(([begin, end]) => Math.max(Math.min(end, to) - Math.max(begin, from), 0));
      expect(row?.active_ms).toBe(overlaps.reduce((sum, ms) => sum + ms, 0));
    }
  });

  it('is empty if nothing is old enough', async () => {
    const of = await service.organisation();
    const requests = historyOf(33, 100, [(await databaseNow()) - 5 * DAY, await databaseNow()]);
    await writeRequests(service.db, of, ...requests);
    const before = await keptSums(service.db, of);
    // The parts of a long request before its arrival age with the minutes in which they lie.
    while ((await forget(40, 1_000)) > 0);
    expect(await keptSums(service.db, of)).toEqual(before);
  });

  it('stays while others hold it, which keeps nobody waiting, and is deleted later', async () => {
    const of = await service.organisation();
    const now = await databaseNow();
    const old = [buildRequest(now - 60 * DAY), buildRequest(now - 61 * DAY)];
    await writeRequests(service.db, of, ...old);
    const left = async () => {
      const { rows } = await service.db.query<{ records: number; sums: number }>(
        `select (select count(*)::int from usage_records where org_id = $1) as records,
           (select count(*)::int from usage_rollups where org_id = $1 and step = 60) as sums`,
        [of.id],
      );
      return rows[0];
    };
    // As a report that came very late.
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query('select from usage_records where org_id = $1 and request_id = $2 for update', [
        of.id,
        old[0]?.request_id,
      ]);
      await holder.query(
        `select from usage_rollups where org_id = $1 and step = 60
           and bucket = date_bin('1 minute', $2::timestamptz, 'epoch') for update`,
        [of.id, new Date(old[0]?.at ?? 0)],
      );
      await forget(50, 1_000);
      expect(await left()).toEqual({ records: 1, sums: 1 });
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await forget(50, 1_000);
    expect(await left()).toEqual({ records: 0, sums: 0 });
  });

  it('is deleted in batches, oldest first', async () => {
    const of = await service.organisation();
    const now = await databaseNow();
    const old = Array.from({ length: 10 }, (_, place) => buildRequest(now - (30 + place) * DAY));
    await writeRequests(service.db, of, ...old);
    while ((await forget(50, 1_000)) > 0);
    expect(await forget(25, 4)).toBe(4);
    const { rows } = await service.db.query<{ at: Date }>(
      'select occurred_at as at from usage_records where org_id = $1 order by occurred_at desc',
      [of.id],
    );
    expect(rows.map(({ at }) => at.getTime())).toEqual(old.slice(0, 6).map(({ at }) => at));
  });
});
