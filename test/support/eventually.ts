import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from './machine';

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Repeats a check until it passes; after the time limit, its last failure fails the test. The longer it has
 * waited, the longer it pauses: a check that asks the service costs more than the wait for it.
 * @param withinMs for an idle machine, extended on a slower one. Leave it out if no time limit is promised.
 */
export async function eventually(check: () => Promise<void> | void, withinMs = 30_000): Promise<void> {
  const began = process.hrtime.bigint();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      // A spec may move the clock of `performance` forward (`passTime`).
      const waited = Number(process.hrtime.bigint() - began) / 1e6;
      if (waited > withinMs && waited > onThisMachine(withinMs)) throw error;
      await sleep(Math.min(Math.max(waited / 8, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
    }
  }
}
