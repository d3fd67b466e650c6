import { MAX_JOINED_UUIDS, MAX_JOINED_UUIDS_TEXT } from '../../1-platform/common/fields/comma-joined';
import { Bool, Int, Json, Obj, OneOf, Str, Strings, Time, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { MAX_CHECKPOINT_NAME } from '../../2-inventory/kubernetes/resource';
import { ACTION_STATUSES } from './actions/action.states';
import { CHECKPOINT_STATUSES, type CheckpointStatus } from './checkpoint.states';

export const CHECKPOINT_KINDS = ['simple', 'rootfs', 'rootfsonly'] as const;

/** Option of a request for a checkpoint. */
export const LeaveRunning = (): PropertyDecorator =>
  Bool({
    optional: true,
    default: true,
    description: 'false: the workload is released after the dump, as migrations require',
  });

/** Option of a request for a restore. */
export const AllowPartial = (): PropertyDecorator =>
  Bool({
    optional: true,
    default: false,
    description: 'Restore the ready checkpoints of an action that is not ready',
  });

/** Option of a request for a restore. */
export const AllowIncompatible = (): PropertyDecorator =>
  Bool({
    optional: true,
    default: false,
    description:
      'Restore though the machine lacks something that the one of the checkpoint had, such as a CPU flag. The audit names it',
  });

export class CheckpointOverridesBody {
  @Bool({ optional: true })
  asynchronous?: boolean;

  @Str({ optional: true, nullable: true, max: 64 })
  compression?: string | null;

  @Str({ optional: true, nullable: true, max: 8192 })
  criu_opts?: string | null;

  @Str({ optional: true, nullable: true, max: 4096 })
  directory?: string | null;

  @Bool({ optional: true, nullable: true, description: 'GPU delta; null selects the default of the cluster' })
  incremental?: boolean | null;

  @Int({ optional: true, format: 'int32', min: 0 })
  streams?: number;
}

export class CheckpointPodBody {
  @Str({ optional: true, nullable: true, max: 64, description: 'Set by the service; ignored here' })
  action_id?: string | null;

  @Str({ optional: true, nullable: true, max: 64 })
  cluster_id?: string | null;

  @Str({ optional: true, nullable: true, max: 253 })
  namespace?: string | null;

  @Str({ optional: true, nullable: true, max: 128, description: 'Kubernetes uid or row id' })
  pod_id?: string | null;

  @Str({ optional: true, nullable: true, max: 253 })
  pod_name?: string | null;

  @OneOf(CHECKPOINT_KINDS, { optional: true })
  kind?: (typeof CHECKPOINT_KINDS)[number];

  @OneOf(['heartbeat', 'manual'], { optional: true })
  reason?: 'heartbeat' | 'manual';

  @LeaveRunning()
  leave_running?: boolean;

  @Strings({
    optional: true,
    nullable: true,
    unique: true,
    maxItems: 1_000,
    maxLength: 253,
    description:
      'Names of the containers to checkpoint; default: the running ones that the annotation `ccp-agent/containers` ' +
      'of the pod names, and without it, or if `leave_running` is false and there is no `reason`, all running ones',
  })
  containers?: string[] | null;

  @Obj(() => CheckpointOverridesBody, { optional: true, nullable: true })
  overrides?: CheckpointOverridesBody | null;

  @Str({ optional: true, deprecated: true, max: 4096, description: 'Accepted and stored for older callers' })
  runc_root?: string;
}

export class CreateCheckpointBody {
  @Uuid({
    optional: true,
    description: 'Its action; the first request for an action gets the checkpoint that was created with it',
  })
  action_id?: string;

  @Str({ optional: true, min: 1, max: MAX_CHECKPOINT_NAME })
  name?: string;

  @Str({ optional: true, min: 1, max: 253 })
  container_name?: string;

  @Uuid({ optional: true })
  parent_checkpoint_id?: string;

  @Bool({ optional: true, description: 'Default: true if a parent is named' })
  delta?: boolean;
}

export class CheckpointInfoBody {
  @Str({ max: 512, lenient: true, example: 'NVIDIA H100', description: 'Empty or missing without a GPU' })
  gpu?: string | null;

  @Str({ max: 512, example: 'linux/amd64' })
  platform!: string;

  @Json({
    optional: true,
    description: "Any JSON; a profiling tree or CRIU's statistics anywhere in it become the stages of the fact",
  })
  info?: unknown;

  @Str({ optional: true, min: 1, max: 4096, description: 'The attempt failed, for this reason' })
  error?: string;
}

export class CheckpointProgressBody {
  @Str({ min: 1, max: 64, description: 'The current stage', example: 'dump' })
  stage!: string;

  @Int({ optional: true, nullable: true, min: 0 })
  bytes_done?: number | null;

  @Int({ optional: true, nullable: true, min: 0 })
  bytes_total?: number | null;
}

export class CheckpointUploadedBody {
  @Str({ optional: true, nullable: true, max: 4096 })
  restore_path?: string | null;
}

export class ListCheckpointsQuery extends PageQuery {
  @Str({
    optional: true,
    max: MAX_JOINED_UUIDS_TEXT,
    description: `Comma-separated checkpoint ids, at most ${MAX_JOINED_UUIDS}`,
  })
  ids?: string;

  @Uuid({ optional: true })
  cluster_id?: string;

  @OneOf(CHECKPOINT_STATUSES, { optional: true })
  status?: CheckpointStatus;

  @Str({ optional: true, max: MAX_CHECKPOINT_NAME, description: 'The whole name, of which many checkpoints may be' })
  exact_name?: string;

  @Bool({
    query: true,
    optional: true,
    description: 'true: only deprecated ones that were uploaded, and whose bytes nobody has confirmed to be gone',
  })
  awaiting_removal?: boolean;
}

export class CheckpointPathQuery {
  @Str({ optional: true, max: MAX_CHECKPOINT_NAME })
  name?: string;

  @Uuid({ optional: true, description: 'Only checkpoints of this cluster; others may have workloads of the same name' })
  cluster_id?: string;
}

export class CheckpointOperationView {
  @OneOf([...ACTION_STATUSES, 'not_found'])
  status!: string;

  @Str({
    nullable: true,
    description: 'The reason of the status error, or the progress of the node',
    example: 'trainer: dump, 536870912 of 1073741824 bytes',
  })
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

  @Str({ nullable: true, description: 'Where its bytes are, as reported with the upload' })
  restore_path!: string | null;

  @Str({ nullable: true })
  pod_name!: string | null;

  @Str({ nullable: true })
  namespace!: string | null;

  @Uuid({ nullable: true })
  cluster_id!: string | null;

  @Time()
  created_at!: Date;

  @Time({ nullable: true, description: 'When its controller confirmed that its bytes are gone' })
  bytes_removed_at!: Date | null;

  @Int({ nullable: true, description: "Slurm's job number; null for a pod" })
  job_id!: number | null;
}
