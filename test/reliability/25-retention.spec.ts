import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { newId } from '../../src/1-platform/common/ids';
import { DAY, SECOND } from '../support/durations';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm } from '../support/form';
import { cluster } from '../support/inventory';
import { sumFaults } from '../support/ledger';
import { PRICED, routeTo } from '../support/chat';
import { authorize, issueKey } from '../support/inference';
import { buildEvent, createProfile, setState } from '../support/profiles';
import { body1, HEADERS_1 } from '../support/remote-write';
import { ADMIN_TOKEN, Caller, Service, type Answer } from '../support/service';
import { nodeResource, podResource } from '../support/workloads';

/** Retention of everything that has one, in days. Events of the outbox have seven of their own. */
const KEPT = 3;
/** Days until everything that is kept is there: a week of the audit trail, and what is kept behind it. */
const WARM_UP = 14;
/** Two spans that are compared, of whole weeks, because the audit trail goes by weeks. */
const SPAN = inForm(7, 28);
const DAYS = WARM_UP + 2 * SPAN;
/** Of each kind, in a day. */
const REQUESTS = inForm(1, 30);
/** Requests of a key that a router serves, and one more that it does not. */
const KEYED = inForm(20, 30);
const SAMPLES = inForm(200, 2_000);
/** Of a profile that has had more than the 100 that stay. */
const STARTS = inForm(2, 30);
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

const STARTED = `
  insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, beginning_reported, ended_at)
  select $1, gen_random_uuid(), $2, 1, at, true, false, at
  from generate_series(1, 105) n, lateral (select now() - make_interval(hours => n) as at) at`;

/** The tables whose rows go, with the time by which they do, and how many days a row may stay. */
const AGING: readonly (readonly [table: string, at: string, days: number])[] = [
  ['audit_entries', 'occurred_at', KEPT + 8],
  ['lifecycle_events', 'occurred_at', KEPT + 1],
  ['usage_records', 'occurred_at', KEPT + 1],
  // A sum stays until the last request that it may have is too old.
  ['usage_rollups', "bucket + step * interval '1 second'", KEPT + 1],
  ['router_samples', 'measured_at', KEPT + 1],
  ['grouped_samples', 'sampled_at', KEPT + 2],
  ['outbox_events', 'created_at', 8],
  ['idempotency_keys', 'created_at', 3],
  // Settled ones are known for seven days.
  ['authorizations', 'created_at', 8],
  ['warm_waits', 'hour', KEPT + 1],
  ['busy_minutes', 'minute', KEPT + 1],
  ['busy_hours', 'hour', KEPT + 1],
  ['busy_spans', "bucket + step * interval '1 second'", KEPT + 1],
  ['actions', 'created_at', KEPT + 1],
  ['checkpoints', 'created_at', KEPT + 1],
  ['restores', 'created_at', KEPT + 1],
  ['restore_events', 'received_at', KEPT + 1],
  ['operation_facts', 'started_at', KEPT + 1],
  ['operation_stages', 'recorded_at', KEPT + 8],
  ['ledger_entries', 'occurred_at', KEPT + 8],
  // Those at the ends of partitions.
  ['ledger_balances', 'at', KEPT + 8],
  ['capacity_asks', 'requested_at', KEPT + 2],
  ['pods', 'synced_at', KEPT + 1],
  ['observations', 'started_at', KEPT + 1],
];

