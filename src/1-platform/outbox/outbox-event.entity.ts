import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { KeptJson } from '../database/rows/columns';

/**
 * What a controller of a cluster is to do or to know. Written in the transaction of the change it tells of.
 */
@Entity('outbox_events')
@Index('outbox_events_event_id_key', ['orgId', 'eventId'], { unique: true, where: 'event_id is not null' })
@Index('outbox_events_unnumbered_idx', ['orgId', 'position'], { where: 'event_id is null' })
@Index('outbox_events_aggregate_idx', ['orgId', 'aggregateType', 'aggregateId'])
export class OutboxEvent {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'outbox_events_pkey' })
  orgId!: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'outbox_events_pkey' })
  id!: string;

  /**
   * Order of writing. Events of one aggregate are written under a
   * lock on it, so theirs is the order of their commits.
   */
  @Column({ type: 'bigint', generated: 'increment' })
  position!: number;

  /** What consumers see: dense within the organisation, given after the commit; null until then. */
  @Column({ type: 'bigint', nullable: true })
  eventId!: number | null;

  @Column({ type: 'text' })
  eventType!: string;

  /** The event type's part before the dot. */
  @Column({ type: 'text' })
  aggregateType!: string;

  @Column({ type: 'text' })
  aggregateId!: string;

  @Column({ type: 'uuid', nullable: true })
  clusterId!: string | null;

  /** Ids, and what is asked; never the state of anything, which the consumer reads when it acts. */
  @KeptJson()
  payload!: object;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
