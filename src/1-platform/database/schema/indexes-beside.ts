import type { MigrationInterface, QueryRunner } from 'typeorm';
import { EndedJobsOfClusters1795442400000 } from '../migrations/1795442400000-EndedJobsOfClusters';
import { FailedOperations1795430400000 } from '../migrations/1795430400000-FailedOperations';
import { ListsOfPodsAndJobs1795449600000 } from '../migrations/1795449600000-ListsOfPodsAndJobs';
import { buildBeside } from './build-beside';

/**
 * Migrations that make indexes and nothing else, of tables that the baseline has. In a transaction, nobody
 * could write to a table while its index is built. A new migration calls `buildBeside` itself.
 */
const ONLY_INDEXES = [
  FailedOperations1795430400000,
  EndedJobsOfClusters1795442400000,
  ListsOfPodsAndJobs1795449600000,
] as const;

const CREATE_INDEX = /^\s*CREATE INDEX "(\w+)"/;

const HAS_TABLES = "select to_regclass('migrations') is not null and to_regclass('pods') is not null as has";
const KNOWN = 'select name from migrations';
const record = (name: string): string =>
  `insert into migrations (timestamp, name) values (${/(?<!\d)\d+$/.exec(name)?.[0]}, '${name}')`;

/**
 * Builds the indexes of those migrations beside the traffic, and records that they have run. Call it under
 * the lock of the migrations, and before them. A new database has nothing to build: its migrations run as
 * usual.
 */
export async function buildIndexesBeside(runner: QueryRunner): Promise<void> {
  const [{ has }] = (await runner.query(HAS_TABLES)) as [{ has: boolean }];
  if (!has) return;
  const known = (await runner.query(KNOWN)) as { name: string }[];
  for (const migration of ONLY_INDEXES.map((made) => new made())) {
    if (known.some(({ name }) => name === migration.name)) continue;
    for (const statement of await statementsOf(migration)) {
      const index = CREATE_INDEX.exec(statement)?.[1];
      if (index === undefined) throw new Error(`${migration.name} does more than to make indexes`);
      await buildBeside(runner, index, statement.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'));
    }
    await runner.query(record(migration.name));
  }
}

/** What a migration would run. */
async function statementsOf(migration: MigrationInterface): Promise<string[]> {
  const statements: string[] = [];
  const noted = {
    query: (statement: string): Promise<void> => {
      statements.push(statement);
      return Promise.resolve();
    },
  };
  await migration.up(noted as unknown as QueryRunner);
  return statements;
}
