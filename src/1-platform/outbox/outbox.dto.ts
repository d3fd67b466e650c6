import { Bool, Int, Json, Str, Time } from '../common/fields/fields';
import { MAX_ROWS } from '../common/answers/paging';

export const DEFAULT_EVENTS = 100;
const MAX_WAIT_MS = 30_000;

const ConsumerId = () => Str({ min: 1, max: 128, description: 'Name that the consumer gives itself', example: 'eu-1' });

export class ReadOutboxQuery {
  @ConsumerId()
  consumer_id!: string;

  @Bool({
    query: true,
    optional: true,
    description: 'Only watch: the name is not made a consumer, so no event is kept for it. Default: false',
  })
  watch?: boolean;

  @Int({
    query: true,
    optional: true,
    min: 0,
    description: 'After this event; default: the acknowledged one, and for a reader that watches the newest one',
  })
  after?: number;

  @Int({ query: true, optional: true, min: 1, max: MAX_ROWS, showMax: true, default: DEFAULT_EVENTS })
  limit?: number;

  @Int({
    query: true,
    optional: true,
    min: 0,
    max: MAX_WAIT_MS,
    showMax: true,
    description: 'How long to wait for an event if there is none, in milliseconds; default: 0',
  })
  wait_ms?: number;
}

export class AckOutboxBody {
  @ConsumerId()
  consumer_id!: string;

  @Int({ min: 0, description: 'The newest acknowledged event' })
  event_id!: number;
}

export class OutboxConsumerView {
  @Str({ description: 'Name that the consumer gave itself' })
  consumer_id!: string;

  @Int({ nullable: true, description: 'The newest acknowledged event; null before the first event' })
  acknowledged_event_id!: number | null;

  @Int({ description: 'Events behind it' })
  lag_events!: number;

  @Time({ description: 'When it last read or acknowledged, within half a minute' })
  last_seen_at!: Date;
}

export class OutboxEventView {
  @Int({ description: 'Without gaps within the organisation, in the order of delivery' })
  id!: number;

  @Str({ description: "The event type's part before the dot" })
  aggregate_type!: string;

  @Str()
  aggregate_id!: string;

  @Str({ example: 'action.checkpoint_requested' })
  event_type!: string;

  @Json({ description: 'Ids, and the request; never a state, which the consumer reads when it acts' })
  payload!: unknown;

  @Time()
  created_at!: Date;

  @Str({
    optional: true,
    description: 'W3C trace context of the request that wrote it; missing where requests are not traced',
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  })
  traceparent?: string;
}
