import type pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';

/** The members of a request that reports use; see `UsageRecord`. */
export interface Request {
  readonly request_id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly logical_model: string;
  readonly profile_id: string | null;
  readonly meant_for_profile_id: string | null;
  readonly experiment_id: string | null;
  readonly decision_source: string | null;
  readonly activation_path: string | null;
  readonly classifier_profile_id: string | null;
  readonly status_code: number | null;
  readonly fallback_used: boolean;
  readonly deadline_missed: boolean;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly queue_ms: number | null;
  readonly routing_ms: number | null;
  readonly classifier_ms: number | null;
  readonly ttft_ms: number | null;
  readonly backend_ms: number | null;
  readonly end_to_end_ms: number | null;
  readonly cold_start_avoided_ms: number;
  /** How many further requests the record stands for. */
  readonly repeated: number;
}

/** A request of which only the time is known. */
export const buildRequest = (at: number, overrides: Partial<Request> = {}): Request => ({
  request_id: newId(),
  at,
  logical_model: 'llama-8b',
  profile_id: null,
  meant_for_profile_id: null,
  experiment_id: null,
  decision_source: null,
  activation_path: null,
  classifier_profile_id: null,
  status_code: null,
  fallback_used: false,
  deadline_missed: false,
  prompt_tokens: null,
  completion_tokens: null,
  queue_ms: null,
  routing_ms: null,
  classifier_ms: null,
  ttft_ms: null,
  backend_ms: null,
  end_to_end_ms: null,
  cold_start_avoided_ms: 0,
  repeated: 0,
  ...overrides,
});

/** @param repeated the column, which databases of earlier releases do not have, or nothing */
const written = (repeated: ', repeated' | ''): string => `
  insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, meant_for_profile_id, experiment_id, decision_source,
    activation_path, status_code, streamed, fallback_used, deadline_missed, prompt_tokens, completion_tokens, queue_ms, routing_ms, ttft_ms,
    backend_ms, end_to_end_ms, cold_start_avoided_ms, classifier_profile_id, classifier_ms, cost_usd${repeated})
  select $1, request_id, timestamptz '1970-01-01 00:00:00Z' + at * interval '1 millisecond', logical_model, profile_id, meant_for_profile_id,
    experiment_id, decision_source, activation_path, status_code, false, fallback_used, deadline_missed, prompt_tokens, completion_tokens,
    queue_ms, routing_ms, ttft_ms, backend_ms, end_to_end_ms, cold_start_avoided_ms, classifier_profile_id, classifier_ms, 0${repeated}
  from json_to_recordset($2::json) as r(request_id text, at bigint, logical_model text, profile_id text, meant_for_profile_id text,
    experiment_id uuid, decision_source text, activation_path text, status_code int, fallback_used boolean, deadline_missed boolean,
    prompt_tokens bigint, completion_tokens bigint, queue_ms bigint, routing_ms bigint, ttft_ms bigint, backend_ms bigint,
    end_to_end_ms bigint, cold_start_avoided_ms bigint, classifier_profile_id text, classifier_ms bigint, repeated int)
  order by request_id, at on conflict (org_id, request_id) do nothing`;

/** One statement, as the service writes many; existing rows stay unchanged. */
export async function writeRequests(
  db: Pick<pg.ClientBase, 'query'>,
  { id: orgId }: { id: string },
  ...requests: readonly Request[]
): Promise<void> {
  const repeats = requests.some(({ repeated }) => repeated > 0);
  await db.query(written(repeats ? ', repeated' : ''), [orgId, JSON.stringify(requests)]);
}
