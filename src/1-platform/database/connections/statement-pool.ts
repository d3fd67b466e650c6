import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Environment } from '../../config/environment';
import { ENVIRONMENT } from '../../config/config.module';
import { LOGGER } from '../../common/logger';
import { connectionOptions } from './data-source-options';
import { makeMissingPartition } from '../partitions/partitions.queries';
import { isLockBusy, unpartitionedTable } from './database-errors';
import { DatabasePool } from './database-pool';
import { DatabaseWatch } from './database-watch';
import { LockContention, OUT_OF_TURN } from '../transactions/lock-contention';
import { bind, type Statement, type UnscopedStatement, type Values } from '../transactions/statement';

/** Time limit of a single statement, including its waits for locks. */
const STATEMENT_MS = 2_000;

/**
 * Runs single prepared statements outside a transaction, for hot paths: one statement is one round trip.
 * Row level security does not limit these connections, so each statement names its organisation itself. It
 * takes statements made by `unscoped` only, and a test lists those by name, each with its reason.
 */
@Injectable()
export class StatementPool implements OnApplicationShutdown {
  readonly pool: DatabasePool;
  private readonly lastWork: (() => Promise<void>)[] = [];
  /** Why some of the last work was not done. The framework logs the errors of its hooks, and goes on. */
  private fault: Error | undefined;

  private readonly contention: LockContention;
  private readonly patienceMs: number;

  constructor(
    @Inject(ENVIRONMENT) environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    watch: DatabaseWatch,
  ) {
    const { databaseUrl = '', databaseListenUrl, databasePoolSize, databaseStatementTimeoutMs } = environment;
    this.patienceMs = Math.min(databaseStatementTimeoutMs, STATEMENT_MS);
    this.contention = new LockContention(Math.ceil(databasePoolSize / 2));
    this.pool = new DatabasePool(
      connectionOptions({
        databaseUrl,
        pooled: databaseListenUrl !== undefined,
        poolSize: databasePoolSize,
        statementTimeoutMs: this.patienceMs,
        watch,
        // Not an option at the start: a URL may have its own options, and some proxies refuse them.
        session: { 'app.system': 'on' },
      }),
    );
    // Without a listener, a lost idle connection ends the process.
    this.pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection was lost'));
  }

  /**
   * @param values a function is called for each attempt, for values that grow old while one waits. Such
   * statements are not of one organisation, so their waits for locks count by name alone
   */
  async run<R extends pg.QueryResultRow>(statement: UnscopedStatement, values: Values | (() => Values)): Promise<R[]> {
    const valuesNow = typeof values === 'function' ? values : () => values;
    const send = async (mayGoOn: () => boolean): Promise<R[]> => {
      const client = await this.pool.connect();
      try {
        if (!mayGoOn()) throw OUT_OF_TURN;
        const query = async () => (await client.query<R>(bind(statement, valuesNow()))).rows;
        return await query().catch(async (error: unknown) => {
          const table = unpartitionedTable(error);
          if (table === undefined) throw error;
          await this.addPartition(client, table);
          return query();
        });
      } finally {
        client.release();
      }
    };
    if (statement.waits_once) return send(() => true);
    const kind = typeof values === 'function' ? statement.name : kindOf(statement.name, values);
    const patienceMs = statement.query_timeout ?? this.patienceMs;
    return this.contention.run(kind, patienceMs, isLockBusy, send);
  }

  /** As `UnitOfWork` does, which tries more than once. */
  private async addPartition(client: Pick<pg.ClientBase, 'query'>, table: string): Promise<void> {
    const outcome = await makeMissingPartition(
      {
        prepared: async <Row extends pg.QueryResultRow>(made: Statement, values: Values) =>
          (await client.query<Row>(bind(made, values))).rows,
      },
      table,
    );
    this.logger.warn({ table, outcome }, 'a partition was missing');
  }

  /** Runs several statements, without values, in one message and one transaction. */
  async script(text: string, withinMs: number): Promise<void> {
    await this.pool.query({ text, query_timeout: withinMs } as pg.QueryConfig);
  }

  /** Work that must still be written at shutdown: runs after the last request was answered. */
  beforeEnd(work: () => Promise<void>): void {
    this.lastWork.push(work);
  }

  async onApplicationShutdown(): Promise<void> {
    const ends = await Promise.allSettled(this.lastWork.map((work) => work()));
    this.fault = ends.find((end) => end.status === 'rejected')?.reason as Error | undefined;
    await this.pool.end();
  }

  /** After the end. @throws what the work before the end has thrown */
  checkLastWork(): void {
    if (this.fault) throw this.fault;
  }
}

/** Statements of one name and organisation are likely to wait for the same rows. */
const kindOf = (name: string, { org_id }: Values): string => (typeof org_id === 'string' ? `${name} ${org_id}` : name);
