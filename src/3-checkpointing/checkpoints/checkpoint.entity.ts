import { Check, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Cluster, ClusterReference } from '../../2-inventory/clusters/cluster.entity';
import { BigInteger, Flag, KeptJson, Key, Text, Timestamp, UuidColumn } from '../../1-platform/database/rows/columns';
import { Action } from './actions/action.entity';
import type { CheckpointStatus, WorkloadType } from './checkpoint.states';

/** The checkpoint of one container; a delta builds on a parent. */
@Entity('checkpoints')
@Index('checkpoints_timed_idx', ['orgId', 'createdAt', 'id'], { where: 'created_at is not null' })
@Index('checkpoints_of_type_idx', ['orgId', 'workloadType', 'createdAt', 'id'], {
  where: 'workload_type is not null',
})
@Index('checkpoints_by_name_idx', ['orgId', 'name', 'createdAt', 'id'], { where: 'name is not null' })
@Index('checkpoints_of_action_idx', ['orgId', 'actionId'], { where: 'action_id is not null' })
@Index('checkpoints_of_cluster_idx', ['orgId', 'clusterId'], { where: 'cluster_id is not null' })
@Index('checkpoints_container_key', ['orgId', 'actionId', 'containerName'], {
  unique: true,
  where: 'action_id is not null and container_name is not null',
})
@Index('checkpoints_deltas_idx', ['orgId'], { where: 'delta or parent_checkpoint_id is not null' })
@Index('checkpoints_awaiting_upload_idx', ['orgId', 'actionId'], { where: "status = 'updated_info'" })
@Index('checkpoints_restorable_idx', ['orgId', 'workloadType', 'name', 'uploadedAt', 'id'], {
  where: "status = 'ready' and restore_path is not null",
})
@Index('checkpoints_awaiting_removal_idx', ['orgId', 'clusterId', 'createdAt', 'id'], {
  where: "status = 'deprecated' and restore_path is not null and bytes_removed_at is null",
})
@Check('checkpoints_removed_check', "bytes_removed_at is null or status = 'deprecated'")
@Check('checkpoints_workload_type_check', "workload_type in ('kubernetes', 'slurm')")
@Check(
  'checkpoints_status_check',
  "status in ('initializing', 'updated_info', 'possibly_uploaded', 'ready', 'deprecated')",
)
export class Checkpoint {
  @Key('checkpoints')
  orgId!: string;

  @Key('checkpoints')
  id!: string;

  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  @ClusterReference('checkpoints')
  cluster?: Cluster;

  @UuidColumn({ nullable: true })
  actionId!: string | null;

  @ManyToOne(() => Action, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'checkpoints_action_fkey' },
    { name: 'action_id', referencedColumnName: 'id', foreignKeyConstraintName: 'checkpoints_action_fkey' },
  ])
  action?: Action;

  @Text({ nullable: true })
  containerName!: string | null;

  /** Groups checkpoints of one workload; a pod requests this value in SVC_CHECKPOINT. */
  @Text({ nullable: true })
  name!: string | null;

  /** Kind of workload: kubernetes or slurm. */
  @Text({ default: 'kubernetes' })
  workloadType!: WorkloadType;

  @Text()
  status!: CheckpointStatus;

  /** Whether a node has taken it up. */
  @Flag()
  claimed!: boolean;

  /** The reason of a failed attempt; null if it did not fail. */
  @Text({ nullable: true })
  error!: string | null;

  @Text()
  gpu!: string;

  @Text()
  platform!: string;

  /** Whether it holds only the changes since its parent. */
  @Flag()
  delta!: boolean;

  /** No foreign key: a delta outlives its parent, and stays marked as a delta. */
  @UuidColumn({ nullable: true })
  parentCheckpointId!: string | null;

  @Text({ nullable: true })
  checksum!: string | null;

  @KeptJson({ nullable: true })
  info!: object | null;

  @Text({ nullable: true })
  restorePath!: string | null;

  /** The stage that its node last reported. */
  @Text({ nullable: true })
  progressStage!: string | null;

  @BigInteger({ nullable: true })
  bytesDone!: number | null;

  @BigInteger({ nullable: true })
  bytesTotal!: number | null;

  /** When its node last reported that; by the database's clock. */
  @Timestamp({ nullable: true })
  progressedAt!: Date | null;

  @Timestamp()
  createdAt!: Date;

  @Timestamp({ nullable: true })
  uploadedAt!: Date | null;

  /** When its controller confirmed that its bytes are gone; by the database's clock. */
  @Timestamp({ nullable: true })
  bytesRemovedAt!: Date | null;
}
