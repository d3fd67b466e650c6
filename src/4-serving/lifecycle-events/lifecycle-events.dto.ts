import { MAX_GENERATION } from '../activations/activations.dto';
import { ArtifactId } from '../artifacts/artifacts.dto';
import { Int, Json, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { ProfileId } from '../profiles/profiles.dto';
import { LIFECYCLE_KINDS, type LifecycleKind } from './lifecycle-kinds';

export const DEFAULT_EVENTS = 100;

export class RecordLifecycleEventBody {
  @Int({ format: 'int32', values: [1] })
  schema_version!: number;

  @Uuid({ description: 'Made by the sender, the same on every retry' })
  event_id!: string;

  @Time()
  occurred_at!: string;

  @Uuid()
  cluster_id!: string;

  @ProfileId({ nullable: true, description: 'Null for node.booted only' })
  profile_id!: string | null;

  @OneOf(LIFECYCLE_KINDS)
  kind!: LifecycleKind;

  @Json({
    optional: true,
    description: 'Anything; of worker.restoring and restore.started `restore_checkpoint_path` is read',
  })
  payload?: unknown;

  @Int({ optional: true, min: 0, description: 'Rises within a cluster and activation; 0 where that means nothing' })
  sequence?: number;

  @Int({ optional: true, min: 0, max: MAX_GENERATION, description: 'Of the intent that the worker was made for' })
  generation?: number;

  @Uuid({ optional: true, nullable: true })
  action_id?: string | null;

  @Uuid({ optional: true, nullable: true })
  activation_id?: string | null;

  @ArtifactId({ optional: true, nullable: true })
  artifact_id?: string | null;

  @Uuid({ optional: true, nullable: true, description: 'Of the node, as Kubernetes tells it' })
  node_uid?: string | null;

  @Str({ optional: true, nullable: true, max: 253 })
  boot_id?: string | null;

  @Uuid({ optional: true, nullable: true, description: "Of the worker's pod, as Kubernetes tells it" })
  workload_uid?: string | null;
}

export class ListLifecycleEventsQuery {
  @Int({ query: true, optional: true, min: 1, max: MAX_ROWS, showMax: true, default: DEFAULT_EVENTS })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, description: 'Rows to skip' })
  offset?: number;

  @Time({ optional: true, nullable: true, description: 'What occurred then or later' })
  since?: string;
}

export class LifecycleEventView {
  @Uuid()
  event_id!: string;

  @OneOf(LIFECYCLE_KINDS)
  kind!: LifecycleKind;

  @Time()
  occurred_at!: Date;

  @Json()
  payload!: unknown;

  @Int({ nullable: true })
  generation!: number | null;

  @Int({ nullable: true })
  sequence!: number | null;

  @Str({ nullable: true })
  profile_id!: string | null;
}
