import { Check, Column, Entity, Index } from 'typeorm';
import { Cluster, ClusterReference } from '../../../2-inventory/clusters/cluster.entity';
import {
  BigInteger,
  Flag,
  KeptJson,
  Key,
  Text,
  Timestamp,
  UuidColumn,
} from '../../../1-platform/database/rows/columns';
import type { ActionStatus, ActionType } from './action.states';

/** A requested checkpoint, heartbeat checkpoint or restore. */
@Entity('actions')
@Index('actions_timed_idx', ['orgId', 'createdAt', 'id'], { where: 'created_at is not null' })
@Index('actions_of_pod_row_idx', ['orgId', 'podId', 'createdAt'], { where: 'pod_id is not null' })
@Index('actions_of_pod_idx', ['orgId', 'podUid', 'createdAt'], { where: 'pod_uid is not null' })
@Index('actions_of_cluster_idx', ['orgId', 'clusterId'], { where: 'cluster_id is not null' })
@Index('actions_by_slurm_job_idx', ['orgId', 'slurmJobId', 'createdAt'], { where: 'slurm_job_id is not null' })
@Index('actions_by_policy_idx', ['orgId', 'policyId', 'createdAt', 'id'], { where: 'policy_id is not null' })
// Counted in it, without a look at the actions themselves.
@Index('actions_of_policy_by_status_idx', ['orgId', 'policyId', 'status'], { where: 'policy_id is not null' })
@Index('actions_pod_beat_key', ['orgId', 'policyId', 'beatAt', 'podId'], {
  unique: true,
  where: 'policy_id is not null and pod_id is not null',
})
@Index('actions_slurm_job_beat_key', ['orgId', 'policyId', 'beatAt', 'slurmJobId'], {
  unique: true,
  where: 'policy_id is not null and slurm_job_id is not null',
})
// What each workload still has of a policy, which is little: what was retired is not in it. All that is read
// of them is.
@Index('actions_kept_idx', ['orgId', 'policyId', 'podId', 'slurmJobId', 'beatAt', 'id', 'status'], {
  where: "policy_id is not null and status in ('ready', 'error') and retired_at is null",
})
@Index('actions_open_restores_idx', ['orgId', 'checkpointId'], {
  where: "type = 'restore_pod' and status in ('initialized', 'processing', 'checkpoint_created')",
})
@Index('actions_open_idx', ['answerBy'], { where: "status in ('initialized', 'processing', 'checkpoint_created')" })
@Index('actions_partly_failed_idx', ['answerBy'], {
  where: "status = 'error' and given_up_at is null and type <> 'restore_pod'",
})
@Check('actions_type_check', "type in ('checkpoint_pod', 'restore_pod', 'heartbeat')")
@Check('actions_status_check', "status in ('initialized', 'processing', 'checkpoint_created', 'ready', 'error')")
export class Action {
  @Key('actions')
  orgId!: string;

  @Key('actions')
  id!: string;

  @UuidColumn()
  clusterId!: string;

  @ClusterReference('actions')
  cluster?: Cluster;

  @Text()
  type!: ActionType;

  @Text()
  status!: ActionStatus;

  /** The reason of the status error. */
  @Text({ nullable: true })
  error!: string | null;

  @Text()
  reason!: string;

  /** simple, rootfs or rootfsonly. */
  @Text()
  kind!: string;

  /** Platform of the workload: kubernetes until a node reports the platform of its checkpoint, or slurm. */
  @Text()
  platform!: string;

  /** The action's first checkpoint, or the restored one. */
  @UuidColumn()
  checkpointId!: string;

  @UuidColumn({ nullable: true })
  podId!: string | null;

  @Text()
  podUid!: string;

  /** For a Slurm job, the job's name. */
  @Text()
  podName!: string;

  /** For a Slurm job, its partition. */
  @Text()
  namespace!: string;

  /** For a Slurm job, its nodes in Slurm's notation. */
  @Text()
  nodeName!: string;

  /**
   * What the node reported about itself by the time of the request, because it may be gone when somebody
   * reads this; null if unknown.
   */
  @Text({ nullable: true })
  nodeRegion!: string | null;

  @Text({ nullable: true })
  instanceType!: string | null;

  @Text({ nullable: true })
  capacityType!: string | null;

  /** Model of its GPUs. */
  @Text({ nullable: true })
  nodeGpu!: string | null;

  /** Slurm's number of the job; null for a pod. */
  @BigInteger({ nullable: true })
  slurmJobId!: number | null;

  @Text({ nullable: true })
  workloadKind!: string | null;

  /** The value of SVC_CHECKPOINT of the workload. */
  @Text({ nullable: true })
  checkpointName!: string | null;

  /** The policy that created the action. No foreign key: actions outlive their policy. */
  @UuidColumn({ nullable: true })
  policyId!: string | null;

  /** When the policy was due: it requests a workload once per beat. */
  @Timestamp({ nullable: true })
  beatAt!: Date | null;

  /**
   * Names of the covered containers: the action is ready when each has a ready checkpoint. Null if unknown.
   */
  @Column({ type: 'text', array: true, nullable: true })
  containers!: string[] | null;

  /**
   * Whether the workload continues after the dump; false: it is released, as migrations require. Meaningless
   * for a restore.
   */
  @Flag({ default: true })
  leaveRunning!: boolean;

  /** The request as received. */
  @KeptJson()
  details!: object;

  /** The last known pod, because it is gone by the time of a restore. */
  @KeptJson({ nullable: true })
  podMetadata!: object | null;

  @KeptJson({ nullable: true })
  podSpec!: object | null;

  @KeptJson({ nullable: true })
  persistentVolumeClaim!: object | null;

  @Timestamp()
  createdAt!: Date;

  /** When it is given up unless another report arrives; each report moves it. By the database's clock. */
  @Timestamp()
  answerBy!: Date;

  /** When it ended, or its node reported the end; by the database's clock. */
  @Timestamp({ nullable: true })
  endedAt!: Date | null;

  /**
   * When the service gave it up because no report arrived in time; by the database's clock. It may have been
   * in error before, by one of its checkpoints: then none of the others goes on any more.
   */
  @Timestamp({ nullable: true })
  givenUpAt!: Date | null;

  /** When its policy gave its checkpoints up, because it keeps newer ones; by the database's clock. */
  @Timestamp({ nullable: true })
  retiredAt!: Date | null;
}
