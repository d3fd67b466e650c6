import http from 'node:http';
import { percentile } from './figures';

/** What a second client sees of the service while an attack is under way. */
export interface ProbeResult {
  /** Milliseconds of each request, in the order in which they were sent. */
  readonly milliseconds: readonly number[];
  readonly p99: number;
  readonly max: number;
  readonly failures: number;
}

/**
 * Asks a path over one kept connection, again and again until `work` has ended.
 *
 * @param pauseMs between an answer and the next request
 */
export async function probeDuring<T>(
  url: string,
  work: () => Promise<T>,
  { path = '/livez', pauseMs = 5 } = {},
): Promise<{ result: T; probe: ProbeResult }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const milliseconds: number[] = [];
  let failures = 0;
  let under = true;
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const began = performance.now();
      const request = http.get(`${url}${path}`, { agent }, (response) => {
        if (response.statusCode !== 200) failures += 1;
        response.resume().once('end', () => {
          milliseconds.push(performance.now() - began);
          resolve();
        });
      });
      request.once('error', () => {
        failures += 1;
        resolve();
      });
    });
  const asking = (async () => {
    do {
      await ask();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    } while (under);
  })();
  let result: T;
  try {
    result = await work();
  } finally {
    under = false;
    await asking;
    agent.destroy();
  }
  return {
    result,
    probe: { milliseconds, p99: percentile(milliseconds, 0.99), max: Math.max(...milliseconds), failures },
  };
}
