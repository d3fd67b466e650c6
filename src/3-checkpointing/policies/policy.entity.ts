import { Check, Column, Entity, Index } from 'typeorm';
import { Cluster, ClusterReference } from '../../2-inventory/clusters/cluster.entity';
import { DatabaseTimestamp, Integer, Key, Text, Timestamp, UuidColumn } from '../../1-platform/database/rows/columns';
import type { PolicyResource, PolicyStatus, PolicyTrigger } from './policy.states';

/** Requests checkpoints of the workloads that match its filter, at an interval or when a window starts. */
@Entity('policies')
@Index('policies_newest_idx', ['orgId', 'createdAt', 'id'])
@Index('policies_by_cluster_idx', ['orgId', 'clusterId'])
@Index('policies_awaited_idx', ['nextAt'], {
  where: "status = 'active' or status = 'paused' and trigger = 'maintenance'",
})
@Index('policies_trimming_idx', ['orgId', 'id'], { where: 'trim_after is not null' })
@Check('policies_status_check', "status in ('active', 'paused', 'disabled')")
@Check(
  'policies_trigger_check',
  `case trigger when 'heartbeat' then interval_seconds >= 10 and starts_at is null and ends_at is null
    when 'maintenance' then interval_seconds is null and max_checkpoints is null and ends_at > starts_at else false end`,
)
@Check('policies_resource_check', "resource in ('namespace', 'pods', 'jobs', 'slurm_jobs')")
@Check('policies_next_check', "(status <> 'disabled') = (next_at is not null)")
@Check('policies_paused_check', "(status = 'paused') = (paused_at is not null)")
@Check('policies_keep_check', 'keep_last between 1 and 1000')
@Check('policies_trim_check', 'trim_after is null or keep_last is not null')
export class Policy {
  @Key('policies')
  orgId!: string;

  @Key('policies')
  id!: string;

  @UuidColumn()
  clusterId!: string;

  @ClusterReference('policies')
  cluster?: Cluster;

  @Text({ nullable: true })
  name!: string | null;

  @Text()
  status!: PolicyStatus;

  @Text()
  trigger!: PolicyTrigger;

  @Integer({ nullable: true })
  intervalSeconds!: number | null;

  /** The number of ready checkpoints after which it is disabled; null: never. */
  @Integer({ nullable: true })
  maxCheckpoints!: number | null;

  /** After how many more ready ones it counts them all anew; null: after the next one. */
  @Integer({ nullable: true })
  countAfter!: number | null;

  /** How many ready checkpoints of each workload it keeps; null: all. */
  @Integer({ nullable: true })
  keepLast!: number | null;

  /**
   * Since it keeps fewer, the older checkpoints of all workloads up to this one have been given up, in the
   * order of their ids; empty before the first one. Null if those of all have.
   */
  @Text({ nullable: true })
  trimAfter!: string | null;

  @Timestamp({ nullable: true })
  startsAt!: Date | null;

  @Timestamp({ nullable: true })
  endsAt!: Date | null;

  @Text()
  resource!: PolicyResource;

  /** For a namespace filter, and for a job filter with a namespace. */
  @Text({ nullable: true })
  namespace!: string | null;

  /** Row ids of pods. */
  @Column({ type: 'uuid', array: true, nullable: true })
  podIds!: string[] | null;

  /** Slurm's job numbers. */
  @Column({ type: 'bigint', array: true, nullable: true })
  slurmJobIds!: number[] | null;

  /** For a job filter with a priority. */
  @Integer({ nullable: true })
  priority!: number | null;

  /** Kind of its checkpoints. */
  @Text()
  kind!: string;

  @Text({ nullable: true })
  runcRoot!: string | null;

  /** When somebody paused it; by the database's clock. */
  @Timestamp({ nullable: true })
  pausedAt!: Date | null;

  /** When it is due next, or would be if it were not paused; by the database's clock. */
  @Timestamp({ nullable: true })
  nextAt!: Date | null;

  /** If it was due and failed: the time of the next attempt. */
  @Timestamp({ nullable: true })
  retryAt!: Date | null;

  /** When its last completed beat was due. */
  @Timestamp({ nullable: true })
  lastBeatAt!: Date | null;

  /** When its filter was last matched. */
  @Timestamp({ nullable: true })
  matchedAt!: Date | null;

  @DatabaseTimestamp()
  createdAt!: Date;
}
