import type { QueryResultRow } from 'pg';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { OF_PROFILE, ROLLUP_STEPS, usageSums, usageValues } from '../../5-traffic/usage/usage-window.queries';
import type { ReportWindow } from './report-window.queries';

export interface UsageBucketRow extends QueryResultRow {
  bucket: Date;
  requests: number;
  successes: number;
  fallbacks: number;
  deadline_misses: number;
  prompt_tokens: string;
  completion_tokens: string;
  cold_start_avoided_ms: string;
  avg_backend_ms: number | null;
  avg_routing_ms: number | null;
  avg_ttft_ms: number | null;
}

/*
 * Per bucket; the sums over all buckets equal those of the window: the first and the last bucket are parts.
 *   requests, successes (2xx, or no status), fallbacks, deadline_misses         [requests]
 *   prompt_tokens, completion_tokens = Σ tokens                                 [tokens]
 *   cold_start_avoided_ms            = Σ over requests                          [ms]
 *   avg_x_ms                         = Σ x ÷ requests that report x             [ms; null without any]
 */
const SUMS = usageSums({
  by: { bucket: "date_bin(make_interval(secs => $step_seconds), bucket, 'epoch'::timestamptz)" },
  where: OF_PROFILE,
  sums: {
    requests: 'requests',
    successes: 'successes',
    fallbacks: 'fallbacks',
    deadline_misses: 'deadline_misses',
    prompt_tokens: 'prompt_tokens',
    completion_tokens: 'completion_tokens',
    cold_start_avoided_ms: 'cold_start_avoided_ms',
    backend_ms: 'backend_ms',
    backend_count: 'backend_count',
    routing_ms: 'routing_ms',
    routing_count: 'routing_count',
    ttft_ms: 'ttft_ms',
    ttft_count: 'ttft_count',
  },
});

const series = (sums: string): string => `
  with used as (${sums}
  )
  select b.bucket, coalesce(requests, 0)::bigint as requests, coalesce(successes, 0)::bigint as successes,
    coalesce(fallbacks, 0)::bigint as fallbacks, coalesce(deadline_misses, 0)::bigint as deadline_misses,
    coalesce(prompt_tokens, 0)::text as prompt_tokens,
    coalesce(completion_tokens, 0)::text as completion_tokens,
    coalesce(cold_start_avoided_ms, 0)::text as cold_start_avoided_ms,
    (backend_ms / nullif(backend_count, 0))::float8 as avg_backend_ms,
    (routing_ms / nullif(routing_count, 0))::float8 as avg_routing_ms,
    (ttft_ms / nullif(ttft_count, 0))::float8 as avg_ttft_ms
  from generate_series(
    date_bin(make_interval(secs => $step_seconds), $from::timestamptz, 'epoch'::timestamptz),
    $to::timestamptz - interval '1 millisecond', make_interval(secs => $step_seconds)
  ) b(bucket)
  left join used using (bucket) order by b.bucket`;

const SERIES = { all: series(SUMS.all), ofExperiment: series(SUMS.ofExperiment) };

/** @param step length of a bucket in seconds, a multiple of a rollup's */
export function usageSeries(tx: Tx, window: ReportWindow, step: number): Promise<UsageBucketRow[]> {
  const longest = ROLLUP_STEPS.findLast((rollup) => step % rollup === 0) ?? 60;
  const { source, values } = usageValues(tx.orgId, window, longest);
  return tx.query<UsageBucketRow>(SERIES[source], { ...values, step_seconds: step });
}
