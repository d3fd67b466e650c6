import { Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import { Cluster, ClusterReference } from '../../clusters/cluster.entity';
import { BigInteger, DatabaseTimestamp, Integer, Key, Text } from '../../../1-platform/database/rows/columns';

/** A Slurm job as its cluster reported it. It is kept for some time after the last report. */
@Entity('slurm_jobs')
@Index('slurm_jobs_id_idx', ['orgId', 'id'], { unique: true, where: 'id is not null' })
@Index('slurm_jobs_of_cluster_idx', ['orgId', 'clusterId', 'id'], {
  where: 'cluster_id is not null and id is not null',
})
// The indexes on the beginning of a name are in a migration, because TypeORM cannot describe them.
@Index('slurm_jobs_named_idx', { synchronize: false })
@Index('slurm_jobs_running_idx', { synchronize: false })
@Index('slurm_jobs_open_idx', ['orgId', 'clusterId', 'id'], { where: 'event_time is null' })
@Index('slurm_jobs_events_idx', ['orgId', 'eventTime', 'id'], { where: 'event_time is not null' })
@Index('slurm_jobs_events_by_cluster_idx', ['orgId', 'clusterId', 'eventTime', 'id'], {
  where: 'event_time is not null',
})
@Index('slurm_jobs_events_by_status_idx', ['orgId', 'status', 'eventTime', 'id'], { where: 'event_time is not null' })
export class SlurmJob {
  @Key('slurm_jobs')
  orgId!: string;

  @Key('slurm_jobs')
  clusterId!: string;

  /** Slurm's own number, which a requeued job keeps. */
  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'slurm_jobs_pkey' })
  jobId!: number;

  @ClusterReference('slurm_jobs')
  cluster?: Cluster;

  /**
   * The integer id of the API, in the order of the first reports. TypeORM's types lack this strategy here.
   */
  @Generated('identity' as 'increment')
  @BigInteger({ generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Text()
  name!: string;

  @Text()
  nodes!: string;

  @BigInteger()
  priority!: number;

  /** Slurm's state in upper case, without its flags. */
  @Text()
  status!: string;

  /** Epoch seconds, as every time here; 0 until it has started. */
  @BigInteger()
  startTime!: number;

  @BigInteger()
  submitTime!: number;

  @Text({ nullable: true })
  account!: string | null;

  @Text({ nullable: true })
  partition!: string | null;

  @Text({ nullable: true })
  workDir!: string | null;

  @BigInteger({ nullable: true })
  numCpus!: number | null;

  @BigInteger({ nullable: true })
  numNodes!: number | null;

  @Integer({ nullable: true })
  exitCode!: number | null;

  @BigInteger({ nullable: true })
  derivedEc!: number | null;

  @Text({ nullable: true })
  derivedEs!: string | null;

  /** 0 until it has ended. */
  @BigInteger({ nullable: true })
  endTime!: number | null;

  @Text({ nullable: true })
  failedNode!: string | null;

  @BigInteger({ nullable: true })
  killRequid!: number | null;

  @BigInteger({ nullable: true })
  stateReasonPrev!: number | null;

  /** Seconds. */
  @BigInteger({ nullable: true })
  timeSuspended!: number | null;

  /** When its end is listed as an event; null until it has ended. */
  @BigInteger({ nullable: true })
  eventTime!: number | null;

  /** The rank of the record that gave each fact: see `slurm-job-run.ts`. */
  @Text()
  ranks!: string;

  /** Time of the last report, within a minute: an unchanged job is not rewritten each time. */
  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}
