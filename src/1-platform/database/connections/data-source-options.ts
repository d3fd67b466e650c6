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
  /** Whether a pooler is at that address that lends connections for one transaction. Needs a watch. */
  pooled?: boolean;
  poolSize: number;
  statementTimeoutMs: number;
  /** Missing for tools that run once and end. */
  watch?: DatabaseWatch;
  /** How long a statement waits for a lock, if that is not the usual time. */
  lockTimeoutMs?: number;
  /** Additional settings of each session. Needs a watch. */
  session?: Readonly<Record<string, string>>;
}

/**
 * If the server hears nothing of this process for this long, it ends the session and releases its locks: the
 * network is broken, or the process hangs in the middle of a transaction.
 */
const SERVER_GIVES_UP_MS = 3_000;

/** Settings that some platforms of servers lack; a session omits those. */
const SERVER_SOCKET = {
  tcp_keepalives_idle: '1',
  tcp_keepalives_interval: '1',
  tcp_keepalives_count: '2',
  tcp_user_timeout: String(SERVER_GIVES_UP_MS),
  // During a statement or a wait for a lock, the server checks whether the client still exists.
  client_connection_check_interval: '1s',
};

/**
 * Disables the compilation of plans to machine code: it takes up to a second for each plan whose cost
 * PostgreSQL overestimates, and no statement here runs long enough to compensate for it.
 */
const NO_JIT = { jit: 'off' };

/** Timeouts and parsers of every connection, whichever pool it belongs to. */
export const connectionOptions = (settings: PoolSettings) => {
  const { databaseUrl, poolSize, statementTimeoutMs, watch } = settings;
  return {
    connectionString: databaseUrl,
    max: poolSize,
    types: valueTypes,
    application_name: 'checkpoint-control-plane',
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 1_000,
    ...(watch
      ? // The limit of the watch is above the server's: it fires only if the server does not answer at all.
        { watch, answerWithinMs: statementTimeoutMs + 1_000, ...watchedSession(settings) }
      : {
          // An unreachable database is reported quickly.
          connectionTimeoutMillis: 1_000,
          statement_timeout: statementTimeoutMs,
          lock_timeout: Math.min(statementTimeoutMs, settings.lockTimeoutMs ?? 10_000),
          idle_in_transaction_session_timeout: 30_000,
          query_timeout: statementTimeoutMs + 1_000,
        }),
  };
};

/** A pooler refuses most settings at the start, and its connections are not the service's own. */
function watchedSession({ pooled = false, statementTimeoutMs, session, lockTimeoutMs = LOCK_WAIT_MS }: PoolSettings) {
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(statementTimeoutMs, lockTimeoutMs),
    idle_in_transaction_session_timeout: SERVER_GIVES_UP_MS,
  };
  if (!pooled) return { ...timeouts, session: { ...SERVER_SOCKET, ...NO_JIT, ...session } };
  const texts = Object.entries(timeouts).map(([name, value]) => [name, String(value)]);
  return { transaction: { ...Object.fromEntries(texts), ...NO_JIT, ...session } as Record<string, string> };
}

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
