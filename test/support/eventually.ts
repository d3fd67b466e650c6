import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats a check until it holds; the last failure is the test's when it does not in time. */
export async function eventually(check: () => Promise<void> | void, withinMs = 5_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await sleep(10);
    }
  }
}
