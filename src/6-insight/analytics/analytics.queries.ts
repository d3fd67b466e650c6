import type { QueryResultRow } from 'pg';
import { START_KIND } from '../../4-serving/activations/starts/starts.queries';
import { invariant } from '../../1-platform/common/invariant';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { alignedDown, alignedUp, OF_PROFILE, usageSums, usageValues } from '../../5-traffic/usage/usage-window.queries';
import type { ReportWindow } from './report-window.queries';

export interface ServingRow extends QueryResultRow {
  requests: number;
  fallbacks: number;
  deadline_misses: number;
  prompt_tokens: string;
  completion_tokens: string;
  average_ttft_ms: number | null;
  ttft_count: number;
  tokens_per_second: number | null;
  timed_count: number | null;
}

/*
 * requests, fallbacks, deadline_misses                              [requests]
 * prompt_tokens, completion_tokens = Σ tokens                       [tokens]
 * ttft_count        = those that report a ttft_ms                   [requests]
 * average_ttft_ms   = Σ ttft_ms ÷ ttft_count                        [ms]
 * tokens_per_second = Σ completion tokens ÷ Σ backend seconds, over requests that report both: the pace of
 *                     one request                                   [tokens/s]
 * timed_count       = those that report both; null where sums are composed from rollups, which do not keep it
 */
const serving = (sums: string, timedCount: string): string => `
  select coalesce(requests, 0)::bigint as requests, coalesce(fallbacks, 0)::bigint as fallbacks,
    coalesce(deadline_misses, 0)::bigint as deadline_misses,
    coalesce(prompt_tokens, 0)::text as prompt_tokens,
    coalesce(completion_tokens, 0)::text as completion_tokens,
    (ttft_ms / nullif(ttft_count, 0))::float8 as average_ttft_ms,
    coalesce(ttft_count, 0)::bigint as ttft_count,
    (timed_tokens * 1000 / nullif(timed_ms, 0))::float8 as tokens_per_second,
    ${timedCount} as timed_count
  from (${sums}) u`;

const SERVED = {
  requests: 'requests',
  fallbacks: 'fallbacks',
  deadline_misses: 'deadline_misses',
  prompt_tokens: 'prompt_tokens',
  completion_tokens: 'completion_tokens',
  ttft_ms: 'ttft_ms',
  ttft_count: 'ttft_count',
  timed_tokens: 'timed_tokens',
  timed_ms: 'timed_ms',
};
/** Of requests, each of which is a row. */
const TIMED = { ...SERVED, timed_count: '(timed_ms > 0)::int' };

const TIMED_COUNT = 'coalesce(timed_count, 0)::bigint';

const SERVING = {
  all: serving(usageSums({ where: OF_PROFILE, sums: SERVED }).all, 'null::bigint'),
  ofExperiment: serving(usageSums({ where: OF_PROFILE, sums: TIMED }).ofExperiment, TIMED_COUNT),
};

export async function servingOf(tx: Tx, window: ReportWindow): Promise<ServingRow> {
  const { source, values } = usageValues(tx.orgId, window);
  const [row] = await tx.query<ServingRow>(SERVING[source], values);
  invariant(row, 'an aggregate is a row');
  return row;
}

/** Times of one kind, by nearest rank. */
export interface SampleRow extends QueryResultRow {
  samples: number;
  p50_ms: number;
  p95_ms: number;
}

/*
 * Over starts whose worker became ready in the window and whose beginning was reported:
 *   start_ms = ready_at − began_at                                  [ms]
 *   p50_ms, p95_ms by nearest rank, for cold starts and restores
 */
const STARTS = `
  select kind, count(*) as samples, percentile_disc(0.5) within group (order by start_ms) as p50_ms,
    percentile_disc(0.95) within group (order by start_ms) as p95_ms
  from (
    select ${START_KIND} as kind,
      round(extract(epoch from s.ready_at - s.began_at) * 1000)::bigint as start_ms
    from starts s
    where s.org_id = $org_id and s.ready_at >= $from and s.ready_at < $to and s.beginning_seen
      and ($profile_id::text is null or s.profile_id = $profile_id)
      and ($run_profile_id::text is null or s.profile_id = $run_profile_id)
  ) measured group by kind`;

export async function startsOf(
  tx: Tx,
  { run, profileId }: ReportWindow,
): Promise<Partial<Record<'cold' | 'restore', SampleRow>>> {
  const values = {
    org_id: tx.orgId,
    from: run.from,
    to: run.to,
    profile_id: profileId,
    run_profile_id: run.profileId,
  };
  const rows = await tx.query<SampleRow & { kind: 'cold' | 'restore' }>(STARTS, values);
  return Object.fromEntries(rows.map(({ kind, ...sample }) => [kind, sample]));
}

/*
 * Over requests that found a ready worker (activation_path warm):
 *   wait_ms = queue_ms, from the arrival until it was sent to the worker   [ms]
 * by nearest rank over values with their counts: the smallest value that half, or 95 %, of the requests do
 * not exceed.
 */
