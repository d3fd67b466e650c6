import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment';
import { ENVIRONMENT } from '../config/config.module';
import { LOGGER } from '../common/logger';
import { connectionOptions } from './data-source-options';
import type { Statement } from './tx';

/**
 * Before a new connection serves its first statement; `jit` as in units of work. Not an option of its start: a URL may hold options of its own, and
 * some proxies refuse them.
 */
function openToSystem(client: pg.PoolClient, done: (error?: Error) => void): void {
  client.query("set app.system = 'on'; set jit = off").then(() => done(), done);
}

/**
 * Runs single named prepared statements outside a transaction: the token look-up of every request and, later, the hot
 * routes. These connections pass by row level security, so that one statement is one round trip: each of its statements
 * carries the organisation itself and is covered by the tests that read across organisations.
 */
@Injectable()
export class StatementPool implements OnApplicationShutdown {
  readonly pool: pg.Pool;
  private readonly lastWork: (() => Promise<void>)[] = [];

  constructor(@Inject(ENVIRONMENT) environment: Environment, @Inject(LOGGER) logger: Logger) {
    const { databaseUrl = '', databasePoolSize, databaseStatementTimeoutMs } = environment;
    this.pool = new pg.Pool({
      ...connectionOptions({
        databaseUrl,
        poolSize: databasePoolSize,
        statementTimeoutMs: Math.min(databaseStatementTimeoutMs, 2_000),
      }),
      verify: openToSystem,
    });
    // Without a listener, a connection lost while idle ends the process.
    this.pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection was lost'));
  }

  async run<R extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<R[]> {
    return (await this.pool.query<R>({ ...statement, values })).rows;
  }

  /** What must still be written when the service stops: runs when the last request was answered. */
  beforeEnd(work: () => Promise<void>): void {
    this.lastWork.push(work);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.lastWork.map((work) => work()));
    await this.pool.end();
  }
}
