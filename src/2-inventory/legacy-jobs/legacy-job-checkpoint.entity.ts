import { Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigInteger, Integer, Key, Text } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/**
 * A checkpoint of a job as its daemon reported it. It outlives the job's row, and may be reported before it.
 * It stays until its daemon deletes it, because its file may be all that is left of the job.
 */
@Entity('legacy_job_checkpoints')
@Index('legacy_job_checkpoints_newest_idx', ['orgId', 'time', 'id'])
@Index('legacy_job_checkpoints_by_job_idx', ['orgId', 'jid'])
export class LegacyJobCheckpoint {
  @Key('legacy_job_checkpoints')
  orgId!: string;

  @Key('legacy_job_checkpoints')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'legacy_job_checkpoints_org_fkey' })
  organisation?: Organisation;

  @Text()
  jid!: string;

  /** In the daemon's unit; used for ordering only. */
  @BigInteger()
  time!: number;

  /** As text, like hosts. */
  @Column({ type: 'json' })
  object!: object;

  @Integer()
  objectBytes!: number;
}
