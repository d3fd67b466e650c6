import type { NestExpressApplication } from '@nestjs/platform-express';
import { newId } from '../../src/1-platform/common/ids';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import { appendEvent, type NewOutboxEvent } from '../../src/1-platform/outbox/outbox';
import type { Answer, Caller } from './service';

export interface PublishedEvent {
  id: number;
  aggregate_type: string;
  aggregate_id: string;
  event_type: string;
  payload: { place?: number; version?: number };
  created_at: string;
}

/** Writes events as a change of the organisation does. */
export const write = (
  app: NestExpressApplication,
  orgId: string,
  ...events: Partial<NewOutboxEvent>[]
): Promise<void> =>
  app.get(UnitOfWork).run({ orgId }, async (tx) => {
    for (const event of events)
      await appendEvent(tx, { type: 'test.happened', aggregateId: newId(), clusterId: null, payload: {}, ...event });
  });

export const read = (caller: Caller, query: object): Promise<Answer> =>
  caller.get(`/v1/inference/outbox?${new URLSearchParams(query as Record<string, string>).toString()}`);

export const eventsOf = ({ status, body, text }: Answer): PublishedEvent[] => {
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  return body as PublishedEvent[];
};

export const ack = (caller: Caller, consumer_id: string, event_id: number): Promise<Answer> =>
  caller.post('/v1/inference/outbox/ack', { consumer_id, event_id });
