import { ArtifactId } from '../artifacts/artifacts.dto';
import { Bool, Json, Obj, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import {
  REQUEST_KINDS,
  REQUEST_STATUSES,
  REPORTED_STATUSES,
  type RequestKind,
  type ReportedStatus,
} from './profile-checkpoint.states';

export class RequestCheckpointBody {
  @Str({ optional: true, nullable: true, max: 1_024 })
  reason?: string | null;

  @Bool({ optional: true, default: true, description: 'Whether it replaces the previous checkpoint' })
  replace_existing?: boolean;
}

export class UpdateCheckpointRequestBody {
  @Uuid({ description: 'The reported attempt' })
  request_id!: string;

  @OneOf(REPORTED_STATUSES)
  status!: ReportedStatus;

  @ArtifactId({
    optional: true,
    nullable: true,
    description: 'The artifact that it produced; by default, the newest since the request',
  })
  artifact_id?: string | null;

  @Str({ optional: true, nullable: true, max: 4_096, description: 'Why it failed' })
  error?: string | null;
}

export class CheckpointRequestView {
  @Str()
  profile_id!: string;

  @OneOf(REQUEST_KINDS)
  kind!: RequestKind;

  @Uuid({ description: 'Identifies this attempt' })
  request_id!: string;

  @Str({ description: `One of ${REQUEST_STATUSES.join(', ')}` })
  status!: string;

  @Bool()
  replace_existing!: boolean;

  @Time()
  requested_at!: Date;

  @Time({ nullable: true })
  started_at!: Date | null;

  @Time({ nullable: true })
  completed_at!: Date | null;

  @Str({ nullable: true, description: 'Once it succeeded' })
  artifact_id!: string | null;

  @Str({ nullable: true, description: 'Why it failed' })
  error!: string | null;

  @Str({ nullable: true })
  reason!: string | null;
}

export class ProfileHostingView {
  @Str()
  profile_id!: string;

  @Str()
  hosting_mode!: string;

  @Str()
  profile_revision!: string;

  @Str()
  compatibility_key!: string;

  @Str({
    description:
      'Who takes checkpoints of its workers: the owner in the spec, else `controller`; `none` if it does not ' +
      'checkpoint',
  })
  checkpoint_owner!: string;

  @Bool({ description: 'Whether its workers are stand-ins on a CPU' })
  cpu_fixture!: boolean;

  @Json({ optional: true })
  engine_template?: unknown;

  @Obj(() => CheckpointRequestView, { optional: true, nullable: true, description: 'The open request' })
  checkpoint_request?: CheckpointRequestView | null;
}
