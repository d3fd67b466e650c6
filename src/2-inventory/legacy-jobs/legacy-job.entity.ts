import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Integer, Key, Text } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/**
 * A job of a node daemon as it last told it. It names its host but
 * does not refer to the row: either may be told first.
 */
@Entity('legacy_jobs')
@Index('legacy_jobs_by_host_idx', ['orgId', 'hostId'])
export class LegacyJob {
  @Key('legacy_jobs')
  orgId!: string;

  /** The `JID`. */
  @Key('legacy_jobs', 'text')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'legacy_jobs_org_fkey' })
  organisation?: Organisation;

  /** `State.Host.ID`; empty when the job names none. */
  @Text()
  hostId!: string;

  /** As text, as hosts are. */
  @Column({ type: 'json' })
  object!: object;

  @Integer()
  objectBytes!: number;
}
