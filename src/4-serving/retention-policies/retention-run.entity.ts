import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { DatabaseTimestamp, Integer, Key, KeptJson } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/** A run of retention that expired something. */
@Entity('retention_runs')
@Index('retention_runs_newest_idx', ['orgId', 'ranAt'])
export class RetentionRun {
  @Key('retention_runs')
  orgId!: string;

  @Key('retention_runs')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'retention_runs_org_fkey' })
  organisation?: Organisation;

  @DatabaseTimestamp()
  ranAt!: Date;

  /** Number of artifacts considered. */
  @Integer()
  considered!: number;

  /** Expired artifacts, each with policy and reason. */
  @KeptJson()
  expired!: object;
}
