import { Bool, Int, Json, OneOf, Str, Strings, Time, Uuid, Uuids } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';
import { ACTION_STATUSES, ACTION_TYPES, type ActionType } from './action.states';

export class UploadActionPodBody {
  @Str({ max: 64, description: 'The status of the action as its node sees it', example: 'processing' })
  status!: string;

  @Str({ max: 64 })
  action_id!: string;

  @Str({ optional: true, nullable: true, max: 128 })
  pod_id?: string | null;

  @Json({ optional: true })
  persistent_volume_claim?: unknown;

  @Json({ optional: true })
  pod_metadata_spec?: unknown;

  @Json({ optional: true })
  pod_spec?: unknown;
}

export class ListActionsQuery extends PageQuery {
  @Uuid({ optional: true, description: 'Only this one' })
  action_id?: string;

  @OneOf(ACTION_TYPES, { optional: true })
  type?: ActionType;

  @Uuid({ optional: true, description: 'Those that this cluster carries out' })
  cluster_id?: string;

  @Bool({
    query: true,
    optional: true,
    description: 'true: only those that wait for a controller or a node, which are neither ready nor in error',
  })
  open?: boolean;

  @Uuid({ optional: true, description: 'The `action_id` after which the page begins' })
  after?: string;
}

export class ActionView {
  @Uuid()
  action_id!: string;

  @Uuid({ description: 'Its first checkpoint, or the restored one' })
  checkpoint_id!: string;

  @Str({ description: ACTION_STATUSES.join(', ') })
  status!: string;

  @OneOf(ACTION_TYPES)
  type!: ActionType;

  @Json({ description: 'The request as received' })
  details!: unknown;

  @Str()
  gpu!: string;

  @Str()
  platform!: string;

  @Time({ nullable: true, description: 'When it was requested' })
  action_timestamp!: Date | null;

  @Time({ nullable: true, description: 'When the last of its checkpoints was uploaded' })
  checkpoint_completed_timestamp!: Date | null;

  @Str({ nullable: true, description: 'The value of SVC_CHECKPOINT' })
  checkpoint_name!: string | null;

  @Bool({ nullable: true })
  delta!: boolean | null;

  @Str({ nullable: true })
  node_name!: string | null;

  @Uuid({ nullable: true, description: 'null for a full checkpoint, and for a delta whose parent is deleted' })
  parent_checkpoint_id!: string | null;

  @Str({ nullable: true })
  reason!: string | null;

  @Int({ nullable: true, description: 'Nanoseconds of all its attempts' })
  total_duration!: number | null;

  @Int({ nullable: true, description: 'Bytes of all its attempts' })
  total_io!: number | null;

  @Str({ nullable: true, description: "Kind of the pod's owner" })
  workload_kind!: string | null;

  @Bool({ nullable: true, description: 'Whether the workload continues after the dump; null for a restore' })
  leave_running!: boolean | null;
}

export class ActionDetailsView {
  @Uuid()
  action_id!: string;

  @Str()
  type!: string;

  @Str()
  status!: string;

  @Json({ description: 'The request as received' })
  details!: unknown;

  @Uuid({ nullable: true })
  checkpoint_id!: string | null;

  @Uuids({ description: 'All its checkpoints' })
  checkpoint_ids!: string[];

  @Str({ nullable: true })
  checkpoint_name!: string | null;

  @Int({ nullable: true, description: 'Bytes of all its checkpoints' })
  checkpoint_size!: number | null;

  @Json({ description: 'As reported for its first checkpoint' })
  checkpoint_info!: unknown;

  @Time({ nullable: true })
  action_timestamp!: Date | null;

  @Time({ nullable: true })
  checkpoint_completed_timestamp!: Date | null;

  @Str({ nullable: true })
  gpu!: string | null;

  @Str({ nullable: true })
  node_name!: string | null;

  @Str({ nullable: true })
  platform!: string | null;

  @Str({ nullable: true })
  reason!: string | null;

  @Str({ nullable: true })
  restore_path!: string | null;

  @Int({ nullable: true, description: 'Nanoseconds' })
  total_duration!: number | null;

  @Int({ nullable: true, description: 'Bytes' })
  total_io!: number | null;

  @Bool({ nullable: true, description: 'Whether the workload continues after the dump; null for a restore' })
  leave_running!: boolean | null;

  @Strings({
    nullable: true,
    maxItems: 1_000,
    description: 'Covered containers: the action is ready when each has a ready checkpoint. null if unknown',
  })
  containers!: string[] | null;

  @Str({ nullable: true, description: 'The reason of the status error' })
  error!: string | null;

  @Json({ description: 'Last known metadata of the pod' })
  pod_metadata!: unknown;

  @Json({ description: 'Last known specification of the pod' })
  pod_spec!: unknown;
}
