import { Entity } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Key } from '../database/rows/columns';

/** A controller that reads the outbox, by the name it gives itself. */
@Entity('outbox_consumers')
export class OutboxConsumer {
  @Key('outbox_consumers')
  orgId!: string;

  @Key('outbox_consumers', 'text')
  id!: string;

  /** Everything up to this event is done; it goes on behind it. */
  @BigInteger()
  acked!: number;

  /**
   * When it last read or acknowledged, within half a minute: what it
   * has not done is kept for one that was seen lately.
   */
  @DatabaseTimestamp()
  seenAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}
