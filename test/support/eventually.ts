import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from './machine';

/**
 * Repeats a check until it holds; the last failure is the test's when it does not in time.
 * @param withinMs on an idle machine; a slower one gets as much more. Left out where no time is promised.
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
