import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { KeptJson } from '../database/rows/columns';

/** One change made through the API. Written in the transaction of the change; holds no secret. */
@Entity('audit_entries')
@Index('audit_entries_newest_idx', ['orgId', 'occurredAt', 'id'])
export class AuditEntry {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'audit_entries_pkey' })
  orgId!: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'audit_entries_pkey' })
  id!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  occurredAt!: Date;

  @Column({ type: 'text' })
  actorId!: string;

  @Column({ type: 'text' })
  actorRole!: string;

  /** Id of the operation. */
  @Column({ type: 'text' })
  action!: string;

  @Column({ type: 'text' })
  resourceType!: string;

  @Column({ type: 'text', nullable: true })
  resourceId!: string | null;

  @Column({ type: 'text' })
  requestId!: string;

  @KeptJson({ nullable: true })
  details!: object | null;
}
