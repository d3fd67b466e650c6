import { Entity } from 'typeorm';
import { BigInteger, Key } from '../database/rows/columns';

/** How far the events of an organisation are numbered. */
@Entity('outbox_heads')
export class OutboxHead {
  @Key('outbox_heads')
  orgId!: string;

  /** The highest event id given; ids are dense from 1. */
  @BigInteger()
  head!: number;
}
