import { setImmediate as oneTurn, setTimeout as sleep } from 'node:timers/promises';

/** The result of `inTime` if the time was over first. */
export const LATE = Symbol('late');

/** A deadline is waited for in steps: of each, no more than this counts, whenever its timer fires. */
const STEP_MS = 50;
const LONGEST_STEP_MS = 75;

/**
 * Waits for work up to a deadline. Time counts only as far as this process could have noticed the result: its
 * own lateness is not that of the work. After a pause, a process handles its timers first and reads arrived
 * data later in the same turn of the event loop: that data still counts.
 */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    for (let left = ms; left > 0;) {
      const began = performance.now();
      const step = sleep(Math.min(STEP_MS, left), LATE, { ref: false, signal });
      const first = await Promise.race([work, step]);
      if (first !== LATE) return first;
      left -= Math.min(LONGEST_STEP_MS, performance.now() - began);
    }
    return await Promise.race([work, oneTurn(LATE)]);
  } finally {
    stop.abort();
  }
}
