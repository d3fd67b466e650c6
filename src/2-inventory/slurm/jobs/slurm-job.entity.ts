import { Entity, Generated, Index, PrimaryColumn, Unique } from 'typeorm';
import { Cluster, ClusterReference } from '../../clusters/cluster.entity';
import { BigInteger, DatabaseTimestamp, Integer, Key, Text } from '../../../1-platform/database/rows/columns';

/** A Slurm job as its cluster told it. One that is no longer told of is kept for some time. */
@Entity('slurm_jobs')
@Unique('slurm_jobs_id_key', ['orgId', 'id'])
@Index('slurm_jobs_by_cluster_idx', ['orgId', 'clusterId', 'id'])
// Of the beginning of a name, which TypeORM cannot say: a migration makes them.
@Index('slurm_jobs_by_name_idx', { synchronize: false })
@Index('slurm_jobs_running_idx', { synchronize: false })
@Index('slurm_jobs_events_idx', ['orgId', 'eventTime', 'id'], { where: 'event_time is not null' })
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
   * The wire's integer id: in the order in which jobs were told
   * first. TypeORM's types do not know this strategy here.
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

  /** Epoch seconds, as every time here; 0 while it has not begun. */
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

  /** 0 while it has not ended. */
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

  /** When its end is listed as an event; null while the state is not terminal. */
  @BigInteger({ nullable: true })
  eventTime!: number | null;

  /** How much what told each fact knew: see `slurm-job-run.ts`. */
  @Text()
  ranks!: string;

  /** When it was last told of, within a minute: an unchanged job is not rewritten each time. */
  @DatabaseTimestamp()
  syncedAt!: Date;

  @DatabaseTimestamp()
  createdAt!: Date;
}
