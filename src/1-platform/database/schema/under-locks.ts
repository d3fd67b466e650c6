import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { isLockBusy } from '../connections/database-errors';

/** For the transaction. */
export const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

/** A migration waits for a lock so often and so long. Those who come meanwhile wait behind it. */
const LOCK_WAIT = "set local lock_timeout = '50ms'";
/** Every so many attempts wait longer than a second: only then PostgreSQL ends an autovacuum in the way. */
const LONG_WAIT = "set local lock_timeout = '1200ms'";
const LONG_WAIT_EVERY = 20;
const LOCK_PAUSE_MS = 400;
const LOCK_ATTEMPTS = 1_200;

/**
 * A transaction of a migration, which is tried until all its locks are free at once: whoever comes meanwhile
 * waits behind it for a moment only. Call it outside of a transaction.
 */
export async function underLocks<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(runner, async () => {
        await runner.query(attempt % LONG_WAIT_EVERY === 0 ? LONG_WAIT : LOCK_WAIT);
        return work();
      });
    } catch (error) {
      if (!isLockBusy(error)) throw error;
      // No fault that whoever runs the migration repeats: it was repeated here.
      if (attempt === LOCK_ATTEMPTS) throw new Error('the locks of a migration did not become free', { cause: error });
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

export async function inTransaction<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await runner.startTransaction();
  try {
    const result = await work();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}
