import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from './machine';

/**
 * Repeats a check until it passes; after the time limit, its last failure fails the test.
 * @param withinMs for an idle machine, extended on a slower one. Leave it out if no time limit is promised.
 */
export async function eventually(check: () => Promise<void> | void, withinMs = 30_000): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waited = performance.now() - began;
      if (waited > withinMs && waited > onThisMachine(withinMs)) throw error;
      await sleep(10);
    }
  }
}
