import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from './connections/data-source-options';
import { adoptBaseline } from './schema/adopt-baseline';
import { applySchemaObjects } from './schema/apply-objects';
import { readSchemaObjects } from './schema/schema-objects';
import { SCHEMA_REVISION } from './schema/schema-revision';

/** Any number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_264_113_520;
const LOCK = `select pg_advisory_lock(${MIGRATION_LOCK})`;
const UNLOCK = `select pg_advisory_unlock(${MIGRATION_LOCK})`;

/**
 * Brings a database to the newest schema: tables by migrations, then functions, views and triggers by their
 * files. Replicas that start together take turns.
 *
 * @throws UnknownSchemaError for a database that it cannot bring there
 */
export async function migrate(databaseUrl: string): Promise<void> {
  // A migration may take as long as its tables are large.
  const dataSource = new DataSource({
    ...dataSourceOptions({ databaseUrl, poolSize: 2, statementTimeoutMs: 3_600_000 }),
  });
  await dataSource.initialize();
  try {
    const turn = dataSource.createQueryRunner();
    // The second one waits for the whole migration; the migration itself waits for others' locks for a
    // limited time only.
    await turn.query('set lock_timeout = 0');
    await turn.query(LOCK);
    try {
      await withRunner(dataSource, adoptBaseline);
      await dataSource.runMigrations();
      await withRunner(dataSource, (runner) => applySchemaObjects(runner, readSchemaObjects(), SCHEMA_REVISION));
    } finally {
      await turn.query(UNLOCK);
      await turn.release();
    }
  } finally {
    await dataSource.destroy();
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
  return row?.made === true && !(await dataSource.showMigrations());
}

const OLDEST_POSTGRES = 150_000;
const INSPECT = `
  select current_setting('server_version_num')::int as version, (rolsuper or rolbypassrls) as bypass
  from pg_roles where rolname = current_user`;

/** What an operator must know about a database; `fault` prevents the start. */
export async function inspectDatabase(databaseUrl: string): Promise<{ fault?: string; warning?: string }> {
  const dataSource = new DataSource({
    ...dataSourceOptions({ databaseUrl, poolSize: 1, statementTimeoutMs: 5_000 }),
    entities: [],
    migrations: [],
  });
  await dataSource.initialize();
  try {
    const [row] = await dataSource.query<{ version: number; bypass: boolean }[]>(INSPECT);
    if (row && row.version < OLDEST_POSTGRES) return { fault: 'DATABASE_URL names a PostgreSQL older than 15' };
    if (row?.bypass)
      return { warning: 'the role of DATABASE_URL bypasses row level security: use one that is not a superuser' };
    return {};
  } finally {
    await dataSource.destroy();
  }
}
