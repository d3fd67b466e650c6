import type pg from 'pg';
import type { StatementPool } from '../../src/1-platform/database/connections/statement-pool';
import { bind, type UnscopedStatement, type Values } from '../../src/1-platform/database/transactions/statement';
import type { Service } from './service';

/** The database's time while it stands still. */
export const FROZEN_AT = '2026-01-01T12:00:00Z';

/** PostgreSQL finds this function before its own one. */
const FREEZE = `
  create schema frozen;
  create function frozen.clock_timestamp() returns timestamptz language sql
    return timestamptz '${FROZEN_AT}';
  set local search_path = frozen, pg_catalog, public`;

/** Work in a transaction in which the database's clock stands still, so that results are comparable. */
export async function withFrozenTime<T>(
  { db }: Pick<Service, 'db'>,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await db.connect();
  try {
    await client.query('begin');
    await client.query(FREEZE);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The result of work whose effects on the database are taken back. */
export async function takenBack<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('savepoint before_work');
  const result = await work();
  await client.query('rollback to before_work');
  return result;
}

/** Runs statements of the service on one client. */
export const poolOn = (client: pg.ClientBase): StatementPool =>
  ({
    run: async (statement: UnscopedStatement, values: Values) => (await client.query(bind(statement, values))).rows,
  }) as unknown as StatementPool;
