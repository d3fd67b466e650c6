import { Bool, Int, ListOf, NamePart, OneOf, Str } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { ProfileId } from '../../4-serving/profiles/profiles.dto';
import { ROUTE_MODES, type RouteMode } from './route.modes';

/** Maximal targets of a route. */
export const MAX_TARGETS = 64;

/** Longest wait of a request, in milliseconds. */
const MAX_QUEUE_TIMEOUT_MS = 3_600_000;
export const DEFAULT_QUEUE_TIMEOUT_MS = 30_000;

const MODE_TEXT = `One of ${ROUTE_MODES.join(', ')}; classifier tries the picked tier first`;

export class ListRoutesQuery extends PageQuery {
  @NamePart('the name of the model')
  name?: string;
}

export class RouteTargetBody {
  @ProfileId()
  profile_id!: string;

  @Str({ min: 1, max: 64, description: 'The tier that a classifier may pick' })
  tier!: string;

  @Int({ format: 'int32', description: 'The lowest one is tried first' })
  priority!: number;

  @Bool({ optional: true, default: true, description: 'false keeps requests of this route away from it' })
  enabled?: boolean;
}

export class SaveRouteBody {
  @Str({ min: 1, max: 253 })
  logical_model!: string;

  @OneOf(ROUTE_MODES, { optional: true, description: 'If left out, it stays; default priority' })
  mode?: RouteMode;

  @Int({
    optional: true,
    min: 0,
    max: MAX_QUEUE_TIMEOUT_MS,
    description: `How long a request may wait, 0 for not at all. If left out, it stays; default ${DEFAULT_QUEUE_TIMEOUT_MS}`,
  })
  queue_timeout_ms?: number;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 253,
    description: 'The profile that picks a tier; needed for mode classifier',
  })
  classifier_profile_id?: string | null;

  @Str({
    optional: true,
    nullable: true,
    max: 16_384,
    description: 'Instructions for the classifier before the request',
  })
  classifier_prompt?: string | null;

  @Str({
    optional: true,
    nullable: true,
    max: 16_384,
    description:
      'JSON Schema, as text, of the object that the classifier answers; the service reads its member tier. No ' +
      'patterns, no references and no uniqueItems',
  })
  classifier_response_schema?: string | null;

  @ListOf(() => RouteTargetBody, { optional: true, maxItems: MAX_TARGETS, description: 'If left out, they stay' })
  targets?: RouteTargetBody[];
}

export class RouteTargetView {
  @Int({ format: null })
  priority!: number;

  @Str()
  profile_id!: string;

  @Str()
  tier!: string;

  @Bool({ optional: true, description: 'false if it is disabled; absent otherwise' })
  enabled?: boolean;
}

export class RouteView {
  @Str()
  logical_model!: string;

  @Str({ description: MODE_TEXT })
  mode!: RouteMode;

  @Int()
  queue_timeout_ms!: number;

  @Int({ description: 'Increases with every change' })
  generation!: number;

  @Str({ nullable: true })
  classifier_profile_id!: string | null;

  @Str({ nullable: true })
  classifier_prompt!: string | null;

  @Str({ nullable: true })
  classifier_response_schema!: string | null;

  @ListOf(() => RouteTargetView, { maxItems: MAX_TARGETS })
  targets!: RouteTargetView[];
}

export const ROUTE_STATES = ['serving', 'fallback', 'activating', 'suspended', 'cold', 'disabled'] as const;

/** Why a target is not chosen, whatever is ready. */
export class UnchosenTargetView {
  @Str()
  profile_id!: string;

  @Str({ description: 'disabled: on the target of the route, or on the profile' })
  reason!: string;
}

export class RouteStatusView {
  @Str()
  logical_model!: string;

  @Str({ description: 'The first of its enabled targets, else the first; empty without targets' })
  primary_profile_id!: string;

  @Bool()
  primary_ready!: boolean;

  @Str({ nullable: true })
  primary_phase!: string | null;

  @Str({ nullable: true, description: 'The first other target that is ready, else the second' })
  fallback_profile_id!: string | null;

  @Bool()
  fallback_ready!: boolean;

  @Str({ nullable: true, description: 'Address of the serving target' })
  endpoint!: string | null;

  @Int()
  queue_timeout_ms!: number;

  @Str({
    description: `One of ${ROUTE_STATES.join(', ')}: the primary serves; only the fallback serves; the primary is requested; it is requested to be suspended; none of these; every target is disabled`,
  })
  state!: (typeof ROUTE_STATES)[number];

  @Bool({ description: 'A pending intent requests the primary to be Active with at least one replica' })
  pending_activation!: boolean;

  @Bool({ description: 'A pending intent requests the primary to release its nodes' })
  pending_release!: boolean;

  @Bool({ description: 'Any pending intent of the primary' })
  pending_intent!: boolean;

  @Str({ nullable: true, description: 'Checkpoint that the worker of the primary was started with' })
  restore_checkpoint_path!: string | null;

  @OneOf(['restore', 'cold'], { nullable: true, description: 'How the worker of the primary started' })
  start_kind!: string | null;

  @ListOf(() => UnchosenTargetView, { maxItems: MAX_TARGETS, description: 'Targets that are never chosen, and why' })
  unchosen_targets!: UnchosenTargetView[];
}
