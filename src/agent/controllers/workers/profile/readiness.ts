import { get } from 'node:http';

/** A server that computes may be slow to answer. */
const ANSWER_MS = 5_000;
const OK = 200;

/** Whether a worker says that it is ready. Each question has a connection of its own, which ends at once. */
export function answersOk(endpoint: string, path: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const asked = get(new URL(path, endpoint), { agent: false, signal: limit }, (response) => {
      response.resume();
      resolve(response.statusCode === OK);
      response.on('error', () => {});
    });
    asked.on('error', () => resolve(false));
  });
}
