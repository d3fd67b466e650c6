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

/** A checkpoint, a heartbeat checkpoint or a restore that was asked for. */
@Entity('actions')
@Index('actions_newest_idx', ['orgId', 'createdAt', 'id'])
@Index('actions_by_pod_idx', ['orgId', 'podUid', 'createdAt'])
@Index('actions_by_cluster_idx', ['orgId', 'clusterId'])
@Index('actions_by_slurm_job_idx', ['orgId', 'slurmJobId', 'createdAt'], { where: 'slurm_job_id is not null' })
@Index('actions_by_policy_idx', ['orgId', 'policyId', 'createdAt', 'id'], { where: 'policy_id is not null' })
@Index('actions_pod_beat_key', ['orgId', 'policyId', 'beatAt', 'podId'], {
  unique: true,
  where: 'policy_id is not null and pod_id is not null',
})
@Index('actions_slurm_job_beat_key', ['orgId', 'policyId', 'beatAt', 'slurmJobId'], {
  unique: true,
  where: 'policy_id is not null and slurm_job_id is not null',
})
@Index('actions_open_idx', ['answerBy'], { where: "status in ('initialized', 'processing', 'checkpoint_created')" })
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

  /** Why it is in error. */
  @Text({ nullable: true })
  error!: string | null;

  @Text()
  reason!: string;

  /** simple, rootfs or rootfsonly. */
  @Text()
  kind!: string;

  /** Of the workload: kubernetes, until a node tells the platform of its checkpoint, or slurm. */
  @Text()
  platform!: string;

  /** The action's first checkpoint, or the one that is restored. */
  @UuidColumn()
  checkpointId!: string;

  @UuidColumn({ nullable: true })
  podId!: string | null;

  @Text()
  podUid!: string;

  /** Of a Slurm job, its name. */
  @Text()
  podName!: string;

  /** Of a Slurm job, its partition. */
  @Text()
  namespace!: string;

  /** Of a Slurm job, its nodes as Slurm writes them. */
  @Text()
  nodeName!: string;

  /**
   * What the node told of itself when the action was asked for, because it may be gone when that
   * is looked at; null where nothing is known of it.
   */
  @Text({ nullable: true })
  nodeRegion!: string | null;

  @Text({ nullable: true })
  instanceType!: string | null;

  @Text({ nullable: true })
  capacityType!: string | null;

  /** Its model. */
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

  /** The policy that asked. No foreign key: what it did outlives it. */
  @UuidColumn({ nullable: true })
  policyId!: string | null;

  /** When the policy was due: it asks a workload once for each beat. */
  @Timestamp({ nullable: true })
  beatAt!: Date | null;

  /**
   * Names of the containers that it covers: it is ready when each
   * has a checkpoint. Null where they are not known.
   */
  @Column({ type: 'text', array: true, nullable: true })
  containers!: string[] | null;

  /**
   * The workload goes on after the dump; false: it is let go,
   * as migrations require. Says nothing for a restore.
   */
  @Flag({ default: true })
  leaveRunning!: boolean;

  /** The request as it was made. */
  @KeptJson()
  details!: object;

  /** The pod as it was last known, because it is gone when it is restored. */
  @KeptJson({ nullable: true })
  podMetadata!: object | null;

  @KeptJson({ nullable: true })
  podSpec!: object | null;

  @KeptJson({ nullable: true })
  persistentVolumeClaim!: object | null;

  @Timestamp()
  createdAt!: Date;

  /** When it becomes error unless another report arrives; each report moves it. By the database's clock. */
  @Timestamp()
  answerBy!: Date;

  /** When it was over, or its node said so; by the database's clock. */
  @Timestamp({ nullable: true })
  endedAt!: Date | null;

  /** When the service made it an error because no report had arrived in time; by the database's clock. */
  @Timestamp({ nullable: true })
  givenUpAt!: Date | null;
}
