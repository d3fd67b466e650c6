import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Integer, Key, Text } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/**
 * A job of a node daemon as last reported. It names its host without a foreign key, because either may be
 * reported first.
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

  /** `State.Host.ID`; empty if the job names none. */
  @Text()
  hostId!: string;

  /** As text, like hosts. */
  @Column({ type: 'json' })
  object!: object;

  @Integer()
  objectBytes!: number;
}
