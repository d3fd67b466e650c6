import { Bool, Int, ListOf, Obj, OneOf, Str, Strings } from '../../../1-platform/common/fields/fields';
import { ENDPOINTS, type Endpoint } from '../../../4-serving/profiles/profile-endpoints';
import { MAX_TARGETS } from '../routes.dto';
import { DECISION_SOURCES, type DecisionSource } from '../choice/route-choice';
import { ROUTE_MODES, type RouteMode } from '../route.modes';

/** The most workers of a target in an answer, the fullest first. */
export const MAX_WORKERS = 64;

export const TARGET_STATES = ['ready', 'full', 'starting', 'asleep', 'leaving', 'cooling', 'disabled'] as const;
export type TargetState = (typeof TARGET_STATES)[number];

export class RouteStateQuery {
  @OneOf(ENDPOINTS, {
    optional: true,
    default: 'chat',
    description: 'Where the request would arrive',
  })
  endpoint?: Endpoint;
}

export class WorkerStateView {
  @Str({ nullable: true, description: 'As its controller reports it; null if one address stands for all workers' })
  workload_uid!: string | null;

  @Str()
  endpoint!: string;

  @Int({ description: 'Requests in flight, through every replica of the service' })
  in_flight!: number;

  @Int({ description: 'Requests that it should get at a time' })
  capacity!: number;

  @OneOf(['restore', 'cold'], { nullable: true, description: 'How it started' })
  start_kind!: string | null;

  @Int({
    min: 0,
    description: 'Milliseconds for which the answering replica passes it over, because it failed; 0 if it does not',
  })
  passed_over_ms!: number;
}

export class TargetStateView {
  @Str()
  profile_id!: string;

  @Str()
  tier!: string;

  @Int({ format: null })
  priority!: number;

  @Strings({ maxItems: ENDPOINTS.length, description: `What it serves: ${ENDPOINTS.join(', ')}` })
  endpoints!: string[];

  @OneOf(TARGET_STATES, {
    description:
      'ready: it takes a request now; full: its workers are ready and have no place; starting: it comes up, or is ' +
      'requested; asleep: a request wakes it; leaving: its workers are being released; cooling: its last start ' +
      'failed, it may not be requested, or its workers cannot be reached and its cluster is silent, so it is not ' +
      'requested for a while; disabled: on the target or on the profile',
  })
  state!: TargetState;

  @Int({ nullable: true, description: 'Milliseconds until it is ready, or no longer cooling; null if unknown' })
  ready_in_ms!: number | null;

  @Int({ description: 'Requests in flight, through every replica of the service' })
  in_flight!: number;

  @Int({ description: 'Requests that its ready workers serve at a time' })
  capacity!: number;

  @Int({ description: 'Requests that wait for it, through every replica of the service' })
  waiting!: number;

  @Int({ description: 'How many may wait, in each replica of the service' })
  max_queue_depth!: number;

  @Int({ description: 'Requests that one worker serves at a time' })
  target_concurrency!: number;

  @Int({ description: 'How long a request usually keeps a place, in milliseconds' })
  service_ms!: number;

  @Int({ description: 'Number of ready workers' })
  ready_workers!: number;

  @ListOf(() => WorkerStateView, { maxItems: MAX_WORKERS, description: 'The ready workers, the fullest first' })
  workers!: WorkerStateView[];
}

/** What would happen to a request that arrives now. */
export class RouteOutlookView {
  @OneOf(['serve', 'wait', 'refuse'])
  decision!: 'serve' | 'wait' | 'refuse';

  @Str({ nullable: true, description: 'The target that serves it, or for which it waits' })
  profile_id!: string | null;

  @OneOf(DECISION_SOURCES, { nullable: true, description: 'Why that target serves it' })
  source!: DecisionSource | null;

  @OneOf(['queue_full', 'deadline', 'no_target', 'disabled', 'endpoint_not_served'], {
    nullable: true,
    description: 'Why it is refused',
  })
  reason!: string | null;

  @Str({ nullable: true, description: 'The target that it wakes' })
  wakes!: string | null;

  @Int({ nullable: true, description: 'Milliseconds until it looks again, or should be repeated' })
  retry_after_ms!: number | null;
}

export class RouteStateView {
  @Str()
  logical_model!: string;

  @OneOf(ROUTE_MODES)
  mode!: RouteMode;

  @Int({ description: 'Increases with every change of the route' })
  generation!: number;

  @Int({ description: 'How long a request may wait, in milliseconds' })
  queue_timeout_ms!: number;

  @Str({ nullable: true })
  classifier_profile_id!: string | null;

  @Obj(() => RouteOutlookView, {
    description:
      'What would happen to a request that arrives now, names no target and may wait as long as the route allows. With ' +
      'mode classifier: one whose tier the classifier did not pick',
  })
  outlook!: RouteOutlookView;

  @ListOf(() => TargetStateView, { maxItems: MAX_TARGETS, description: 'In the order in which they are tried' })
  targets!: TargetStateView[];

  @Bool({ description: 'A target has more ready workers than are listed' })
  workers_left_out!: boolean;
}
