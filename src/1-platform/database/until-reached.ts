import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isStartingUp, isUnreachable } from './connections/database-errors';

/** How long a start waits for a database of which nobody can say whether it will ever answer. */
const REACHED_WITHIN_MS = 60_000;
const PAUSE_MS = 200;

/**
 * Repeats work of a start until it reaches the database: after a crash of a machine its server starts at the
 * same time, and recovers first. A supervisor that repeats the start instead makes pauses that grow, and each
 * start takes seconds of a processor, which the server needs for its recovery.
 */
export async function untilReached<T>(work: () => Promise<T>, logger: Logger, stopping: AbortSignal): Promise<T> {
  const until = performance.now() + REACHED_WITHIN_MS;
  for (let reported = false; ; reported = true) {
    try {
      return await work();
    } catch (error) {
      // A server that says so has its address and its files, and recovers as long as it must.
      const mayCome = isStartingUp(error) || (isUnreachable(error) && performance.now() < until);
      if (!mayCome) throw error;
      if (!reported) logger.warn({ err: error }, 'the database cannot be reached yet: the start waits for it');
    }
    await sleep(PAUSE_MS, undefined, { signal: stopping });
  }
}
