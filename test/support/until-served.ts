import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 200;

/**
 * Repeats a request that the service has no capacity for. On a busy machine it refuses a part of requests
 * that are sent at once, and has done nothing then.
 */
export async function untilServed<A extends { readonly status: number }>(request: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await request();
    if (answer.status !== 503) return answer;
    await sleep(PAUSE_MS);
  }
}
