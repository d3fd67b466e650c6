import { Check, Entity, Index } from 'typeorm';
import { DatabaseTimestamp, KeptJson, Key, Text, Timestamp, UuidColumn } from '../../1-platform/database/rows/columns';
import { Cluster, ClusterReference } from './cluster.entity';

export const WORKLOAD_KINDS = ['deployment', 'job', 'pod'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** What its controller reports of a queued workload. */
export const WORKLOAD_OUTCOMES = ['applied', 'refused'] as const;
export type WorkloadOutcome = (typeof WORKLOAD_OUTCOMES)[number];

/**
 * A workload that the controller of a cluster is to create. Its manifest
 * may hold secrets, so it is kept for a while only.
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
  status!: 'queued' | WorkloadOutcome;

  /** As it was requested; null once it is forgotten. */
  @KeptJson({ nullable: true })
  manifest!: object | null;

  @DatabaseTimestamp()
  createdAt!: Date;

  /** When a controller reported what became of it; by the database's clock. */
  @Timestamp({ nullable: true })
  takenAt!: Date | null;

  /** Who reported that. */
  @Text({ nullable: true })
  takenBy!: string | null;

  /** Why it was refused. */
  @Text({ nullable: true })
  error!: string | null;

  /** When the manifest is forgotten; by the database's clock. */
  @Timestamp()
  forgetAt!: Date;
}
