import fc from 'fast-check';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../../../src/application';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { Admission } from '../../../../src/1-platform/http/admission/admission';
import { SamplePartitions } from '../../../../src/6-insight/time-series/rows/sample-partitions';
import { DatabaseProxy } from '../../../support/database-proxy';
import { eventually } from '../../../support/eventually';
import { onThisMachine } from '../../../support/machine';
import { body1, HEADERS_1, type BuiltSeries } from '../../../support/remote-write';
import { Caller, Service, type Answer, type Organisation } from '../../../support/service';
import { DAY } from '../../../support/durations';
import { insertionOf, STORED_SAMPLES } from '../../../support/metric-series';

/** What one replica takes of one organisation at a time. */
const UNDER_WAY = 48;
/**
 * A caller learns within this time that the database does not answer: two statements time out one after the
 * other.
 */
const KNOWN_WITHIN_MS = 6_000;

const load = (time: number, host = 'a'): BuiltSeries => ({
  labels: { __name__: 'node_load1', instance: host },
  samples: [[time, 1]],
});

describe('the storage of samples', () => {
  let service: Service;
  let org: Organisation;
  let now: number;

  beforeAll(async () => {
    service = await Service.start({ metricsRetentionDays: 10 });
    org = await service.organisation();
    now = service.clock.now().getTime();
  });
  afterAll(() => service.close());

  const write = (body: Buffer, caller: Caller = org.controller) =>
    caller.send('post', '/v1/metrics/write', body, HEADERS_1);
  const days = async (): Promise<string[]> => {
    const { rows } = await service.db.query<{ day: string }>(
      "select inhrelid::regclass::text as day from pg_inherits where inhparent = 'grouped_samples'::regclass order by 1",
    );
    return rows.map(({ day }) => day);
  };
  const dayName = (time: number) => `grouped_samples_${new Date(time).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const count = async (table: string) =>
    (
      await service.db.query<{ count: number }>(`select count(*)::int as count from ${table} where org_id = $1`, [
        org.id,
      ])
    ).rows[0]?.count;

  describe('is partitioned by day:', () => {
    it('some partitions are created ahead, others when a late sample needs them', async () => {
      expect(await days()).toEqual([0, 1, 2].map((ahead) => dayName(now + ahead * DAY)));
      expect((await write(body1(load(now - 9 * DAY), load(now - 3 * DAY)))).status).toBe(204);
      expect(await days()).toEqual([-9, -3, 0, 1, 2].map((ahead) => dayName(now + ahead * DAY)));
    });

    it("a partition that was dropped without the replica's knowledge is created again", async () => {
      await service.db.query(`drop table ${dayName(now - 3 * DAY)}`);
      expect((await write(body1(load(now - 3 * DAY + 1)))).status).toBe(204);
      expect(await days()).toContain(dayName(now - 3 * DAY));
    });

    it('replicas create partitions concurrently', async () => {
      const other = await service.replica();
      const callers = [org.controller, new Caller(other.url, org.controller.token)];
      const answers = await Promise.all(
        [4, 5, 6, 7].flatMap((ago) => callers.map((caller) => write(body1(load(now - ago * DAY)), caller))),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(204));
      expect(await days()).toHaveLength(9);
    });

    it('partitions are dropped when they are too old, and series without samples are deleted', async () => {
      await service.db.query(
        "select partition_made('grouped_samples', 'day', now() - make_interval(days => ago)) from generate_series(10, 11) ago",
      );
      await service.db.query(
        insertionOf(
          "select org_id, id, now() - interval '11 days' as sampled_at, 1 as value from metric_series where org_id = $1",
        ),
        [org.id],
      );
      await service.db.query(
        `insert into metric_series (org_id, digest, family, metric, kind, labels, last_sampled_on)
         select $1, gen_random_uuid(), 'host', 'node_old', 'gauge', '{}', (now() at time zone 'UTC')::date - day from generate_series(9, 13) day`,
        [org.id],
      );
      await service.db.query(
        `insert into metric_pods (org_id, pod_uid, namespace, pod_name, seen_at)
         select $1, 'pod-' || day, 'a', 'b', clock_timestamp() - make_interval(days => day) from generate_series(8, 13) day`,
        [org.id],
      );
      await service.app.get(SamplePartitions).run(2);
      await service.sweep('old partitions');
      const [first] = await days();
      expect(first).toBe(dayName(now - 10 * DAY));
      const { rows } = await service.db.query(
        "select count(*)::int as old from metric_series where org_id = $1 and metric = 'node_old'",
        [org.id],
      );
      expect(rows).toEqual([{ old: 2 }]);
      expect(await count('metric_pods')).toBe(2);
      expect((await write(body1(load(now)))).status).toBe(204);
    });
  });

  it('stores samples of many concurrent writers of the same series once, without a deadlock', async () => {
    const other = await service.organisation();
    const hosts = Array.from({ length: 300 }, (_, i) => `host-${i}`);
    const shuffled = (turn: number) => [...hosts.slice(turn * 30), ...hosts.slice(0, turn * 30)];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) =>
        write(body1(...shuffled(turn).flatMap((host) => [load(now, host), load(now - 5, host)])), other.controller),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
    const { rows } = await service.db.query(
      `select count(*)::int as samples, count(distinct series_id)::int as series from ${STORED_SAMPLES} where org_id = $1`,
      [other.id],
    );
    expect(rows).toEqual([{ samples: 600, series: 300 }]);
  });

  it('stores all samples of writers that each send a part of the same scrape', async () => {
    const other = await service.organisation();
    const cpus = Array.from({ length: 200 }, (_, cpu) => String(cpu));
    const ofHost = (cpu: string) => ({ __name__: 'node_cpu_seconds_total', instance: 'a', cpu });
    const part = (turn: number) =>
      cpus.flatMap((cpu, n): BuiltSeries[] =>
        // Each series is sent by two of the ten writers.
        n % 10 === turn || n % 10 === (turn + 1) % 10 ? [{ labels: ofHost(cpu), samples: [[now, n]] }] : [],
      );
    // All series exist, so they are in as few groups as they need.
    const all = cpus.map((cpu): BuiltSeries => ({ labels: ofHost(cpu), samples: [[now - 1, 1]] }));
    expect((await write(body1(...all), other.controller)).status).toBe(204);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) => write(body1(...part(turn)), other.controller)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(204));
    const stored = async () => {
      const { rows } = await service.db.query<{ cpu: string; value: number }>(
        `select s.cpu_core as cpu, m.value from ${STORED_SAMPLES} m join metric_series s on s.org_id = m.org_id and s.id = m.series_id
         where m.org_id = $1 and m.sampled_at = to_timestamp($2) order by m.value`,
        [other.id, now / 1_000],
      );
      return rows;
    };
    const expected = cpus.map((cpu, value) => ({ cpu, value }));
    expect(await stored()).toEqual(expected);
    const { rows } = await service.db.query<{ rows: number }>(
      'select count(*)::int as rows from grouped_samples where org_id = $1 and sampled_at = to_timestamp($2)',
      [other.id, now / 1_000],
    );
    expect(rows).toEqual([{ rows: Math.ceil(200 / 64) }]);
    // One sender has another value of a series that the others have sent.
    const lie = part(3).map(({ labels, samples }, n): BuiltSeries => ({
      labels,
      samples: n === 7 ? [[now, -1]] : samples,
    }));
    const answer = await write(body1(...lie), other.controller);
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      expect.stringContaining('39 samples are stored, 1 refused (conflicting 1)'),
    ]);
    expect(await stored()).toEqual(expected);
  });

  it('merges two rows as their columns define it, and keeps the first of two values', async () => {
    const places = fc.uniqueArray(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 64 });
    const maskOf = (some: readonly number[]) =>
      BigInt.asIntN(
        64,
        some.reduce((mask, one) => mask | (1n << BigInt(one)), 0n),
      );
    const valuesOf = (some: readonly number[], add: number) => some.toSorted((x, y) => x - y).map((one) => one + add);
    const shifted = fc
      .tuple(places, fc.integer({ min: 0, max: 63 }))
      .map(([some, from]): [number[], number[]] => [
        some.filter((one) => one < from),
        some.filter((one) => one >= from),
      ]);
    const pairs = fc.oneof(fc.tuple(places, places), shifted).filter(([one, two]) => one.length > 0 && two.length > 0);
    await fc.assert(
      fc.asyncProperty(pairs, fc.boolean(), async ([one, two], swapped) => {
        const [first, other] = swapped ? [two, one] : [one, two];
        const { rows } = await service.db.query('select merged_samples($1, $2, $3, $4) as merged', [
          maskOf(first),
          valuesOf(first, 0),
          maskOf(other),
          valuesOf(other, 100),
        ]);
        const both = [...new Set([...first, ...other])].toSorted((x, y) => x - y);
        expect(rows).toEqual([{ merged: both.map((place) => (first.includes(place) ? place : place + 100)) }]);
      }),
      { numRuns: 300 },
    );
  });

  it('names the conflicts of thousands of rows', async () => {
    const other = await service.organisation();
    const moments = Array.from({ length: 9_000 }, (_, n) => now - 9_000 + n);
    const series = (samples: [number, number][]): BuiltSeries => ({ labels: load(now).labels, samples });
    expect((await write(body1(series(moments.map((at, n) => [at, n]))), other.controller)).status).toBe(204);
    const places = [0, 3_999, 4_000, 8_001, 8_999];
    const lies = moments.map((at, n): [number, number] => [at, places.includes(n) ? -1 : n]);
    const answer = await write(body1(series(lies)), other.controller);
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      expect.stringContaining(`${9_000 - places.length} samples are stored, ${places.length} refused`),
    ]);
    for (const place of places)
      expect(answer.body.detail).toContain(`of ${new Date(moments[place] as number).toISOString()} has another value`);
  });

  it('stores the series of a request in as few rows as they need', async () => {
    const other = await service.organisation();
    const cpus = Array.from({ length: 200 }, (_, cpu) => ({ __name__: 'node_cpu_seconds_total', cpu: String(cpu) }));
    const page = (at: number) =>
      body1(...cpus.map((labels): BuiltSeries => ({ labels: { ...labels, instance: 'a' }, samples: [[at, 1]] })));
    for (const at of [now - 2, now - 1]) expect((await write(page(at), other.controller)).status).toBe(204);
    const { rows } = await service.db.query<{ rows: number; samples: number }>(
      'select count(*)::int as rows, sum(cardinality(sample_values))::int as samples from grouped_samples where org_id = $1',
      [other.id],
    );
    expect(rows).toEqual([{ samples: 400, rows: 2 * Math.ceil(200 / 64) }]);
  });

  it("keeps samples of one organisation out of another's series, even by the id of a series", async () => {
    const other = await service.organisation();
    expect((await write(body1(load(now, 'shared')))).status).toBe(204);
    expect((await write(body1(load(now, 'shared')), other.controller)).status).toBe(204);
    const { rows } = await service.db.query(
      `select s.org_id = m.org_id as own from ${STORED_SAMPLES} m join metric_series s on s.id = m.series_id where m.org_id = $1`,
      [other.id],
    );
    expect(rows).toEqual([{ own: true }]);
  });

  it("stores samples that share a batch with those of another organisation's failing statement", async () => {
    const other = await service.organisation();
    // Of several groups, so that both organisations have chunks in each lane.
    const hosts = Array.from({ length: 8 }, (_, n) => load(now, `host-${n}`));
    for (const { controller } of [org, other]) expect((await write(body1(...hosts), controller)).status).toBe(204);
    const later = body1(...hosts.map(({ labels }) => ({ labels, samples: [[now + 1, 1]] as [number, number][] })));
    const isHeld = async (): Promise<void> => {
      const { rows } = await service.db.query("select from pg_stat_activity where wait_event_type = 'Lock'");
      expect(rows.length).toBeGreaterThan(0);
    };
    const holder = await service.db.connect();
    let answers: Answer[];
    try {
      await holder.query('begin');
      await holder.query('select from grouped_samples where org_id = $1 for update', [org.id]);
      // Stored already: waits for the rows. Meanwhile, samples of both organisations make up the next batch.
      const first = write(body1(...hosts));
      await eventually(isHeld);
      answers = await Promise.all([first, write(body1(...hosts)), write(later, other.controller)]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 204]);
    expect((await write(body1(...hosts))).status).toBe(204);
  });

  it('refuses samples temporarily if too many are in progress, and frees the memory', async () => {
    // Cached before, so that only the lock on the table itself blocks.
    expect((await write(body1(load(now, 'busy')))).status).toBe(204);
    const holder = await service.db.connect();
    let answers: Answer[];
    // Admission would hold requests back while statements wait. This tests the limit on samples itself.
    const { limits } = service.app.get(Admission);
    const adjust = jest.spyOn(limits, 'adjust').mockReturnValue();
    limits.lanes.batch.limit = limits.lanes.batch.most;
    const begun = performance.now();
    try {
      await holder.query('begin');
      await holder.query('lock table grouped_samples in access exclusive mode');
      answers = await Promise.all(
        Array.from({ length: UNDER_WAY + 16 }, (_, i) => write(body1(load(now - i - 1, 'busy')))),
      );
    } finally {
      await holder.query('rollback');
      holder.release();
      adjust.mockRestore();
    }
    expect(performance.now() - begun).toBeLessThan(onThisMachine(KNOWN_WITHIN_MS));
    // No more than the backlog reach the database.
    expect(answers.filter(({ body }) => body.code === 'too_many_samples')).toHaveLength(16);
    for (const { status, headers } of answers) expect([status, headers['retry-after']]).toEqual([503, '1']);
    // Sent again, as senders do.
    expect(
      (await write(body1(...Array.from({ length: UNDER_WAY + 16 }, (_, i) => load(now - i - 1, 'busy'))))).status,
    ).toBe(204);
    const { text } = await service.as(undefined).get('/metrics');
    expect(text).toMatch(/^ingest_under_way\{of="requests"\} 0$/m);
    expect(text).toMatch(/^ingest_under_way\{of="bytes"\} 0$/m);
  });

  it('refuses samples temporarily while the database is unreachable', async () => {
    const proxy = await DatabaseProxy.before(service.environment.databaseUrl ?? '');
    const environment = { ...service.environment, databaseUrl: proxy.url };
    let app: NestExpressApplication | undefined;
    try {
      app = await createApplication(environment, createLogger('silent'));
      await app.listen(0, '127.0.0.1');
      const caller = new Caller(await app.getUrl(), org.controller.token);
      expect((await write(body1(load(now, 'away')), caller)).status).toBe(204);
      await proxy.set('refuse');
      const answer = await write(body1(load(now - 1, 'away')), caller);
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
      const otlp = await caller.post('/v1/metrics', {
        resourceMetrics: [
          {
            scopeMetrics: [
              {
                metrics: [
                  { name: 'system.load', gauge: { dataPoints: [{ timeUnixNano: `${now}000000`, asDouble: 1 }] } },
                ],
              },
            ],
          },
        ],
      });
      expect([otlp.status, otlp.body.code, otlp.headers['retry-after']]).toEqual([503, 14, '1']);
      await proxy.set('pass');
      expect((await write(body1(load(now - 1, 'away')), caller)).status).toBe(204);
    } finally {
      await proxy.set('pass');
      await app?.close();
      await proxy.close();
    }
  });
});
