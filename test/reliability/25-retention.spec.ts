import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { newId } from '../../src/1-platform/common/ids';
import { DAY, SECOND } from '../support/durations';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm } from '../support/form';
import { cluster } from '../support/inventory';
import { routeTo } from '../support/chat';
import { buildEvent, createProfile } from '../support/profiles';
import { body1, HEADERS_1 } from '../support/remote-write';
import { ADMIN_TOKEN, Caller, Service, type Answer } from '../support/service';

/** Retention of everything that has one, in days. Events of the outbox have seven of their own. */
const KEPT = 3;
/** Days until everything that is kept is there: a week of the audit trail, and what is kept behind it. */
const WARM_UP = 14;
/** Two spans that are compared, of whole weeks, because the audit trail goes by weeks. */
const SPAN = inForm(7, 28);
const DAYS = WARM_UP + 2 * SPAN;
/** Of each kind, in a day. */
const REQUESTS = inForm(1, 30);
const SAMPLES = inForm(200, 2_000);
/** Percent. A day that is not removed is more, in the long form; the short one sees it by the age of rows. */
const MAX_GROWTH = 2;
const RUN_MS = inForm(3, 30) * 60_000;

/**
 * A clock of the database that can be moved: functions that PostgreSQL finds before its own, for sessions
 * that begin afterwards, and for the columns that it stamps.
 */
const MOVABLE_CLOCK = `
  create schema moved;
  create table moved.clock (days int not null);
  insert into moved.clock values (0);
  grant usage on schema moved to public;
  grant select on moved.clock to public;
  create function moved.clock_timestamp() returns timestamptz language sql volatile as
    'select pg_catalog.clock_timestamp() + make_interval(days => c.days) from moved.clock c';
  create function moved.statement_timestamp() returns timestamptz language sql stable as
    'select pg_catalog.statement_timestamp() + make_interval(days => c.days) from moved.clock c';
  create function moved.now() returns timestamptz language sql stable as
    'select pg_catalog.now() + make_interval(days => c.days) from moved.clock c';
  do $$ declare one record; begin
    for one in
      select d.adrelid::regclass as "table", a.attname as "column" from pg_attrdef d
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where pg_get_expr(d.adbin, d.adrelid) = 'clock_timestamp()'
    loop
      execute format('alter table %s alter column %I set default moved.clock_timestamp()', one."table", one."column");
    end loop;
    execute format('alter database %I set search_path = public, moved, pg_catalog', current_database());
  end $$`;

/** With their indexes; a partition counts as its table. */
const SIZES = `
  select coalesce(parent.relname, c.relname)::text as name, sum(pg_total_relation_size(c.oid))::float8 / 1024 as kib
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class parent on parent.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1`;

/** The tables whose rows go, with the time by which they do, and how many days a row may stay. */
const AGING: readonly (readonly [table: string, at: string, days: number])[] = [
  ['audit_entries', 'occurred_at', KEPT + 8],
  ['lifecycle_events', 'occurred_at', KEPT + 1],
  ['usage_records', 'occurred_at', KEPT + 1],
  ['usage_rollups', 'bucket', KEPT + 1],
  ['router_samples', 'measured_at', KEPT + 1],
  ['metric_samples', 'sampled_at', KEPT + 2],
  ['outbox_events', 'created_at', 8],
  ['idempotency_keys', 'created_at', 3],
];

/** The sweeps that remove such rows, and the one that numbers events. */
const DAILY = [
  'partitions',
  'old partitions',
  'lifecycle history',
  'usage history',
  'router samples',
  'metric samples',
  'outbox numbers',
  'outbox retention',
  'idempotency keys',
];

