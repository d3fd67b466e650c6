import { Entity } from 'typeorm';
import { Key, Timestamp } from '../rows/columns';

/**
 * The time of the primary, written often while a read replica is in use: what a replica shows is at least as
 * new. It belongs to no organisation.
 */
@Entity('heartbeats')
export class Heartbeat {
  /** There is one row. */
  @Key('heartbeats', 'integer')
  id!: number;

  @Timestamp()
  beatenAt!: Date;
}
