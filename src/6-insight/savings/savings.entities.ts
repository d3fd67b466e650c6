import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Cluster, ClusterReference } from '../../2-inventory/clusters/cluster.entity';
import { BigInteger, Flag, Key, Sum, Text, Timestamp, UuidColumn } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/** The totals of the checkpoints of one pod, or of one Slurm job. They outlive pod, node and cluster. */
@Entity('pod_savings')
export class PodSavings {
  @Key('pod_savings')
  orgId!: string;

  @Key('pod_savings')
  clusterId!: string;

  /** Row id of the pod, or Slurm's number of the job. */
  @Key('pod_savings', 'text')
  workload!: string;

  /** Of the last checkpoint, like all members down to the platform. */
  @Text()
  podName!: string;

  @Text()
  namespace!: string;

  @Text()
  nodeName!: string;

  @Text({ nullable: true })
  nodeRegion!: string | null;

  @Text({ nullable: true })
  instanceType!: string | null;

  @Text({ nullable: true })
  capacityType!: string | null;

  @Text({ nullable: true })
  gpu!: string | null;

  @Text()
  platform!: string;

  @Timestamp()
  firstCheckpoint!: Date;

  @Timestamp()
  lastCheckpoint!: Date;

  @BigInteger()
  checkpointCount!: number;

  @BigInteger()
  heartbeatCheckpoints!: number;

  @BigInteger()
  manualCheckpoints!: number;

  @Sum()
  durationNs!: string;

  @Sum()
  sizeBytes!: string;

  /** Between two consecutive checkpoints; null with only one. */
  @BigInteger({ nullable: true })
  minIntervalMs!: number | null;

  @BigInteger({ nullable: true })
  maxIntervalMs!: number | null;
}

/**
 * A checkpoint whose readiness changed since its pod was last added up. Written by a trigger of `actions`,
 * never changed.
 */
@Entity('uncounted_checkpoints')
@Index('uncounted_checkpoints_workload_idx', ['orgId', 'clusterId', 'workload'])
export class UncountedCheckpoint {
  @Key('uncounted_checkpoints')
  orgId!: string;

  @Key('uncounted_checkpoints')
  id!: string;

  @UuidColumn()
  clusterId!: string;

  /** As in `pod_savings`. */
  @Text()
  workload!: string;

  @UuidColumn()
  actionId!: string;

  @ClusterReference('uncounted_checkpoints')
  cluster?: Cluster;

  /** It was counted, and continues with a container: its pod is added up from the beginning. */
  @Flag()
  takenBack!: boolean;
}

/**
 * When the savings of an organisation were last added up, by the database's clock. A refresh locks the row.
 */
@Entity('savings_refreshes')
export class SavingsRefresh {
  @Key('savings_refreshes')
  orgId!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'savings_refreshes_org_fkey' })
  organisation?: Organisation;

  @Timestamp()
  refreshedAt!: Date;
}