describe(`${DAYS} days of traffic in a row, with a retention of ${KEPT} days`, () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
    await service.db.query(MOVABLE_CLOCK);
    // It would hold the rows of the first weeks.
    await service.db.query('drop table audit_entries_before');
  }, 60_000);
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  it(
    'leaves the database as large as it was after the first ones',
    async () => {
      const { app, as } = await service.replica({
        auditRetentionDays: KEPT,
        lifecycleRetentionDays: KEPT,
        usageRetentionDays: KEPT,
        metricsRetentionDays: KEPT,
      });
      const made = await service.organisation();
      const moved = (caller: Caller): Caller => as(caller.token);
      const org = {
        id: made.id,
        admin: moved(made.admin),
        operator: moved(made.operator),
        viewer: moved(made.viewer),
        controller: moved(made.controller),
      };
      expect((await as(ADMIN_TOKEN).get('/v1/user')).status).toBe(200);
      const clusterId = await cluster(org);
      const { profile_id: profileId } = await createProfile(org);
      const model = await routeTo(org, [profileId]);
      const sweeps = app.get(Sweeps);
      const db = await service.db.connect();
      const now = (): Date => service.clock.now();

      const target = { profile_id: profileId, tier: 'first', priority: 0 };
      const requests: (() => Promise<Answer>)[] = [
        // A changed route is an event.
        () => {
          const queue_timeout_ms = 1_000 + (wait++ % 1_000);
          return org.operator.post('/v1/inference/routes', {
            logical_model: model,
            targets: [target],
            queue_timeout_ms,
          });
        },
        () => org.operator.post('/v1/cluster', { cluster_name: 'the same' }, { 'idempotency-key': newId() }),
        () =>
          org.controller.post(
            '/v1/inference/lifecycle-events',
            buildEvent(clusterId, profileId, { occurred_at: now().toISOString(), kind: 'worker.scheduled' }),
          ),
        () =>
          org.controller.post('/v1/inference/router/telemetry', {
            request_id: newId(),
            logical_model: model,
            status_code: 200,
            profile_id: profileId,
            prompt_tokens: 10,
            completion_tokens: 10,
          }),
      ];
      let [sent, refused, wait] = [0, 0, 0];
      const send = async (request: () => Promise<Answer>): Promise<void> => {
        const { status } = await request();
        sent++;
        if (status >= 300) refused++;
      };
      const day = async (): Promise<void> => {
        for (let n = 0; n < REQUESTS; n++) for (const request of requests) await send(request);
        const times = Array.from({ length: SAMPLES }, (_, n): [number, number] => [now().getTime() - n * 1_000, n]);
        const series = body1({ labels: { __name__: 'node_load1', instance: 'host' }, samples: times.toReversed() });
        await send(() => org.controller.send('post', '/v1/metrics/write', series, HEADERS_1));
        const samples = times.map(([timestamp, value]) => ({
          route: model,
          profile_id: profileId,
          metric_name: 'queue',
          timestamp,
          value,
        }));
        await send(() => org.controller.post('/v1/inference/router/metrics', { samples }));
      };

      const sizes: ReadonlyMap<string, number>[] = [];
      const late: string[] = [];
      try {
        for (let n = 0; n < DAYS; n++) {
          // Rows age while they are removed.
          await Promise.all([day(), sweeps.runNow('old partitions'), sweeps.runNow('usage history')]);
          for (const name of DAILY) await sweeps.runNow(name);
          // Autovacuum would do it within the day.
          await db.query('vacuum');
          const { rows } = await db.query<{ name: string; kib: number }>(SIZES);
          sizes.push(new Map(rows.map(({ name, kib }) => [name, kib])));
          await db.query('update moved.clock set days = days + 1');
          service.clock.advance(DAY / SECOND);
        }
        for (const [table, at, days] of AGING) {
          const { rows } = await db.query<{ rows: number; age: number }>(
            `select count(*)::int as rows, extract(epoch from pg_catalog.clock_timestamp() + make_interval(days => $1) - min(${at})) / 86400 as age from ${table}`,
            [DAYS],
          );
          if (!(Number(rows[0]?.rows) > 0)) late.push(`${table} has no rows`);
          else if (!(Number(rows[0]?.age) <= days + 1 && Number(rows[0]?.age) > 1))
            late.push(`${table}: ${rows[0]?.age} days`);
        }
      } finally {
        db.release();
      }

      const attack = `${DAYS} days of ${sent} requests and ${DAYS * SAMPLES * 2} samples in a few minutes, kept for ${KEPT} days`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 25, attack, measure, value, unit, bound });
      const largest = (span: typeof sizes, size: (one: (typeof sizes)[number]) => number): number =>
        Math.max(...span.map(size));
      const [first, second] = [sizes.slice(WARM_UP, WARM_UP + SPAN), sizes.slice(WARM_UP + SPAN)];
      const all = (one: (typeof sizes)[number]): number => [...one.values()].reduce((sum, kib) => sum + kib, 0);
      record('requests refused', refused, { atMost: 0 });
      record('size of the database', largest(first, all), undefined, 'KiB');
      const growth = (largest(second, all) / largest(first, all) - 1) * 100;
      const grown = [...(sizes[0]?.keys() ?? [])].flatMap((name) => {
        const [before, after] = [first, second].map((span) => largest(span, (one) => one.get(name) ?? 0));
        return before === after ? [] : [`${name} ${before} → ${after} KiB`];
      });
      record('growth of the largest size over as many days again', growth, { atMost: MAX_GROWTH }, '%');
      expect({ late, grown: growth > MAX_GROWTH ? grown : [] }).toEqual({ late: [], grown: [] });
    },
    RUN_MS,
  );
});
