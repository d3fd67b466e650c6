import type { QueryRunner } from 'typeorm';

/**
 * The index waits so long for transactions that have begun before it; nobody waits behind it. A starting
 * replica of a release that waits for its turn in one statement is such a transaction, and waits for this
 * migration.
 */
const TRANSACTIONS_WAIT = "set lock_timeout = '10min'";
/**
 * Several processes would build an index sooner, but requests would wait for a processor meanwhile. An index
 * that is built under a lock is another matter: requests wait for its end.
 */
const ONE_PROCESS = 'set max_parallel_maintenance_workers = 0';

/**
 * Builds an index beside the traffic. Call it outside of a transaction. It may be killed at any time, and
 * goes on when it is repeated.
 *
 * @param create the statement, with `concurrently`: a constant of the migration
 */
export async function buildBeside(runner: QueryRunner, index: string, create: string): Promise<void> {
  const [found] = (await runner.query(find(index))) as { valid: boolean }[];
  if (found?.valid === true) return;
  // An attempt before was killed while it built it.
  if (found) await dropBeside(runner, index);
  await patiently(runner, create);
}

/** Drops an index beside the traffic, if it exists. Like `buildBeside` in all else. */
export const dropBeside = (runner: QueryRunner, index: string): Promise<void> =>
  patiently(runner, `drop index concurrently if exists ${index}`);

async function patiently(runner: QueryRunner, statement: string): Promise<void> {
  await runner.query(TRANSACTIONS_WAIT);
  await runner.query(ONE_PROCESS);
  try {
    await runner.query(statement);
  } finally {
    await runner.query('reset lock_timeout');
    await runner.query('reset max_parallel_maintenance_workers');
  }
}

const find = (index: string): string =>
  `select indisvalid as valid from pg_index where indexrelid = to_regclass('${index}')`;