/** The sweeps that remove such rows, and the one that numbers events. */
const DAILY = [
  'partitions',
  'ledger balances',
  'old partitions',
  'old rows',
  'lifecycle history',
  // It closes those that were never reported.
  'authorizations',
  'usage history',
  // These take what triggers note.
  'operation sums',
  'worker sums',
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
    await service.db.query('drop table audit_entries_before, operation_stages_before');
    // As these would, by months.
    await service.db.query(`
      do $$ declare one text; begin
        for one in select p.name from unnest(array['ledger_entries', 'ledger_balances']) t, partitions_of(t) p
        loop execute format('drop table %I', one); end loop;
      end $$`);
  });
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  it(
    'leaves the database as large as it was after the first ones',
    async () => {
      const { app, as } = await service.replica({
        auditRetentionDays: KEPT,
        ledgerRetentionDays: KEPT,
        lifecycleRetentionDays: KEPT,
        usageRetentionDays: KEPT,
        metricsRetentionDays: KEPT,
        operationRetentionDays: KEPT,
        startRetentionDays: KEPT,
        podRetentionDays: KEPT,
        historyRetentionDays: KEPT,
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
      const { profile_id: profileId } = await createProfile(org, PRICED);
      const { profile_id: startedId } = await createProfile(org);
      const model = await routeTo(org, [profileId]);
      const key = as((await issueKey(service, made, { budget_usd: 1_000_000 })).rawKey);
      await service.db.query(STARTED, [org.id, startedId]);
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
      let [sent, wait] = [0, 0];
      const refused: string[] = [];
      const send = async (request: () => Promise<Answer>): Promise<Answer> => {
        const answer = await request();
        sent++;
        if (answer.status >= 300) refused.push(answer.text);
        return answer;
      };
      const info = { components: ['freeze', 'dump', 'upload'].map((name) => ({ name, duration: 5, io: 1 })) };
      const node = nodeResource('node-1');
      /** A pod whose checkpoint fails, and which is restored from an older one; then it is gone. */
      const podOfADay = async (): Promise<void> => {
        const uid = newId();
        const sync = (version: number, more: object) => {
          const resource = podResource({ uid, version, createdAt: now().toISOString() });
          const metadata = { ...resource.metadata, ...more };
          return org.controller.post('/v1/cluster/sync', {
            cluster_id: clusterId,
            resource: { ...resource, metadata },
          });
        };
        await send(() => org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource: node }));
        await send(() => sync(1, {}));
        const asked = await send(() => org.operator.post('/v1/checkpoint/pod', { pod_id: uid }));
        const made = await send(() => org.controller.post('/v1/checkpoints', { action_id: asked.text }));
        const report = { gpu: '', platform: 'linux', info, error: 'no space left on device' };
        await send(() => org.controller.put(`/v1/checkpoints/info/${made.text}`, report));
        const restore = {
          restore_uuid: newId(),
          checkpoint_id: newId(),
          pod_uid: uid,
          started_at: now().toISOString(),
        };
        await send(() => org.controller.post('/v1/restores/events/restore_start', restore));
        const ended = { ...restore, runtime_metadata: info };
        await send(() => org.controller.post('/v1/restores/events/restore_success', ended));
        const gone = podResource({ uid, version: 2, phase: 'Succeeded', createdAt: now().toISOString() });
        const metadata = { ...gone.metadata, deletionTimestamp: now().toISOString() };
        const resource = { ...gone, metadata };
        await send(() => org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource }));
      };
      /** A worker that starts, and stops. */
      const startOfADay = async (): Promise<void> => {
        const worker = { workload_uid: newId(), occurred_at: now().toISOString() };
        for (const kind of ['worker.pulling', 'worker.stopped']) {
          const event = buildEvent(clusterId, startedId, { ...worker, kind });
          await send(() => org.controller.post('/v1/inference/lifecycle-events', event));
        }
      };
      const observe = () =>
        org.controller.post('/v1/inference/observations', {
          ...{ observation_key: newId(), event_type: 'load', evidence: 'measured', source: 'tests' },
          ...{ profile_id: profileId, started_at: now().toISOString() },
        });
      const admit = async (): Promise<string> => {
        const request_id = newId();
        await send(() => authorize(key, model, { request_id, estimated_prompt_tokens: 10 }));
        return request_id;
      };
      const serve = async (): Promise<void> => {
        const request_id = await admit();
        const used = { profile_id: profileId, prompt_tokens: 10, completion_tokens: 10 };
        const took = { activation_path: 'warm', queue_ms: 5, stream_duration_ms: 50, end_to_end_latency_ms: 60 };
        const telemetry = { request_id, logical_model: model, status_code: 200, ...used, ...took };
        await send(() => org.controller.post('/v1/inference/router/telemetry', telemetry));
      };
      const day = async (): Promise<void> => {
        for (let n = 0; n < REQUESTS; n++) for (const request of requests) await send(request);
        for (let n = 0; n < KEYED; n++) await serve();
        // The reservation is given back.
        await admit();
        for (let n = 0; n < REQUESTS; n++) {
          await podOfADay();
          await send(observe);
          for (const replicas of [1, 2])
            await send(() =>
              setState(org.operator, startedId, { desired_state: 'Active', desired_replicas: replicas }),
            );
        }
        for (let n = 0; n < STARTS; n++) await startOfADay();
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
        late.push(...(await sumFaults(db)).map((fault) => JSON.stringify(fault)));
        // The newest 100 of a profile stay.
        const { rows: starts } = await db.query<{ left: number }>('select count(*)::int as left from starts');
        const left = starts[0]?.left ?? NaN;
        if (!(left <= 100 + STARTS * (KEPT + 2))) late.push(`starts: ${left} are left`);
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
      record('requests refused', refused.length, { atMost: 0 });
      record('size of the database', largest(first, all), undefined, 'KiB');
      const growth = (largest(second, all) / largest(first, all) - 1) * 100;
      const grown = [...(sizes[0]?.keys() ?? [])].flatMap((name) => {
        const [before, after] = [first, second].map((span) => largest(span, (one) => one.get(name) ?? 0));
        return before === after ? [] : [`${name} ${before} → ${after} KiB`];
      });
      record('growth of the largest size over as many days again', growth, { atMost: MAX_GROWTH }, '%');
      expect({ refused: refused.slice(0, 3), late, grown: growth > MAX_GROWTH ? grown : [] }).toEqual({
        refused: [],
        late: [],
        grown: [],
      });
    },
    RUN_MS,
  );
});
