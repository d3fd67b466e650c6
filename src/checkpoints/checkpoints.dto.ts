import { Bool, Int, Json, Obj, OneOf, Str, Time, Uuid, Uuids } from '../common/fields';
import { PageQuery } from '../common/paging';
import { MAX_CHECKPOINT_NAME } from '../kubernetes/resource';
import { ACTION_STATUSES, ACTION_TYPES, type ActionType } from './action.states';
import { CHECKPOINT_STATUSES, type CheckpointStatus } from './checkpoint.states';

export const CHECKPOINT_KINDS = ['simple', 'rootfs', 'rootfsonly'] as const;

export class CheckpointOverridesBody {
  @Bool({ optional: true })
  asynchronous?: boolean;

  @Str({ optional: true, nullable: true, max: 64 })
  compression?: string | null;

  @Str({ optional: true, nullable: true, max: 8192 })
  criu_opts?: string | null;

  @Str({ optional: true, nullable: true, max: 4096 })
  directory?: string | null;

  @Bool({ optional: true, nullable: true, description: 'GPU delta; null takes the default of the cluster' })
  incremental?: boolean | null;

  @Int({ optional: true, format: 'int32', min: 0 })
  streams?: number;
}

export class CheckpointPodBody {
  @Str({ optional: true, nullable: true, max: 64, description: 'Given by the service; not looked at here' })
  action_id?: string | null;

  @Str({ optional: true, nullable: true, max: 64 })
  cluster_id?: string | null;

  @Str({ optional: true, nullable: true, max: 253 })
  namespace?: string | null;

  @Str({ optional: true, nullable: true, max: 128, description: 'Kubernetes uid, or id of the row' })
  pod_id?: string | null;

  @Str({ optional: true, nullable: true, max: 253 })
  pod_name?: string | null;

  @OneOf(CHECKPOINT_KINDS, { optional: true })
  kind?: (typeof CHECKPOINT_KINDS)[number];

  @OneOf(['heartbeat', 'manual'], { optional: true })
  reason?: 'heartbeat' | 'manual';

  @Obj(() => CheckpointOverridesBody, { optional: true, nullable: true })
  overrides?: CheckpointOverridesBody | null;

  @Str({ optional: true, deprecated: true, max: 4096, description: 'Accepted and kept for older callers' })
  runc_root?: string;
}

export class CreateCheckpointBody {
  @Uuid({
    optional: true,
    description: 'Action it belongs to; the first ask of an action gets the checkpoint it was made with',
  })
  action_id?: string;

  @Str({ optional: true, min: 1, max: MAX_CHECKPOINT_NAME })
  name?: string;

  @Str({ optional: true, min: 1, max: 253 })
  container_name?: string;

  @Uuid({ optional: true })
  parent_checkpoint_id?: string;

  @Bool({ optional: true, description: 'true when a parent is named and nothing is said' })
  delta?: boolean;
}

export class CheckpointInfoBody {
  @Str({ max: 512, example: 'NVIDIA H100' })
  gpu!: string;

  @Str({ max: 512, example: 'linux/amd64' })
  platform!: string;

  @Json({
    optional: true,
    description: "Anything; a profiling tree or CRIU's statistics anywhere in it become the stages of the fact",
  })
  info?: unknown;

  @Str({ optional: true, min: 1, max: 4096, description: 'Says that the attempt failed, and why' })
  error?: string;
}

export class CheckpointUploadedBody {
  @Str({ optional: true, nullable: true, max: 4096 })
  restore_path?: string | null;
}

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

export class ListCheckpointsQuery extends PageQuery {
  @Str({ optional: true, max: 40_000, description: 'Comma-separated checkpoint ids' })
  ids?: string;
}

export class CheckpointPathQuery {
  @Str({ optional: true, max: MAX_CHECKPOINT_NAME })
  name?: string;
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

  @Str({ nullable: true, description: 'Why it is in error' })
  error!: string | null;

  @Json({ description: 'Metadata of the pod, as last known' })
  pod_metadata!: unknown;

  @Json({ description: 'Specification of the pod, as last known' })
  pod_spec!: unknown;
}

export class CheckpointOperationView {
  @OneOf([...ACTION_STATUSES, 'not_found'])
  status!: string;

  @Str({ nullable: true, description: 'Why it is in error' })
  details!: string | null;
}

export class CheckpointListItemView {
  @Uuid()
  id!: string;

  @OneOf(CHECKPOINT_STATUSES)
  status!: CheckpointStatus;

  @Str()
  gpu!: string;

  @Str()
  platform!: string;

  @Bool()
  delta!: boolean;

  @Str({ nullable: true })
  checksum!: string | null;

  @Json()
  info!: unknown;

  @Str({ nullable: true })
  name!: string | null;

  @Uuid({
    nullable: true,
    description: 'null for a full checkpoint, and for a delta whose parent is unknown or deleted',
  })
  parent_checkpoint_id!: string | null;

  @Uuid({ nullable: true })
  action_id!: string | null;

  @Str({ nullable: true })
  container_name!: string | null;

  @Str({ nullable: true })
  pod_name!: string | null;

  @Str({ nullable: true })
  namespace!: string | null;

  @Uuid({ nullable: true })
  cluster_id!: string | null;

  @Time()
  created_at!: Date;
}
