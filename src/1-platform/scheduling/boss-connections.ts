import type { Db } from 'pg-boss';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment';
import { connectionOptions } from '../database/connections/data-source-options';
import { DatabasePool } from '../database/connections/database-pool';
import type { DatabaseWatch } from '../database/connections/database-watch';

/** Schema of the queue's tables, which the library creates and upgrades itself. */
export const QUEUE_SCHEMA = 'pgboss';

/** The queue's own connections, so that long statements of the service do not delay sweeps. */
export class BossConnections implements Db {
  private readonly pool: DatabasePool;

  constructor(environment: Environment, logger: Logger, watch: DatabaseWatch) {
    const { databaseUrl = '', databaseListenUrl, databaseStatementTimeoutMs } = environment;
    // The library reads values as the driver returns them.
    const { types: _types, ...options } = connectionOptions({
      databaseUrl,
      pooled: databaseListenUrl !== undefined,
      poolSize: 2,
      statementTimeoutMs: databaseStatementTimeoutMs,
      // Replicas that start together wait while one of them creates the queue's tables.
      lockTimeoutMs: 10_000,
      watch,
    });
    this.pool = new DatabasePool(options);
    // Without a listener, a lost idle connection ends the process.
    this.pool.on('error', (error) => logger.debug({ err: error }, 'an idle connection of the queue was lost'));
  }

  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    return this.pool.query(text, values);
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
