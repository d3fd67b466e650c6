import type { QueryRunner } from 'typeorm';

/**
 * The index waits so long for transactions that have begun before it; nobody waits behind it. A starting
 * replica of a release that waits for its turn in one statement is such a transaction, and waits for this
 * migration.
 */
const TRANSACTIONS_WAIT = "set lock_timeout = '10min'";

/**
 * Builds an index beside the traffic. Call it outside of a transaction. It may be killed at any time, and
 * goes on when it is repeated.
 *
 * @param create the statement, with `concurrently`: a constant of the migration
 */
export async function buildBeside(runner: QueryRunner, index: string, create: string): Promise<void> {
  const [found] = (await runner.query(find(index))) as { valid: boolean }[];
  if (found?.valid === true) return;
  await runner.query(TRANSACTIONS_WAIT);
  try {
    // An attempt before was killed while it built it.
    if (found) await runner.query(drop(index));
    await runner.query(create);
  } finally {
    await runner.query('reset lock_timeout');
  }
}

const find = (index: string): string =>
  `select indisvalid as valid from pg_index where indexrelid = to_regclass('${index}')`;
const drop = (index: string): string => `drop index concurrently ${index}`;
