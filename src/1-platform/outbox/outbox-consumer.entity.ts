import { Entity } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Key } from '../database/rows/columns';

/** A controller that reads the outbox, by the name that it gives itself. */
@Entity('outbox_consumers')
export class OutboxConsumer {
  @Key('outbox_consumers')
  orgId!: string;

  @Key('outbox_consumers', 'text')
  id!: string;

  /** The last acknowledged event. */
  @BigInteger()
  acked!: number;

  /**
   * When it last read or acknowledged, within half a minute. Unacknowledged events are kept for consumers
   * that were seen recently.
   */
  @DatabaseTimestamp()
  seenAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}
