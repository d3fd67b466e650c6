import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/1-platform/database/connections/data-source-options';
import type { Service } from './service';

/**
 * Simulates an upgrade from the version before a migration: reverts it and all later ones, and runs them
 * again.
 */
export async function migrateAgain({ environment }: Service, migration: string): Promise<void> {
  const source = new DataSource(
    dataSourceOptions({ databaseUrl: environment.databaseUrl ?? '', poolSize: 2, statementTimeoutMs: 30_000 }),
  );
  await source.initialize();
  try {
    for (;;) {
      const [last] = await source.query<{ name: string }[]>('select name from migrations order by id desc limit 1');
      await source.undoLastMigration();
      if (last?.name === migration) break;
    }
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
}
