import { setImmediate as oneTurn, setTimeout as sleep } from 'node:timers/promises';

/** The result of `inTime` if the time was over first. */
export const LATE = Symbol('late');

/**
 * Waits for work up to a deadline. After a pause, a process handles its timers first and reads arrived data
 * later in the same turn of the event loop: that data still counts.
 */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const stop = new AbortController();
  try {
    const first = await Promise.race([work, sleep(ms, LATE, { ref: false, signal: stop.signal })]);
    return first === LATE ? await Promise.race([work, oneTurn(LATE)]) : first;
  } finally {
    stop.abort();
  }
}
