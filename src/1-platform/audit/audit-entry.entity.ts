import { Column, Entity, Index } from 'typeorm';
import { DatabaseKeyTime, Key, KeptJson } from '../database/rows/columns';

/**
 * One change made through the API. Written in the transaction of the change; holds no secret. Partitioned by
 * time, so that old entries go as a whole.
 */
@Entity('audit_entries')
@Index('audit_entries_of_actor_idx', ['orgId', 'actorId'], { where: 'actor_id is not null' })
@Index('audit_entries_of_resource_idx', ['orgId', 'resourceId'], { where: 'resource_id is not null' })
@Index('audit_entries_of_type_idx', ['orgId', 'resourceType'], { where: 'resource_type is not null' })
export class AuditEntry {
  @Key('audit_entries')
  orgId!: string;

  @DatabaseKeyTime('audit_entries')
  occurredAt!: Date;

  @Key('audit_entries')
  id!: string;

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
