import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { newId } from '../../../../src/1-platform/common/ids';
import { dataSourceOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { migrate } from '../../../../src/1-platform/database/migrate';
import { readSchemaObjects } from '../../../../src/1-platform/database/schema/schema-objects';
import { DAY } from '../../../support/durations';
import { schemaOf } from '../../../support/schema';
import { cloneDatabase, dropDatabase, testServer } from '../../../support/test-server';
import { historyOf } from '../../../support/usage-history';
import { buildRequest, writeRequests } from '../../../support/usage-records';
import { keptSums, sumsOf } from '../../../support/usage-sums';

/** Far below the seconds for which somebody holds the tables here. */
const SHORT_MS = 1_000;
const HELD_MS = 3_000;
const ORG = newId();
const ENDS_OF_FAILED = 'EndsOfFailedStarts1795570000000';
const SUMS_OF_DAYS = 'UsageByDay1795491000000';
/** What stays of a sum whose requests were all taken out. */
const NO_REQUEST = ' 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0';

const idsOf = (requests: readonly { readonly request_id: string }[]): string[] =>
  requests.map(({ request_id: id }) => id);

/** Rows of days, and of ten days. */
const sumsOfDays = async (db: pg.Client): Promise<number[]> => {
  const { rows } = await db.query<{ days: number; ten: number }>(
    'select count(*) filter (where step = 86400)::int as days, count(*) filter (where step = 864000)::int as ten from usage_rollups',
  );
  return [rows[0]?.days ?? 0, rows[0]?.ten ?? 0];
};

describe('the migrations of a database at the baseline', () => {
  let database: { name: string; url: string };
  let source: DataSource;

  beforeEach(async () => {
    database = await cloneDatabase(testServer());
    source = new DataSource(dataSourceOptions({ databaseUrl: database.url, poolSize: 2, statementTimeoutMs: 60_000 }));
    await source.initialize();
  });
  afterEach(async () => {
    await source.destroy();
    await dropDatabase(testServer(), database.name);
  });

  const connected = async (options = ''): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url, options });
    await client.connect();
    return client;
  };

  it.each([
    ['reads', 'select from pods', 'select from outbox_events'],
    ['writes', 'delete from pods', 'delete from outbox_events'],
  ])(
    'keep nobody waiting behind a transaction that %s their tables for long, and end with the same schema',
    async (_does, ...held) => {
      const schema = await schemaOf(source);
      for (let left = source.migrations.length; left > 1; left--) await source.undoLastMigration();
      const holder = await connected();
      await holder.query('begin');
      for (const statement of held) await holder.query(statement);
      const migrated = migrate(database.url);

      const other = await connected(`-c statement_timeout=${SHORT_MS}`);
      const until = performance.now() + HELD_MS;
      while (performance.now() < until) {
        // Both would queue behind a migration that waits for the tables.
        for (const table of ['pods', 'outbox_events']) {
          await other.query(`select from ${table} limit 1`);
          await other.query(`update ${table} set org_id = org_id where false`);
        }
        await sleep(5);
      }
      await holder.query('commit');
      await migrated;
      await Promise.all([holder.end(), other.end()]);
      expect(await schemaOf(source)).toEqual(schema);
    },
  );

  it('change nothing if one was killed before it was recorded, and is repeated', async () => {
    const runner = source.createQueryRunner();
    // Functions are written again at the end of all migrations.
    const tables = async () => ({ ...(await schemaOf(source)), functions: [] });
    let repeated = 0;
    for (const migration of source.migrations.slice(1).toReversed()) {
      // Those in a transaction are recorded in it.
      if (migration.transaction === false) {
        const schema = await tables();
        await migration.up(runner);
        expect([migration.name, await tables()]).toEqual([migration.name, schema]);
        repeated++;
      }
      await source.undoLastMigration();
    }
    await runner.release();
    expect(repeated).toBeGreaterThan(10);
  });

  it('shorten the phase of a pod that no index could hold', async () => {
    for (let left = source.migrations.length; left > 1; left--) await source.undoLastMigration();
    const db = await connected('-c app.system=on');
    const text = (length: number) =>
      `(select string_agg(chr(19968 + (random() * 20000)::int), '') from generate_series(1, ${length}))`;
    await db.query("insert into organisations (id, name, created_at) values ($1, 'long', now())", [ORG]);
    await db.query("insert into clusters (org_id, id, name, kind) values ($1, $1, 'long', 'kubernetes')", [ORG]);
    await db.query(
      `insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers,
         restarts, labels, object, deleted, resource_version, created_at)
       values ($1, $1, $1, 'pod', ${text(253)}, ${text(253)}, ${text(253)}, ${text(300)}, 1, 1, 0, '{}', '{}', false, 1, now())`,
      [ORG],
    );
    const { rows: before } = await db.query('select phase from pods');
    await migrate(database.url);
    const { rows: after } = await db.query('select phase from pods');
    await db.end();
    expect(after).toEqual([{ phase: before[0].phase.slice(0, 64) }]);
  });

  it('end each start when it failed, unless it was ready later, also one that somebody else holds meanwhile', async () => {
    const later = source.migrations.findIndex(({ name }) => name === ENDS_OF_FAILED);
    for (let left = source.migrations.length; left > later; left--) await source.undoLastMigration();
    const db = await connected('-c app.system=on');
    await db.query("insert into organisations (id, name, created_at) values ($1, 'failed', now())", [ORG]);
    await db.query(
      `insert into profiles (org_id, profile_id, logical_model, exact_model, profile_revision, compatibility_key, backend_url,
         hosting_mode, spec, estimated_cold_start_ms, min_replicas, max_replicas, target_concurrency, max_queue_depth,
         scale_down_idle_seconds, checkpoints)
       values ($1, 'served', 'model', 'model', '', '', '', 'dedicated', '{}', 1, 0, 1, 1, 1, 1, false)`,
      [ORG],
    );
    const began = new Date(Date.now() - 2 * DAY);
    /** As the release before writes starts: without a failure, or with one before, during or after it. */
    const write = (count: number) =>
      db.query(
        `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, failed_at,
           reported_failed_at, ended_at, reported_ended_at)
         select $1, gen_random_uuid(), 'served', n, $2, true, ready, failed, failed, ended, ended
         from generate_series(1, $3) n cross join lateral (
           select case when n % 5 = 4 then $2::timestamptz + interval '2 h' end as ready,
             $2 + case n % 5 when 1 then interval '-1 s' when 3 then interval '9 h' when 0 then null else interval '1 h' end as failed,
             case when n % 10 <> 9 then $2 + interval '3 h' end as ended
         ) moments`,
        [ORG, began, count],
      );
    // More than the migration takes at once.
    await write(5_000);
    await db.query('delete from worker_changes');
    const holder = await connected('-c app.system=on');
    await holder.query('begin');
    const { rows: held } = await holder.query<{ id: string }>(
      'select id from starts where failed_at < ended_at order by id limit 1 for update',
    );
    const migrated = migrate(database.url);
    const left = async () =>
      (
        await db.query<{ id: string }>(
          'select id from starts where (failed_at < ended_at and began_at < ended_at) or failed_at < ready_at',
        )
      ).rows;
    while ((await left()).length > 1) await sleep(20);
    expect(await left()).toEqual(held);
    // Replicas of the release before go on.
    await write(10);
    expect(await left()).toEqual(held);
    await holder.query('commit');
    await holder.end();
    await migrated;
    const { rows } = await db.query(
      `select (extract(epoch from ended_at - began_at) / 3600)::int as hours, failed_at is not null as failed,
         count(*)::int as starts, bool_and(reported_failed_at is not distinct from failed_at) as same,
         bool_and(reported_ended_at is null or reported_ended_at = began_at + interval '3 h') as kept
       from starts group by hours, failed order by hours, failed`,
    );
    const all = { same: true, kept: true };
    expect(rows).toEqual([
      { hours: 0, failed: true, starts: 1_002, ...all },
      { hours: 1, failed: true, starts: 1_002, ...all },
      { hours: 3, failed: false, starts: 1_503, ...all },
      { hours: 3, failed: true, starts: 1_002, ...all },
      { hours: null, failed: false, starts: 501, ...all },
    ]);
    // The sums of workers' times are computed anew for each end that changed.
    const { rows: notes } = await db.query('select count(*)::int as notes from worker_changes where since = $1', [
      began,
    ]);
    expect(notes).toEqual([{ notes: 2 * 2_000 + 9 }]);
    await db.end();
  });

  it('add up the requests and the busy time of days, while others are added and taken out', async () => {
    const db = await connected('-c app.system=on');
    const first = buildRequest(0);
    await writeRequests(db, { id: ORG }, first);
    expect(await sumsOfDays(db)).toEqual([1, 1]);
    const later = source.migrations.findIndex(({ name }) => name === SUMS_OF_DAYS);
    for (let left = source.migrations.length; left > later; left--) await source.undoLastMigration();
    expect(await sumsOfDays(db)).toEqual([0, 0]);
    expect((await db.query("select to_regclass('busy_spans') as found")).rows).toEqual([{ found: null }]);
    // As the release before defined them.
    for (const { name, definition } of readSchemaObjects())
      if (['add_usage_rollups', 'take_out_unreported_usage'].includes(name))
        await db.query(definition.replace(', (86400), (864000)', '').replace('1 + repeated as', '1 as'));
    const now = Date.now();
    // That release did not count the time of classifiers, and recorded each refusal.
    const unclassified = { classifier_profile_id: null, classifier_ms: null, repeated: 0 };
    const requests = historyOf(1, 3_000, [now - 40 * DAY, now]).map((one) => ({ ...one, ...unclassified }));
    const unreported = requests.slice(0, 500).map(({ at }) => buildRequest(at));
    const [early, late] = [requests.slice(0, 1_500), requests.slice(1_500)];
    await writeRequests(db, { id: ORG }, ...early, ...unreported);
    await db.query('update usage_records set unreported = true where request_id = any($1)', [idsOf(unreported)]);
    expect(await sumsOfDays(db)).toEqual([0, 0]);

    let migrated = false;
    const migration = migrate(database.url).then(() => (migrated = true));
    let during = 0;
    const working = Array.from({ length: 4 }, async (_, place) => {
      const client = await connected('-c app.system=on');
      const mine = <T>(all: readonly T[]): T[] => all.filter((_one, n) => n % 4 === place);
      for (const [n, request] of mine(late).entries()) {
        await writeRequests(client, { id: ORG }, request);
        const gone = mine(unreported)[n];
        if (gone) await client.query('select take_out_unreported_usage($1, $2)', [[ORG], [gone.request_id]]);
        if (!migrated) during++;
      }
      await client.end();
    });
    await Promise.all([migration, ...working]);
    expect(during).toBeGreaterThan(50);
    const [kept, expected] = [await keptSums(db, { id: ORG }), sumsOf([first, ...requests])];
    expect(kept.usage_rollups.filter((row) => !row.endsWith(NO_REQUEST))).toEqual(expected.usage_rollups);
    expect(kept.busy_hours).toEqual(expected.busy_hours);
    expect(kept.busy_spans).toEqual(expected.busy_spans);
    await db.end();
  });
});
