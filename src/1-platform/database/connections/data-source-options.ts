import { join } from 'node:path';
import type { DataSourceOptions } from 'typeorm';
import pg from 'pg';
import { DatabasePool } from './database-pool';
import type { DatabaseWatch } from './database-watch';
import { LOCK_WAIT_MS } from '../transactions/lock-contention';
import { SnakeNamingStrategy } from '../rows/naming-strategy';
import { valueTypes } from './value-types';

interface PoolSettings {
  databaseUrl: string;
  poolSize: number;
  statementTimeoutMs: number;
  /** Absent for tools that run once and end. */
  watch?: DatabaseWatch;
  /** Further settings of each session. */
  session?: Readonly<Record<string, string>>;
}

/**
 * A server that hears nothing of this process for this long ends the session, and lets go of its locks: the
 * network between them is gone, or the process stands still in the middle of a transaction.
 */
const SERVER_GIVES_UP_MS = 3_000;

/** Settings that some platforms of servers do not have; a session goes without those. */
const SERVER_SOCKET = {
  tcp_keepalives_idle: '1',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '2',
  tcp_user_timeout: String(SERVER_GIVES_UP_MS),
  // While a statement runs, or waits for a lock, the server looks whether somebody still waits for it.
  client_connection_check_interval: '1s',
};

/**
 * Statements are not compiled to machine code: that takes up to a second for each plan whose cost PostgreSQL
 * overestimates, and no statement here runs long enough to make up for it.
 */
const NO_JIT = { jit: 'off' };

/** Time-outs and parsers that every connection of the service has, whichever pool it belongs to. */
export const connectionOptions = ({ databaseUrl, poolSize, statementTimeoutMs, watch, session }: PoolSettings) => ({
  connectionString: databaseUrl,
  max: poolSize,
  types: valueTypes,
  application_name: 'checkpoint-control-plane',
  idleTimeoutMillis: 30_000,
  statement_timeout: statementTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 1_000,
  ...(watch
    ? {
        watch,
        session: { ...SERVER_SOCKET, ...NO_JIT, ...session },
        lock_timeout: Math.min(statementTimeoutMs, LOCK_WAIT_MS),
        idle_in_transaction_session_timeout: SERVER_GIVES_UP_MS,
        // Above the server's own time-out: it fires only where the server does not answer at all.
        answerWithinMs: statementTimeoutMs + 1_000,
      }
    : {
        // A database that cannot be reached is reported quickly.
        connectionTimeoutMillis: 1_000,
        lock_timeout: Math.min(statementTimeoutMs, 10_000),
        idle_in_transaction_session_timeout: 30_000,
        query_timeout: statementTimeoutMs + 1_000,
      }),
});

/**
 * Options of TypeORM, which gets its connections from the service's own pool.
 * @param pool of the service; absent for tools that run once and end
 */
export function dataSourceOptions(settings: PoolSettings, pool?: DatabasePool): DataSourceOptions {
  const { connectionString, max, ...extra } = connectionOptions(settings);
  const ownPool = function (): DatabasePool {
    return pool ?? new DatabasePool({ connectionString, max, ...extra });
  };
  return {
    type: 'postgres',
    driver: { Pool: ownPool, defaults: pg.defaults },
    url: connectionString,
    poolSize: max,
    extra,
    namingStrategy: new SnakeNamingStrategy(),
    entities: [join(__dirname, '../../..', '**', '*.{entity,entities}.{ts,js}')],
    migrations: [join(__dirname, '../migrations', '*.{ts,js}')],
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  };
}
