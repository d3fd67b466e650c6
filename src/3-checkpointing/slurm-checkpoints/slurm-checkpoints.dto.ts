import { AllowIncompatible, AllowPartial, CHECKPOINT_KINDS, LeaveRunning } from '../checkpoints/checkpoints.dto';
import { CHECKPOINT_STATUSES, type CheckpointStatus } from '../checkpoints/checkpoint.states';
import { MAX_JOINED_UUIDS, MAX_JOINED_UUIDS_TEXT } from '../../1-platform/common/fields/comma-joined';
import { Int, Json, NamePart, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';

const REASONS = ['heartbeat', 'manual', 'preemption'] as const;

export class CheckpointSlurmJobBody {
  @Str({ max: 64 })
  cluster_id!: string;

  @Str({ optional: true, nullable: true, max: 64, description: 'Set by the service; ignored here' })
  action_id?: string | null;

  @Str({ optional: true, nullable: true, max: 20, description: "Slurm's job number, as text", example: '4711' })
  job_id?: string | null;

  @Str({
    optional: true,
    nullable: true,
    max: 1024,
    description: 'Without job_id: the newest running job with that name',
  })
  job_name?: string | null;

  @OneOf(CHECKPOINT_KINDS, { optional: true })
  kind?: (typeof CHECKPOINT_KINDS)[number];

  @OneOf(REASONS, { optional: true })
  reason?: (typeof REASONS)[number];

  @LeaveRunning()
  leave_running?: boolean;
}

export class RestoreSlurmJobBody {
  @Str({ max: 64, description: 'Checkpoint action to restore from' })
  action_id!: string;

  @Str({
    optional: true,
    nullable: true,
    max: 64,
    description: "Target cluster; default: the checkpoint's cluster",
  })
  cluster_id?: string | null;

  @Str({
    optional: true,
    min: 1,
    max: 64,
    description: 'Such as nodeTermination, nodeUnschedulable or manual (default)',
  })
  reason?: string;

  @AllowPartial()
  allow_partial?: boolean;

  @AllowIncompatible()
  allow_incompatible?: boolean;
}

export class ListSlurmCheckpointsQuery extends PageQuery {
  @Str({
    optional: true,
    max: MAX_JOINED_UUIDS_TEXT,
    description: `Comma-separated checkpoint ids, at most ${MAX_JOINED_UUIDS}`,
  })
  ids?: string;

  @Str({ optional: true, max: 20, description: "Slurm's job number" })
  job_id?: string;

  @Str({ optional: true, max: 64 })
  cluster_id?: string;

  @OneOf(CHECKPOINT_STATUSES, { optional: true })
  status?: CheckpointStatus;

  @NamePart()
  name?: string;
}

export class SlurmCheckpointView {
  @Uuid()
  id!: string;

  @OneOf(CHECKPOINT_STATUSES)
  status!: CheckpointStatus;

  @Str()
  gpu!: string;

  @Str({ nullable: true })
  checksum!: string | null;

  @Str({ nullable: true, description: "The job's name, unless its node chose another" })
  name!: string | null;

  @Json()
  info!: unknown;

  @Uuid({ nullable: true })
  action_id!: string | null;

  @Int({ nullable: true, description: "Slurm's job number" })
  job_id!: number | null;

  @Uuid({ nullable: true })
  cluster_id!: string | null;

  @Time()
  created_at!: Date;

  @Time({ nullable: true, description: 'When its controller confirmed that its bytes are gone' })
  bytes_removed_at!: Date | null;
}
