import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { newId } from '../../src/1-platform/common/ids';
import { ask, TOKEN, type Replica, type Reply } from './replicas';

/** The status of a request whose connection was closed. */
export const NO_ANSWER = 0;

/** Like `ask`, but a closed connection is a reply too. */
export async function call(
  to: Pick<Replica, 'url'>,
  path: string,
  body?: JsonObject,
  bearer: string = TOKEN,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const askedAt = performance.now();
  return ask(to, bearer, path, body, headers).catch(() => ({
    status: NO_ANSWER,
    headers: new Headers(),
    text: '',
    askedAt,
    answeredAt: performance.now(),
  }));
}

/**
 * Sends requests at a steady rate until `work` is done, whether or not the previous ones were answered.
 * @returns the replies to each of the requests
 */
export async function during(
  work: () => Promise<void>,
  requests: readonly (() => Promise<Reply>)[],
  perSecond: number,
): Promise<Reply[][]> {
  const sent: Promise<Reply>[][] = requests.map(() => []);
  let over = false;
  const sending = (async () => {
    const began = performance.now();
    for (let n = 0; !over; n++) {
      const place = n % requests.length;
      const request = requests[place];
      if (request) sent[place]?.push(request());
      await sleep(Math.max(0, began + ((n + 1) * 1_000) / perSecond - performance.now()));
    }
  })();
  try {
    await work();
  } finally {
    over = true;
    await sending;
  }
  return Promise.all(sent.map((replies) => Promise.all(replies)));
}

/** Reads and writes of several wings. */
export const mixed = (to: Pick<Replica, 'url'>): (() => Promise<Reply>)[] => [
  () => call(to, '/v1/cluster'),
  () => call(to, '/v1/restores/events/restore_start', { restore_uuid: newId() }),
  () => call(to, '/v1/cluster', { cluster_name: `cluster-${newId()}` }),
  () => call(to, '/v1/inference/activations'),
];

export const elapsed = (replies: readonly Reply[]): number[] =>
  replies.map(({ askedAt, answeredAt }) => answeredAt - askedAt);

/** Replies by a status that no promise allows. */
export const failed = (replies: readonly Reply[]): number => replies.filter(({ status }) => status === 500).length;
