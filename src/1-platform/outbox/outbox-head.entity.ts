import { Entity } from 'typeorm';
import { BigInteger, Key } from '../database/rows/columns';

/** The newest number in the outbox of an organisation. */
@Entity('outbox_heads')
export class OutboxHead {
  @Key('outbox_heads')
  orgId!: string;

  /** The highest assigned event id; ids have no gaps and start at 1. */
  @BigInteger()
  head!: number;
}
