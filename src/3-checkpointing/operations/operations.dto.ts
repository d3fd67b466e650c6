import { PageQuery } from '../../1-platform/common/answers/paging';
import { Int, ListOf, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { OPERATION_TYPES, RESULTS, WORKLOAD_TYPES, type OperationResult, type OperationType } from './operation.states';

export class ListOperationsQuery extends PageQuery {
  @Uuid({ optional: true, description: 'Only this one' })
  operation_id?: string;

  @OneOf(OPERATION_TYPES, { optional: true })
  op_type?: OperationType;

  @OneOf(RESULTS, { optional: true })
  result?: OperationResult;

  @OneOf(WORKLOAD_TYPES, { optional: true })
  workload_type?: string;

  @Uuid({ optional: true })
  cluster_id?: string;

  @Uuid({ optional: true, description: 'Attempts of one request' })
  action_id?: string;

  @Str({ optional: true, max: 253 })
  namespace?: string;

  @Str({ optional: true, max: 253, description: "Part of the workload's name, case-insensitive" })
  name?: string;

  @Time({ optional: true, description: 'Attempts that began at or after this time' })
  since?: string;

  @Time({ optional: true, description: 'Attempts that began before this time' })
  until?: string;

  @Uuid({ optional: true, description: 'The `operation_id` after which the page begins' })
  after?: string;
}

export class OperationStageView {
  @Int({ format: null })
  seq!: number;

  @Str({ description: 'As reported' })
  stage!: string;

  @Int()
  bytes_in!: number;

  @Int()
  bytes_out!: number;

  @Int()
  duration_ns!: number;

  @Str()
  reason!: string;

  @Str()
  result!: string;
}

/** One attempt. Unknown texts are empty, unknown numbers 0. */
export class OperationFactView {
  @Str({
    description: "The checkpoint's id, or the restore's uuid; the action's id for a restore that no node took up",
  })
  operation_id!: string;

  @OneOf(OPERATION_TYPES)
  op_type!: OperationType;

  @OneOf(RESULTS)
  result!: OperationResult;

  @Str()
  action_id!: string;

  @Str({ description: 'The created or restored checkpoint' })
  checkpoint_id!: string;

  @Str()
  cluster_id!: string;

  @Str({ description: 'Empty for a checkpoint, and for a restore that no node took up' })
  restore_uuid!: string;

  @Str({ description: 'Of the workload' })
  name!: string;

  @Str()
  namespace!: string;

  @Str()
  node_name!: string;

  @Str()
  pod_uid!: string;

  @Str()
  kind!: string;

  @Str()
  platform!: string;

  @Str()
  gpu_model!: string;

  @Str()
  reason!: string;

  @Str({ description: 'Source of the stages: profile, criu or profile+criu' })
  source!: string;

  @Str()
  storage_tier!: string;

  @Str({ description: 'kubernetes or slurm' })
  workload_type!: string;

  @Str()
  failure_reason!: string;

  @Str()
  failure_stage!: string;

  @Int()
  duration_ns!: number;

  @Int({ description: 'How long the workload was stopped' })
  pause_ns!: number;

  @Int({ description: 'Bytes written or read, plus those that a parent already held' })
  logical_bytes!: number;

  @Int({ description: 'Written, or read' })
  physical_bytes!: number;

  @Int({ description: 'Milliseconds since the Unix epoch' })
  started_at_ms!: number;

  @Int({ nullable: true, description: 'Milliseconds since the Unix epoch' })
  completed_at_ms!: number | null;

  @Int({ nullable: true, description: 'Restores: when the restored pod became ready' })
  pod_ready_at_ms!: number | null;

  @Int({ nullable: true, description: 'Restores: when the restored pod was scheduled' })
  pod_scheduled_at_ms!: number | null;
}

export class OperationFactDetailView extends OperationFactView {
  @ListOf(() => OperationFactView, { maxItems: 1000, description: 'Restores made from the checkpoint, newest first' })
  restores!: OperationFactView[];

  @ListOf(() => OperationStageView, { maxItems: 200, description: 'In the order of the reports' })
  stages!: OperationStageView[];
}
