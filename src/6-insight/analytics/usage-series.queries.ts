import type { QueryResultRow } from 'pg';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { USAGE, usageValues, ROLLUP_STEPS } from '../../5-traffic/usage/usage-window.queries';
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
const series = (source: string): string => `
  with used as (
    select date_bin(make_interval(secs => $step_seconds), u.bucket, 'epoch'::timestamptz) as bucket,
      sum(requests) as requests, sum(successes) as successes, sum(fallbacks) as fallbacks,
      sum(deadline_misses) as deadline_misses, sum(prompt_tokens) as prompt_tokens,
      sum(completion_tokens) as completion_tokens, sum(cold_start_avoided_ms) as cold_start_avoided_ms,
      sum(backend_ms) / nullif(sum(backend_count), 0) as avg_backend_ms,
      sum(routing_ms) / nullif(sum(routing_count), 0) as avg_routing_ms,
      sum(ttft_ms) / nullif(sum(ttft_count), 0) as avg_ttft_ms
    from (${source}) u group by 1
  )
  select b.bucket, coalesce(requests, 0)::bigint as requests, coalesce(successes, 0)::bigint as successes,
    coalesce(fallbacks, 0)::bigint as fallbacks, coalesce(deadline_misses, 0)::bigint as deadline_misses,
    coalesce(prompt_tokens, 0)::text as prompt_tokens,
    coalesce(completion_tokens, 0)::text as completion_tokens,
    coalesce(cold_start_avoided_ms, 0)::text as cold_start_avoided_ms,
    avg_backend_ms::float8 as avg_backend_ms, avg_routing_ms::float8 as avg_routing_ms,
    avg_ttft_ms::float8 as avg_ttft_ms
  from generate_series(
    date_bin(make_interval(secs => $step_seconds), $from::timestamptz, 'epoch'::timestamptz),
    $to::timestamptz - interval '1 millisecond', make_interval(secs => $step_seconds)
  ) b(bucket)
  left join used using (bucket) order by b.bucket`;

const SERIES = { all: series(USAGE.all), ofExperiment: series(USAGE.ofExperiment) };

/** @param step length of a bucket in seconds, a multiple of a rollup's */
export function usageSeries(tx: Tx, window: ReportWindow, step: number): Promise<UsageBucketRow[]> {
  const longest = ROLLUP_STEPS.findLast((rollup) => step % rollup === 0) ?? 60;
  const { source, values } = usageValues(tx.orgId, window, longest);
  return tx.query<UsageBucketRow>(SERIES[source], { ...values, step_seconds: step });
}
