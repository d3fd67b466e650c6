import { Check, Entity, Index } from 'typeorm';
import { DatabaseTimestamp, KeptJson, Key, Text, Timestamp, UuidColumn } from '../../1-platform/database/rows/columns';
import { Cluster, ClusterReference } from './cluster.entity';

export const WORKLOAD_KINDS = ['deployment', 'job', 'pod'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** The outcome of a queued workload, as its controller reports it. */
export const WORKLOAD_OUTCOMES = ['applied', 'refused'] as const;
export type WorkloadOutcome = (typeof WORKLOAD_OUTCOMES)[number];

export const WORKLOAD_STATUSES = ['queued', ...WORKLOAD_OUTCOMES] as const;
export type WorkloadStatus = (typeof WORKLOAD_STATUSES)[number];

/**
 * A workload for the controller of a cluster to create. Its manifest may hold secrets, so it is erased after
 * a while.
 */
@Entity('queued_workloads')
@Index('queued_workloads_by_cluster_idx', ['orgId', 'clusterId'])
@Index('queued_workloads_to_forget_idx', ['forgetAt'], { where: 'manifest is not null' })
@Index('queued_workloads_to_remove_idx', ['forgetAt'], { where: 'manifest is null' })
@Check('queued_workloads_kind_check', "kind in ('deployment', 'job', 'pod')")
@Check('queued_workloads_status_check', "status in ('queued', 'applied', 'refused')")
@Check('queued_workloads_taken_check', "(status = 'queued') = (taken_at is null)")
export class QueuedWorkload {
  @Key('queued_workloads')
  orgId!: string;

  @Key('queued_workloads')
  id!: string;

  @UuidColumn()
  clusterId!: string;

  @ClusterReference('queued_workloads')
  cluster?: Cluster;

  @Text()
  kind!: WorkloadKind;

  @Text()
  status!: WorkloadStatus;

  /** As requested; null after it was erased. */
  @KeptJson({ nullable: true })
  manifest!: object | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  /** When a controller reported the outcome; by the database's clock. */
  @Timestamp({ nullable: true })
  takenAt!: Date | null;

  /** The caller who reported it. */
  @Text({ nullable: true })
  takenBy!: string | null;

  /** The reason of a refusal. */
  @Text({ nullable: true })
  error!: string | null;

  /** When the manifest is erased; by the database's clock. */
  @Timestamp()
  forgetAt!: Date;
}
