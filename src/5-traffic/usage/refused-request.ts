import type { UsageRow } from './usage.queries';

/** The recorded name of a model without a route: callers could invent any number of names. */
export const UNKNOWN_MODEL = '(unknown)';

/** A request that was refused before a target was chosen. */
export interface RefusedRequest {
  readonly orgId: string;
  readonly requestId: string;
  /** Null for an access token. */
  readonly keyId: string | null;
  readonly logicalModel: string;
  readonly experimentId: string | null;
  readonly status: number;
  readonly streamed: boolean;
  readonly tookMs: number;
}

export const refusedRow = (refused: RefusedRequest): UsageRow => ({
  org_id: refused.orgId,
  request_id: refused.requestId,
  began_ms_ago: refused.tookMs,
  key_id: refused.keyId,
  logical_model: refused.logicalModel,
  profile_id: null,
  meant_for_profile_id: null,
  experiment_id: refused.experimentId,
  route_generation: null,
  decision_source: null,
  activation_path: null,
  classifier_profile_id: null,
  status_code: refused.status,
  upstream_attempts: 0,
  streamed: refused.streamed,
  fallback_used: false,
  deadline_missed: false,
  prompt_tokens: null,
  completion_tokens: null,
  queue_ms: null,
  routing_ms: null,
  classifier_ms: null,
  ttft_ms: null,
  backend_ms: null,
  end_to_end_ms: Math.round(refused.tookMs),
  mean_inter_token_ms: null,
  p95_inter_token_ms: null,
  cold_start_avoided_ms: 0,
  credited_start_id: null,
  cost_usd: '0',
  repeated: 0,
});
