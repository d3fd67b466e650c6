import pg from 'pg';
import type { Db } from 'pg-boss';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment';
import { connectionOptions } from '../database/data-source-options';

/** Schema of the queue's tables, which the library makes and upgrades itself. */
export const QUEUE_SCHEMA = 'pgboss';

/** The queue's own connections: what waits for a long statement of the service must not keep sweeps from being seen. */
export class BossConnections implements Db {
  private readonly pool: pg.Pool;

  constructor({ databaseUrl = '', databaseStatementTimeoutMs }: Environment, logger: Logger) {
    // The library reads values as the driver gives them.
    const { types: _types, ...options } = connectionOptions({
      databaseUrl,
      poolSize: 2,
      statementTimeoutMs: databaseStatementTimeoutMs,
    });
    this.pool = new pg.Pool(options);
    // Without a listener, a connection lost while idle ends the process.
    this.pool.on('error', (error) => logger.debug({ err: error }, 'an idle connection of the queue was lost'));
  }

  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    return this.pool.query(text, values);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
