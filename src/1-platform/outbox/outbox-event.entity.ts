import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { KeptJson } from '../database/rows/columns';

/** An event for the controllers of a cluster. Written in the transaction of its change. */
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
   * Order of writing. Events of one aggregate are written under a lock on it, so this is the order of their
   * commits.
   */
  @Column({ type: 'bigint', generated: 'increment' })
  position!: number;

  /**
   * The number that consumers see: without gaps within the organisation, assigned after the commit; null
   * until then.
   */
  @Column({ type: 'bigint', nullable: true })
  eventId!: number | null;

  @Column({ type: 'text' })
  eventType!: string;

  /** The part of the event type before the dot. */
  @Column({ type: 'text' })
  aggregateType!: string;

  @Column({ type: 'text' })
  aggregateId!: string;

  @Column({ type: 'uuid', nullable: true })
  clusterId!: string | null;

  /** Ids, and the request; never a state, which the consumer reads when it acts. */
  @KeptJson()
  payload!: object;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** W3C trace context of the request that wrote it; null without one, and where requests are not traced. */
  @Column({
    type: 'text',
    nullable: true,
    default: () => "NULLIF(current_setting('app.traceparent', true), '')",
  })
  traceparent!: string | null;
}