const warm = (source: string): string => `
  with waits as (select queue_ms, sum(requests) as requests from (${source}) w group by queue_ms),
  ranked as (
    select queue_ms, sum(requests) over (order by queue_ms) as upto, sum(requests) over () as total from waits
  )
  select max(total)::bigint as samples, min(queue_ms) filter (where upto >= ceil(total * 0.5)) as p50_ms,
    min(queue_ms) filter (where upto >= ceil(total * 0.95)) as p95_ms
  from ranked having count(*) > 0`;

const warmRecords = (since: string, until: string): string => `
  select queue_ms, 1 as requests from usage_records
  where org_id = $org_id and occurred_at >= ${since} and occurred_at < ${until} and activation_path = 'warm'
    and profile_id is not null and queue_ms is not null
    and ($profile_id::text is null or profile_id = $profile_id)`;

const WARM = {
  // Whole hours, and the records before the first and after the last of them.
  all: warm(`
    select queue_ms, requests from warm_waits
    where org_id = $org_id and hour >= $first_hour and hour < $end_hour
      and ($profile_id::text is null or profile_id = $profile_id)
    union all ${warmRecords('$from', 'least($first_hour::timestamptz, $to)')}
    union all ${warmRecords('greatest($end_hour::timestamptz, $first_hour)', '$to')}`),
  ofExperiment: warm(`${warmRecords('$from', '$to')} and experiment_id = $experiment_id`),
};

export async function warmWaits(tx: Tx, window: ReportWindow): Promise<SampleRow | undefined> {
  const { from, to, profileId, experimentId } = window;
  const [row] = await tx.query<SampleRow>(experimentId === null ? WARM.all : WARM.ofExperiment, {
    org_id: tx.orgId,
    from,
    to,
    profile_id: profileId,
    first_hour: alignedUp(from, 3_600),
    end_hour: alignedDown(to, 3_600),
    experiment_id: experimentId,
  });
  return row;
}

const ESTIMATES = `
  select percentile_disc(0.5) within group (order by estimated_cold_start_ms) as cold_ms from profiles
  where org_id = $org_id and estimated_cold_start_ms > 0
    and ($profile_id::text is null or profile_id = $profile_id)
    and ($run_profile_id::text is null or profile_id = $run_profile_id)`;

/**
 * The operators' estimate of cold starts: the median of the profiles' estimates [ms]; null without estimates,
 * or without such an experiment.
 */
export async function estimatedColdMs(tx: Tx, { run, profileId }: ReportWindow): Promise<number | null> {
  if (run.from >= run.to) return null;
  const [row] = await tx.query<{ cold_ms: number | null }>(ESTIMATES, {
    org_id: tx.orgId,
    profile_id: profileId,
    run_profile_id: run.profileId,
  });
  return row?.cold_ms ?? null;
}

export interface BytesRow extends QueryResultRow {
  logical_bytes: string;
  physical_bytes: string;
  reused_bytes: string;
  written_bytes: string;
  transferred_bytes: string;
  dedup_ratio: number | null;
  incremental_ratio: number | null;
}

/*
 * Over artifacts that were registered in the window, whatever their status:
 *   logical_bytes, physical_bytes, reused_bytes, written_bytes = Σ                       [bytes]
 *   dedup_ratio       = Σ logical ÷ Σ physical, over artifacts that report both  [1; null without any]
 *   incremental_ratio = Σ reused ÷ Σ (reused + written), over artifacts that report both: the share that did
 *                       not have to be written [0 to 1]
 * Over observations that began in the window (of the experiment, if one is given):
 *   transferred_bytes = Σ                                                                [bytes]
 */
const BYTES = `
  select coalesce(sum(logical_bytes), 0)::text as logical_bytes,
    coalesce(sum(physical_bytes), 0)::text as physical_bytes,
    coalesce(sum(reused_bytes), 0)::text as reused_bytes,
    coalesce(sum(written_bytes), 0)::text as written_bytes,
    (
      sum(logical_bytes) filter (where physical_bytes is not null)
      / nullif(sum(physical_bytes) filter (where logical_bytes is not null), 0)
    )::float8 as dedup_ratio,
    (
      sum(reused_bytes) filter (where written_bytes is not null) / nullif(sum(reused_bytes + written_bytes),
        0)
    )::float8 as incremental_ratio,
    (select coalesce(sum(transferred_bytes), 0)::text from observations
      where org_id = $org_id and started_at >= $from and started_at < $to
        and ($profile_id::text is null or profile_id = $profile_id)
        and ($experiment_id::uuid is null or experiment_id = $experiment_id)) as transferred_bytes
  from artifacts
  where org_id = $org_id and created_at >= $run_from and created_at < $run_to
    and ($profile_id::text is null or profile_id = $profile_id)
    and ($run_profile_id::text is null or profile_id = $run_profile_id)`;

export async function bytesOf(tx: Tx, { run, from, to, profileId, experimentId }: ReportWindow): Promise<BytesRow> {
  const values = {
    org_id: tx.orgId,
    run_from: run.from,
    run_to: run.to,
    profile_id: profileId,
    run_profile_id: run.profileId,
    from,
    to,
    experiment_id: experimentId,
  };
  const [row] = await tx.query<BytesRow>(BYTES, values);
  invariant(row, 'an aggregate is a row');
  return row;
}
