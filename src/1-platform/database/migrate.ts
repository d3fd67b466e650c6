import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from './connections/data-source-options';
import { isLockBusy } from './connections/database-errors';
import { adoptBaseline } from './schema/adopt-baseline';
import { applySchemaObjects, hasSchemaObjects } from './schema/apply-objects';
import { buildIndexesBeside } from './schema/indexes-beside';
import { readSchemaObjects } from './schema/schema-objects';
import { SCHEMA_REVISION } from './schema/schema-revision';
import { bind, statement } from './transactions/statement';

/** Any number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_264_113_520;
const TRY_LOCK = `select pg_try_advisory_lock(${MIGRATION_LOCK}) as locked`;
const LOCK_PAUSE_MS = 100;
/** How long a statement of a migration waits for a table. Those who come meanwhile wait behind it. */
const TABLE_WAIT_MS = 50;
/** PostgreSQL ends an autovacuum in the way only for who waits longer than `deadlock_timeout`, a second. */
const LONG_WAIT_MS = 1_200;
/** Every so many attempts wait that long. */
const LONG_WAIT_EVERY = 20;
/** How often a migration is tried while others hold its tables. */
const TABLE_ATTEMPTS = 1_200;
const TABLE_PAUSE_MS = 400;
const UNLOCK = `select pg_advisory_unlock(${MIGRATION_LOCK})`;

/**
 * Brings a database to the newest schema: tables by migrations, then functions, views and triggers by their
 * files. Replicas that start together take turns.
 *
 * @throws UnknownSchemaError for a database that it cannot bring there
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const dataSource = await open(databaseUrl, TABLE_WAIT_MS);
  try {
    const turn = dataSource.createQueryRunner();
    // Asked again and again: a statement that waits is a transaction, and an index that is built beside the
    // traffic waits for every transaction. Both would wait for ever.
    while (!(await isLocked(turn))) await sleep(LOCK_PAUSE_MS);
    try {
      const objects = readSchemaObjects();
      for (const step of [
        (on: DataSource) => withRunner(on, adoptBaseline),
        (on: DataSource) => withRunner(on, buildIndexesBeside),
        (on: DataSource) => on.runMigrations(),
        (on: DataSource) => withRunner(on, (runner) => applySchemaObjects(runner, objects, SCHEMA_REVISION)),
      ])
        await patiently(step, dataSource, databaseUrl);
    } finally {
      await turn.query(UNLOCK);
      await turn.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

/** A migration may take as long as its tables are large. @param lockTimeoutMs of each of its statements */
async function open(databaseUrl: string, lockTimeoutMs: number): Promise<DataSource> {
  const options = dataSourceOptions({ databaseUrl, poolSize: 2, statementTimeoutMs: 3_600_000, lockTimeoutMs });
  // Migrations are statements: they need no entities, whose metadata takes time at every start.
  return new DataSource({ ...options, entities: [] }).initialize();
}

async function isLocked(runner: QueryRunner): Promise<boolean> {
  const [{ locked }] = (await runner.query(TRY_LOCK)) as [{ locked: boolean }];
  return locked;
}

/**
 * A long transaction of others delays a migration, but not those who would wait behind it. Each migration is
 * a transaction, or may be repeated: those that are done stay done.
 */
async function patiently(
  work: (on: DataSource) => Promise<unknown>,
  dataSource: DataSource,
  databaseUrl: string,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const waits = attempt % LONG_WAIT_EVERY === 0 ? await open(databaseUrl, LONG_WAIT_MS) : undefined;
    try {
      await work(waits ?? dataSource);
      return;
    } catch (error) {
      if (!isLockBusy(error) || attempt === TABLE_ATTEMPTS) throw error;
    } finally {
      await waits?.destroy();
    }
    await sleep(TABLE_PAUSE_MS);
  }
}

async function withRunner(dataSource: DataSource, work: (runner: QueryRunner) => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await work(runner);
  } finally {
    await runner.release();
  }
}

const MADE = "select to_regclass('migrations') is not null as made";

/** Whether a database has the schema of this release. Changes nothing. */
export async function isMigrated(dataSource: DataSource): Promise<boolean> {
  const [row] = await dataSource.query<{ made: boolean }[]>(MADE);
  if (row?.made !== true || (await dataSource.showMigrations())) return false;
  // Functions, views and triggers come after the migrations, and a release may change only those.
  return hasSchemaObjects(dataSource, readSchemaObjects(), SCHEMA_REVISION);
}

const OLDEST_POSTGRES = 150_000;
const INSPECT_TIMEOUT_MS = 5_000;
const INSPECT = `
  select current_setting('server_version_num')::int as version, (rolsuper or rolbypassrls) as bypass,
    (select setting::int from pg_settings where name = 'statement_timeout') as timeout
  from pg_roles where rolname = current_user`;

/** A pooler that lends connections for one transaction refuses settings of a session, or ignores them. */
const REFUSED_SETTING = /unsupported startup parameter/;
const NEEDS_LISTEN_URL =
  'DATABASE_URL names a pooler without sessions: DATABASE_LISTEN_URL must name the database itself';

interface Inspected {
  fault?: string;
  warning?: string;
}

/**
 * What an operator must know about a database; `fault` prevents the start.
 * @param listenUrl the database itself, if `databaseUrl` is a pooler
 */
export async function inspectDatabase(databaseUrl: string, listenUrl?: string): Promise<Inspected> {
  const direct = { databaseUrl: listenUrl ?? databaseUrl, poolSize: 1, statementTimeoutMs: INSPECT_TIMEOUT_MS };
  const dataSource = new DataSource({ ...dataSourceOptions(direct), entities: [], migrations: [] });
  try {
    await dataSource.initialize();
  } catch (error) {
    if (REFUSED_SETTING.test((error as Error).message)) return { fault: NEEDS_LISTEN_URL };
    throw error;
  }
  try {
    const [row] = await dataSource.query<{ version: number; bypass: boolean; timeout: number }[]>(INSPECT);
    if (row && row.version < OLDEST_POSTGRES) return { fault: 'DATABASE_URL names a PostgreSQL older than 15' };
    if (row?.timeout !== INSPECT_TIMEOUT_MS) return { fault: NEEDS_LISTEN_URL };
    if (listenUrl !== undefined && !(await isSameDatabase(dataSource, databaseUrl)))
      return { fault: 'DATABASE_LISTEN_URL names another database or role than DATABASE_URL' };
    if (row.bypass)
      return { warning: 'the role of DATABASE_URL bypasses row level security: use one that is not a superuser' };
    return {};
  } finally {
    await dataSource.destroy();
  }
}

const HOLD = statement(
  'inspect-hold',
  'select current_user as role, pg_advisory_lock($number::bigint) is null as locked',
);
const IS_FREE = statement(
  'inspect-is-free',
  'select current_user as role, pg_try_advisory_xact_lock($number::bigint) as free',
  { query_timeout: INSPECT_TIMEOUT_MS, planned_each_time: true },
);

/** Whether a pooler reaches the database of a session: a lock that the session holds is busy there. */
async function isSameDatabase(session: DataSource, pooled: string): Promise<boolean> {
  const number = randomInt(2 ** 32);
  const [own] = await session.query<{ role: string }[]>(HOLD.text, [number]);
  const client = new pg.Client({ connectionString: pooled, connectionTimeoutMillis: INSPECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ role: string; free: boolean }>(bind(IS_FREE, { number }));
    return rows[0]?.free === false && rows[0].role === own?.role;
  } finally {
    await client.end();
  }
}
