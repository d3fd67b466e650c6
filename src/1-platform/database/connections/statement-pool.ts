import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Environment } from '../../config/environment';
import { ENVIRONMENT } from '../../config/config.module';
import { LOGGER } from '../../common/logger';
import { connectionOptions } from './data-source-options';
import { isConnectionFault, isLockBusy } from './database-errors';
import { DatabasePool } from './database-pool';
import { DatabaseWatch } from './database-watch';
import { LockContention, OUT_OF_TURN } from '../transactions/lock-contention';
import type { Statement, Values } from '../transactions/statement';
import { boundOf } from '../transactions/tx';

/** A single statement, and its waits for locks, may take this long. */
const STATEMENT_MS = 2_000;
const MAX_KIND = 64;

/**
 * Runs single named prepared statements outside a transaction: the token look-up of every
 * request and, later, the hot routes. These connections pass by row level security, so that one
 * statement is one round trip: each of its statements carries the organisation itself and is
 * covered by the tests that read across organisations.
 */
@Injectable()
export class StatementPool implements OnApplicationShutdown {
  readonly pool: DatabasePool;
  private readonly lastWork: (() => Promise<void>)[] = [];

  private readonly contention: LockContention;
  private readonly patienceMs: number;

  constructor(@Inject(ENVIRONMENT) environment: Environment, @Inject(LOGGER) logger: Logger, watch: DatabaseWatch) {
    const { databaseUrl = '', databasePoolSize, databaseStatementTimeoutMs } = environment;
    this.patienceMs = Math.min(databaseStatementTimeoutMs, STATEMENT_MS);
    this.contention = new LockContention(Math.ceil(databasePoolSize / 2));
    this.pool = new DatabasePool(
      connectionOptions({
        databaseUrl,
        poolSize: databasePoolSize,
        statementTimeoutMs: this.patienceMs,
        watch,
        // Not an option of the start: a URL may hold options of its own, and some proxies refuse them.
        session: { 'app.system': 'on' },
      }),
    );
    // Without a listener, a connection lost while idle ends the process.
    this.pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection was lost'));
  }

  async run<R extends pg.QueryResultRow>(
    statement: Statement | Omit<Statement, 'parameters'>,
    values: Values | readonly unknown[],
  ): Promise<R[]> {
    const query = boundOf(statement, values);
    const owner = ownerOf(values);
    const kind = typeof owner === 'string' && owner.length <= MAX_KIND ? `${statement.name} ${owner}` : statement.name;
    const patienceMs = statement.query_timeout ?? this.patienceMs;
    return this.contention.run(kind, patienceMs, isLockBusy, async (mayGoOn) => {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      try {
        if (!mayGoOn()) throw OUT_OF_TURN;
        return (await client.query<R>(query)).rows;
      } catch (error) {
        if (isConnectionFault(error)) broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    });
  }

  /** Runs several statements, without values, in one message and one transaction. */
  async script(text: string, withinMs: number): Promise<void> {
    await this.pool.query({ text, query_timeout: withinMs } as pg.QueryConfig);
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

/** The organisation, in most statements: work of one is likely to wait for the same rows. */
const ownerOf = (values: Values | readonly unknown[]): unknown =>
  'org_id' in values ? values.org_id : Object.values(values)[0];
