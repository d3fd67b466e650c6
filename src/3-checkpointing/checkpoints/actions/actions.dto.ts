import { Bool, Int, Json, OneOf, Str, Strings, Time, Uuid, Uuids } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';
import { ACTION_STATUSES, ACTION_TYPES, type ActionType } from './action.states';

export class UploadActionPodBody {
  @Str({ max: 64, description: 'Where the node says the action stands', example: 'processing' })
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
  @OneOf(ACTION_TYPES, { optional: true })
  type?: ActionType;
}

export class ActionView {
  @Uuid()
  action_id!: string;

  @Uuid({ description: 'Its first checkpoint, or the one that is restored' })
  checkpoint_id!: string;

  @Str({ description: ACTION_STATUSES.join(', ') })
  status!: string;

  @OneOf(ACTION_TYPES)
  type!: ActionType;

  @Json({ description: 'The request as it was made' })
  details!: unknown;

  @Str()
  gpu!: string;

  @Str()
  platform!: string;

  @Time({ nullable: true, description: 'When it was asked for' })
  action_timestamp!: Date | null;

  @Time({ nullable: true, description: 'When the last of its checkpoints was uploaded' })
  checkpoint_completed_timestamp!: Date | null;

  @Str({ nullable: true, description: 'The value of SVC_CHECKPOINT' })
  checkpoint_name!: string | null;

  @Bool({ nullable: true })
  delta!: boolean | null;

  @Str({ nullable: true })
  node_name!: string | null;

  @Uuid({ nullable: true, description: 'null for a full checkpoint, and for a delta whose parent is gone' })
  parent_checkpoint_id!: string | null;

  @Str({ nullable: true })
  reason!: string | null;

  @Int({ nullable: true, description: 'Nanoseconds, of all its attempts' })
  total_duration!: number | null;

  @Int({ nullable: true, description: 'Bytes, of all its attempts' })
  total_io!: number | null;

  @Str({ nullable: true, description: 'Kind that owns the pod' })
  workload_kind!: string | null;

  @Bool({ nullable: true, description: 'The workload goes on after the dump; null for a restore' })
  leave_running!: boolean | null;
}

export class ActionDetailsView {
  @Uuid()
  action_id!: string;

  @Str()
  type!: string;

  @Str()
  status!: string;

  @Json({ description: 'The request as it was made' })
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

  @Bool({ nullable: true, description: 'The workload goes on after the dump; null for a restore' })
  leave_running!: boolean | null;

  @Strings({
    nullable: true,
    maxItems: 1_000,
    description: 'Containers that it covers: it is ready when each has a checkpoint. null where they are not known',
  })
  containers!: string[] | null;

  @Str({ nullable: true, description: 'Why it is in error' })
  error!: string | null;

  @Json({ description: 'Metadata of the pod, as last known' })
  pod_metadata!: unknown;

  @Json({ description: 'Specification of the pod, as last known' })
  pod_spec!: unknown;
}
