import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboxEvent } from './checker';
import type { Transport } from './transport';

const PAGE = 1_000;
const TRIES = 400;

/** @returns every event of an organisation behind one, once no more has come for half a second */
export async function readOutbox(
  transport: Transport,
  bearer: string,
  consumer: string,
  behind = 0,
): Promise<OutboxEvent[]> {
  const events: OutboxEvent[] = [];
  for (let tried = 0; tried < TRIES; tried++) {
    const after = events.at(-1)?.id ?? behind;
    const path = `/v1/inference/outbox?consumer_id=${consumer}&watch=true&after=${after}&limit=${PAGE}&wait_ms=500`;
    const answer = await transport({ client: tried, bearer, method: 'GET', path });
    const page = answer?.status === 200 ? (answer.body as OutboxEvent[]) : undefined;
    if (page?.length === 0) return events;
    if (page) events.push(...page);
    else await sleep(50);
  }
  throw new Error('the outbox was not read to its end');
}
