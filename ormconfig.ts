import { DataSource } from 'typeorm';
import { dataSourceOptions } from './src/1-platform/database/connections/data-source-options';

/** For TypeORM's command line: generates and checks migrations against the database of `DATABASE_URL`. */
export default new DataSource(
  dataSourceOptions({ databaseUrl: process.env.DATABASE_URL ?? '', poolSize: 2, statementTimeoutMs: 60_000 }),
);
