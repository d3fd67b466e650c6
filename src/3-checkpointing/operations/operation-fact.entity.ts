import { Check, Entity, Index } from 'typeorm';
import type { OperationResult, OperationType } from './operation.states';
import {
  BigInteger,
  DatabaseKeyTime,
  Flag,
  Key,
  Text,
  Timestamp,
  UuidColumn,
} from '../../1-platform/database/rows/columns';

/** One attempt to checkpoint or to restore. Unknown texts are empty, unknown numbers 0. */
@Entity('operation_facts')
@Index('operation_facts_timed_idx', ['orgId', 'startedAt'], { where: 'started_at is not null' })
@Index('operation_facts_failed_idx', ['orgId', 'startedAt'], { where: "result = 'failed'" })
@Index('operation_facts_running_idx', ['orgId', 'opType'], { where: "result = 'running'" })
@Index('operation_facts_of_checkpoint_idx', ['orgId', 'checkpointId'], { where: 'checkpoint_id is not null' })
@Index('operation_facts_by_action_idx', ['orgId', 'actionId'], { where: 'action_id is not null' })
@Index('operation_facts_awaiting_pod_idx', ['orgId', 'podUid'], {
  where: "op_type = 'restore' and pod_ready_at is null",
})
@Index('operation_facts_awaiting_asking_pod_idx', ['orgId', 'checkpointName', 'nodeName', 'startedAt'], {
  where: "op_type = 'restore' and pod_ready_at is null and pod_uid = ''",
})
@Index('operation_facts_recent_restores_idx', ['startedAt'], { where: "op_type = 'restore' and pod_ready_at is null" })
@Index('operation_facts_unsummed_idx', ['orgId', 'startedAt'], { where: 'not summed' })
@Check('operation_facts_result_check', "result in ('running', 'succeeded', 'failed', 'fallback')")
@Check('operation_facts_type_check', "op_type in ('checkpoint', 'restore')")
export class OperationFact {
  @Key('operation_facts')
  orgId!: string;

  /** Id of the checkpoint, or the restore's uuid; of its action, if no node took the restore up. */
  @Key('operation_facts')
  operationId!: string;

  @Text()
  opType!: OperationType;

  @Text()
  result!: OperationResult;

  @UuidColumn({ nullable: true })
  actionId!: string | null;

  /** The created or restored checkpoint. */
  @UuidColumn({ nullable: true })
  checkpointId!: string | null;

  /** No foreign key: facts outlive their cluster, so that summary and export continue to agree. */
  @UuidColumn({ nullable: true })
  clusterId!: string | null;

  /** Name of the workload. */
  @Text()
  name!: string;

  @Text()
  namespace!: string;

  @Text()
  nodeName!: string;

  @Text()
  podUid!: string;

  /**
   * Name of the checkpoint that the restored pod requests; used to find the pod if the event does not name
   * it.
   */
  @Text()
  checkpointName!: string;

  @Text()
  kind!: string;

  @Text()
  platform!: string;

  @Text()
  gpuModel!: string;

  @Text()
  reason!: string;

  /** Source of the stages: profile, criu, profile+criu; empty without stages. */
  @Text()
  source!: string;

  @Text()
  storageTier!: string;

  /** kubernetes or slurm. */
  @Text()
  workloadType!: string;

  @Text()
  failureReason!: string;

  @Text()
  failureStage!: string;

  /** Reason and stage under which aggregates count the failure: from a bounded set. */
  @Text()
  failureReasonLabel!: string;

  @Text()
  failureStageLabel!: string;

  @BigInteger()
  durationNs!: number;

  /** How long the workload was stopped. */
  @BigInteger()
  pauseNs!: number;

  @BigInteger()
  logicalBytes!: number;

  @BigInteger()
  physicalBytes!: number;

  @Timestamp()
  startedAt!: Date;

  @Timestamp({ nullable: true })
  completedAt!: Date | null;

  @Timestamp({ nullable: true })
  podScheduledAt!: Date | null;

  @Timestamp({ nullable: true })
  podReadyAt!: Date | null;

  /**
   * Whether the sums of reports have it (`operation_sums`, `operation_changes`). Triggers keep them equal
   * from then on. Facts from before the sums are added to them by a sweep.
   */
  @Flag({ default: false })
  summed!: boolean;
}

/**
 * A stage of an attempt: partitioned by time. They are written by who holds the attempt's row, or creates it,
 * after all that it had are deleted. So an attempt has a place in their order once, in whatever partition.
 */
@Entity('operation_stages')
export class OperationStage {
  @Key('operation_stages')
  orgId!: string;

  @Key('operation_stages')
  operationId!: string;

  @Key('operation_stages', 'integer')
  seq!: number;

  @DatabaseKeyTime('operation_stages')
  recordedAt!: Date;

  /** As reported: any name. */
  @Text()
  stage!: string;

  @BigInteger()
  bytesIn!: number;

  @BigInteger()
  bytesOut!: number;

  @BigInteger()
  durationNs!: number;

  @Text()
  reason!: string;

  @Text()
  result!: string;
}
