import { Bool, Counts, Int, ListOf, Num, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { ProfileId } from '../../4-serving/profiles/profiles.dto';
import { DECISION_SOURCES, type DecisionSource } from '../routes/choice/route-choice';
import type { RouteMode } from '../routes/route.modes';

const RequestId = () => Str({ min: 1, max: 255, description: "The router's own id, unique in the organisation" });
const LogicalModel = () => Str({ min: 1, max: 253 });

/** Longest time and highest count in telemetry. */
const MAX_MS = 30 * 86_400_000;
const MAX_TOKENS = 100_000_000;

const Reported = (description: string) => Str({ optional: true, nullable: true, max: 253, description });
const Milliseconds = (description: string) =>
  Int({ optional: true, nullable: true, min: 0, max: MAX_MS, description: `Milliseconds ${description}` });
const Tokens = () => Int({ optional: true, nullable: true, min: 0, max: MAX_TOKENS });

export class AuthorizeBody {
  @RequestId()
  request_id!: string;

  @LogicalModel()
  logical_model!: string;

  @Int({ optional: true, min: 0, max: MAX_TOKENS, description: 'Default: the size of this body / 4' })
  estimated_prompt_tokens?: number;
}

export class AuthorizationView {
  @Uuid()
  authorization_id!: string;

  @Int()
  route_generation!: number;

  @Time({ description: 'May be resolved until then' })
  expires_at!: Date;
}

export class ResolveBody {
  @Uuid()
  authorization_id!: string;

  @RequestId()
  request_id!: string;

  @LogicalModel()
  logical_model!: string;

  @ProfileId({ optional: true, nullable: true, description: 'The profile that the caller prefers' })
  preferred_profile_id?: string | null;

  @Int({ optional: true, min: 0, max: 1_000_000, description: 'Requests that wait in the router' })
  queued_requests?: number;

  @Counts({ optional: true, description: 'Streams that the router has open' })
  active_streams_by_profile?: Record<string, number>;
}

export const ACTIVATION_PATHS = ['warm', 'restore', 'cold'] as const;

export class ResolutionView {
  @Str()
  profile_id!: string;

  @Str({ description: 'Tier and profile, as `large/llama-8b-h100`' })
  target_name!: string;

  @Str({ description: 'Name by which its workers know the model' })
  upstream_model!: string;

  @Str({ nullable: true, description: 'Address of the worker for this request: the workers of a profile take turns' })
  worker_url!: string | null;

  @Int()
  route_generation!: number;

  @OneOf(DECISION_SOURCES)
  decision_source!: DecisionSource;

  @Bool({ description: 'Another target than the first serves' })
  fallback_used!: boolean;

  @Str({ description: `How its worker started for this request: one of ${ACTIVATION_PATHS.join(', ')}` })
  activation_path!: (typeof ACTIVATION_PATHS)[number];
}

export class PendingResolutionView {
  @Str()
  pending_profile_id!: string;

  @Int({ description: 'By its measured starts, or the estimate' })
  retry_after_ms!: number;
}

export class RouterTargetView {
  @Str()
  profile_id!: string;

  @Str()
  tier!: string;

  @Str({ description: 'Stable; contains no activation or generation' })
  service_url!: string;

  @Str()
  upstream_model!: string;

  @Int({ format: 'int32' })
  priority!: number;

  @Int({ format: 'int32' })
  min_replicas!: number;

  @Int({ format: 'int32' })
  max_replicas!: number;

  @Int({ format: 'int32', description: 'Ready workers' })
  current_replicas!: number;

  @Int({ format: 'int32' })
  target_concurrency!: number;

  @Int({ format: 'int32' })
  max_queue_depth!: number;

  @Bool()
  ready!: boolean;

  @Bool({ description: 'Takes no further requests' })
  draining!: boolean;

  @Bool({ optional: true, description: 'false if it must not be chosen; absent otherwise' })
  enabled?: boolean;

  @Num()
  node_hourly_usd!: number;
}

export class RouterRouteView {
  @Str()
  logical_model!: string;

  @Str()
  mode!: RouteMode;

  @Int()
  queue_timeout_ms!: number;

  @Int()
  generation!: number;

  @ListOf(() => RouterTargetView, { maxItems: 64 })
  targets!: RouterTargetView[];

  @Str({ nullable: true })
  classifier_profile_id!: string | null;

  @Str({ nullable: true })
  classifier_prompt!: string | null;

  @Str({ nullable: true })
  classifier_response_schema!: string | null;
}

export class RouterConfigView {
  @Int({ format: 'int32' })
  schema_version!: number;

  @Int({ description: 'Sum of the generations of the routes' })
  generation!: number;

  @ListOf(() => RouterRouteView, { maxItems: 100_000 })
  routes!: RouterRouteView[];
}

export class RecordTelemetryBody {
  @RequestId()
  request_id!: string;

  @LogicalModel()
  logical_model!: string;

  @ProfileId({ optional: true, nullable: true, description: 'The profile that served it' })
  profile_id?: string | null;

  @Reported(`One of ${DECISION_SOURCES.join(', ')}, or any other text`)
  decision_source?: string | null;

  @Reported(`One of ${ACTIVATION_PATHS.join(', ')}, or any other text`)
  activation_path?: string | null;

  @Reported('The profile that picked the tier')
  classifier_profile_id?: string | null;

  @Int({ optional: true, nullable: true, min: 0 })
  route_generation?: number | null;

  @Milliseconds('from its arrival until it was sent to a worker')
  queue_ms?: number | null;

  @Milliseconds('from its arrival until the first byte of the answer')
  ttft_ms?: number | null;

  @Milliseconds('in which a worker was busy with it')
  stream_duration_ms?: number | null;

  @Milliseconds('from its arrival until the end of the answer')
  end_to_end_latency_ms?: number | null;

  @Milliseconds('for the classification')
  classifier_latency_ms?: number | null;

  @Tokens()
  prompt_tokens?: number | null;

  @Tokens()
  completion_tokens?: number | null;

  @Int({
    optional: true,
    nullable: true,
    format: 'int32',
    min: 100,
    max: 599,
    description: 'Status of the reply; 499: the client left',
  })
  status_code?: number | null;

  @Int({ optional: true, nullable: true, format: 'int32', min: 0, max: 1_000 })
  upstream_attempts?: number | null;

  @Num({ optional: true, nullable: true, min: 0, max: MAX_MS })
  mean_inter_token_ms?: number | null;

  @Num({ optional: true, nullable: true, min: 0, max: MAX_MS })
  p95_inter_token_ms?: number | null;

  @Bool({ optional: true, nullable: true })
  fallback_used?: boolean | null;
}

/** Maximal samples of one body. */
const MAX_SAMPLES = 10_000;

export class RouterSampleBody {
  @Str({ min: 1, max: 253, description: 'Logical model' })
  route!: string;

  @ProfileId()
  profile_id!: string;

  @Str({ min: 1, max: 253 })
  metric_name!: string;

  @Num()
  value!: number;

  @Int({ min: 0, max: 253_402_300_799_999, description: 'Milliseconds since 1970' })
  timestamp!: number;
}

export class RecordSamplesBody {
  @ListOf(() => RouterSampleBody, { maxItems: MAX_SAMPLES })
  samples!: RouterSampleBody[];
}
