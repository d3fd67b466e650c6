import { join } from 'node:path';
import type { DataSourceOptions } from 'typeorm';
import { SnakeNamingStrategy } from './naming-strategy';
import { valueTypes } from './value-types';

interface PoolSettings {
  databaseUrl: string;
  poolSize: number;
  statementTimeoutMs: number;
}

/** Time-outs and parsers that every connection of the service has, whichever pool it belongs to. */
export const connectionOptions = ({ databaseUrl, poolSize, statementTimeoutMs }: PoolSettings) => ({
  connectionString: databaseUrl,
  max: poolSize,
  types: valueTypes,
  application_name: 'checkpoint-control-plane',
  // A database that cannot be reached is told to the caller quickly.
  connectionTimeoutMillis: 1_000,
  idleTimeoutMillis: 30_000,
  statement_timeout: statementTimeoutMs,
  lock_timeout: Math.min(statementTimeoutMs, 10_000),
  idle_in_transaction_session_timeout: 30_000,
  // Above the server's own time-out: it fires only where the server does not answer at all.
  query_timeout: statementTimeoutMs + 1_000,
  keepAlive: true,
});

/** @param settings absent for the command line tool, which takes `DATABASE_URL` itself */
export function dataSourceOptions(settings: PoolSettings): DataSourceOptions {
  const { connectionString, connectionTimeoutMillis, max, ...extra } = connectionOptions(settings);
  return {
    type: 'postgres',
    url: connectionString,
    connectTimeoutMS: connectionTimeoutMillis,
    poolSize: max,
    extra,
    namingStrategy: new SnakeNamingStrategy(),
    entities: [join(__dirname, '..', '**', '*.{entity,entities}.{ts,js}')],
    migrations: [join(__dirname, 'migrations', '*.{ts,js}')],
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  };
}
