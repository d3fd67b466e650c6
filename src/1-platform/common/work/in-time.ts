import { setImmediate as oneTurn, setTimeout as sleep } from 'node:timers/promises';

/** What `inTime` gives if the time was over first. */
export const LATE = Symbol('late');

/**
 * Waits for work, but not for longer than this. A process that was busy hears the timer before what has
 * arrived meanwhile, which is read later in the same turn of the event loop: it counts.
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
