import { AllowIncompatible, AllowPartial } from '../checkpoints/checkpoints.dto';
import { Bool, Int, Json, ListOf, Obj, OneOf, Str, Strings, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { RESTORE_EVENT_KINDS, RESTORE_STATUSES, type RestoreEventKind, type RestoreStatus } from './restore.states';

const Reported = (max = 4096): PropertyDecorator => Str({ optional: true, nullable: true, max });

/** Accepts unknown members, which are stored. */
export class RestoreEventBody {
  @Str({ max: 64, description: 'A UUID that the node created for this restore' })
  restore_uuid!: string;

  @Reported(64)
  action_id?: string | null;

  @Reported()
  action_scope?: string | null;

  @Reported(64)
  checkpoint_action_id?: string | null;

  @Reported(64)
  checkpoint_id?: string | null;

  @Reported(64)
  cluster_id?: string | null;

  @Reported(64)
  completed_at?: string | null;

  @Reported(65_536)
  error_message?: string | null;

  @Reported()
  kind?: string | null;

  @Reported()
  path_id?: string | null;

  @Reported()
  profile_object_path?: string | null;

  @Reported()
  reason?: string | null;

  @Reported()
  restore_path?: string | null;

  @Reported(64)
  started_at?: string | null;

  @Reported()
  status?: string | null;

  @Reported()
  storage_provider?: string | null;

  @Reported()
  workload_type?: string | null;

  @Strings({ optional: true, nullable: true, maxItems: 1_000, maxLength: 64 })
  action_ids?: string[] | null;

  @Bool({ optional: true, nullable: true })
  profile_available_on_error?: boolean | null;

  @Json({
    optional: true,
    description:
      '`pod_uid`, `pod_name`, `namespace` and `node_name` name the restored pod; `container_name` names the container, if each is restored by itself',
  })
  metadata?: unknown;

  @Json({ optional: true })
  request_metadata?: unknown;

  @Json({
    optional: true,
    description: "A profiling tree or CRIU's statistics anywhere in it become the stages of the fact",
  })
  runtime_metadata?: unknown;
}

export class RestoreEventView {
  @Uuid()
  restore_uuid!: string;

  @Str({ description: 'Most advanced reported status: started, succeeded or failed' })
  status!: RestoreStatus;
}

export class RestoreOverridesBody {
  @Str({ optional: true, nullable: true, max: 8192 })
  criu_opts?: string | null;

  @Str({ optional: true, nullable: true, max: 253 })
  pod_name?: string | null;

  @Str({
    optional: true,
    nullable: true,
    max: 253,
    description: 'In which the new pod is made; default: that of the first one',
  })
  namespace?: string | null;

  @Bool({
    optional: true,
    nullable: true,
    description:
      'true: a new pod beside the owner of the first one, such as a Deployment, which would otherwise replace it',
  })
  standalone?: boolean | null;
}

export class RestorePodBody {
  @Str({ max: 64, description: 'Checkpoint action to restore from' })
  action_id!: string;

  @OneOf(['nodeTermination', 'nodeUnschedulable', 'manual'])
  reason!: string;

  @Str({ optional: true, max: 64, description: "Target cluster; default: the checkpoint's cluster" })
  cluster_id?: string;

  @AllowPartial()
  allow_partial?: boolean;

  @AllowIncompatible()
  allow_incompatible?: boolean;

  @Obj(() => RestoreOverridesBody, { optional: true, nullable: true })
  overrides?: RestoreOverridesBody | null;
}

export class ListRestoresQuery {
  @Uuid({ optional: true })
  restore_uuid?: string;

  @Str({ optional: true })
  status?: string;

  @Str({ optional: true })
  workload_type?: string;

  @Str({ optional: true })
  cluster_id?: string;

  @Str({ optional: true })
  action_scope?: string;

  @Uuid({ optional: true })
  checkpoint_id?: string;

  @Uuid({ optional: true })
  action_id?: string;

  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Maximum number of restores, clamped to ${MAX_ROWS}`,
  })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, description: 'Restores to skip' })
  offset?: number;
}

export class ReceivedEventView {
  @OneOf(RESTORE_EVENT_KINDS)
  kind!: RestoreEventKind;

  @Time()
  received_at!: Date;
}

/** The merged members of the events, and these. */
export class RestoreView {
  @Uuid({ description: 'Row id' })
  id!: string;

  @Uuid()
  restore_uuid!: string;

  @OneOf(RESTORE_STATUSES, { description: 'Furthest status reported' })
  status!: RestoreStatus;

  @Uuid({ optional: true, nullable: true })
  action_id?: string | null;

  @Uuid({ optional: true, nullable: true })
  checkpoint_id?: string | null;

  @Str({ optional: true, nullable: true })
  action_scope?: string | null;

  @Str({ optional: true, nullable: true })
  cluster_id?: string | null;

  @Str({ optional: true, nullable: true })
  workload_type?: string | null;

  @Str({ optional: true, nullable: true })
  error_message?: string | null;

  @Time()
  created_at!: Date;

  @Time()
  updated_at!: Date;

  @ListOf(() => ReceivedEventView, { maxItems: 3, description: 'As received, oldest first' })
  events!: ReceivedEventView[];
}

export class RestoreProfileView {
  @Uuid()
  restore_uuid!: string;

  @Str({ nullable: true })
  profile_object_path!: string | null;
}
