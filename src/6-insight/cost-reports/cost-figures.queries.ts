import type { ReportWindow } from '../analytics/report-window.queries';
import { invariant } from '../../1-platform/common/invariant';
import type { Slice } from '../../1-platform/common/answers/paging';
import { statement, type Statement, type Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { trafficValues, type Traffic } from './cost-traffic.queries';
import { endedSince, lengthMs, SPANS } from './worker-sums/worker-figures.queries';
import { QUARTER, summedWindow } from './worker-sums/worker-sums.queries';
import { alignedDown } from '../../5-traffic/usage/usage-window.queries';

/*
 * The costs of a window take some statements in one transaction, which all see the same snapshot: the
 * profiles, the figures of requests, the figures of workers, and both of them joined with artifacts,
 * observations and prices. Figures are JSON text, which keeps every digit, and passed on.
 */

/** Of a start `s` that has ended. No sum has others: those in progress, and those that failed, may change. */
const ENDED = 's.profile_id, s.pod_uid, s.began_at, s.ready_at, s.ended_at, s.ended_at';

/*
 * Starts that no sum covers, with the part of the window that they are read for:
 *   - those in progress                     the window
 *   - before the first sum of the window    its beginning; the sum of the quarter that it lies in names the
 *                                           time of the first start in question
 *   - after the last sum                    the rest of the window
 *   - of a profile without sums             the window
 * Each profile is looked up by itself (`offset 0`).
 */
const OVERLAPPING = `
    select profile_id, pod_uid, began_at, ready_at, failed_at as gone_at,
      coalesce(failed_at, $run_to) as seen_until, $run_from::timestamptz as part_from,
      $run_to::timestamptz as part_to
    from starts
    where org_id = $org_id and ended_at is null and began_at < $run_to
      and profile_id in (select unnest($run_profile_ids::text[]))
    union all
    select ${ENDED}, $run_from, $summed_from
    from summed join worker_sums q on q.org_id = $org_id and q.profile_id = summed.profile_id
      and q.step = ${QUARTER} and q.bucket = $first_quarter
    cross join lateral (
      select * from starts where org_id = $org_id and profile_id = summed.profile_id
        and began_at >= q.oldest and began_at < $summed_from and ended_at >= $run_from offset 0
    ) s
    where $run_from::timestamptz < $summed_from
    union all
    select ${ENDED}, summed.until, $run_to from summed cross join lateral (
      select * from starts where org_id = $org_id and profile_id = summed.profile_id
        and ${endedSince('summed.until')} and began_at < $run_to offset 0
    ) s
    union all
    select ${ENDED}, $run_from, $run_to
    from (
      select unnest($run_profile_ids::text[]) as profile_id
      except select profile_id from summed
    ) single cross join lateral (
      select * from starts where org_id = $org_id and profile_id = single.profile_id
        and ${endedSince('$run_from')} and began_at < $run_to offset 0
    ) s`;

/** The pieces `p` of the window. */
const PIECES = `
      json_to_recordset($worker_pieces::json) as p(step int, since timestamptz, until timestamptz)`;
/**
 * The sums of a piece `p` of the window.
 * @param which further condition, with which they are those of one profile; @param until the end of the piece
 */
const sumsOfPiece = (until: string, which = 'true'): string => `(
      select profile_id, bucket, starts, ms, starting_ms, release_ms, releases,
        release_latency_ms as latency_ms
      from worker_sums
      where org_id = $org_id and step = p.step and bucket >= p.since and bucket < ${until} and ${which}
      offset 0
    ) q`;
const SUMMED = 'q.profile_id, q.starts, q.ms, q.starting_ms, q.release_ms, q.releases, q.latency_ms';

/*
 * The figures of workers, for each profile that had any in the window:
 *   starts             = starts that began in it  [starts]
 *   ms                 = Σ over starts of the overlap of [began_at, released) with it × replicas        [ms]
 *     released           ended_at, which is never after failed_at, else failed_at, else not yet
 *     replicas           see SPANS
 *   starting_ms        = from began_at until ready, or until the release was requested
 *   release_ms         = from the requested release until released
 *   release_latency_ms = mean of released − requested, over starts released in it  [ms; null without any]
 *
 * Whole spans, of ten days to a quarter of an hour, come from `worker_sums`, as far as they are right: see
 * `worker-sums.queries.ts`. All figures of a start that has ended are sums over time, so the parts add up to
 * those of the window.
 */
const WORKERS = statement(
  'cost-workers',
  `
  with summed as materialized (
    select * from json_to_recordset($summed::json) as s(profile_id text, until timestamptz)
  ), overlapping as materialized (${OVERLAPPING}
  ), ${SPANS}, sums as (
    select ${SUMMED} from ${PIECES} cross join lateral ${sumsOfPiece('p.until')}
    join summed s on s.profile_id = q.profile_id and q.bucket < s.until
    where $by_bucket::boolean
    union all
    select ${SUMMED} from summed s cross join ${PIECES}
    cross join lateral ${sumsOfPiece('least(p.until, s.until)', 'profile_id = s.profile_id')}
    where not $by_bucket
    union all
    select profile_id, count(*) filter (where began_at >= part_from), 0, 0, 0,
      count(asked_at) filter (where gone_at >= part_from and gone_at < part_to),
      sum(extract(epoch from gone_at - asked_at) * 1000)
        filter (where gone_at >= part_from and gone_at < part_to)
    from runs group by profile_id
    union all
    select profile_id, 0, sum(ms), sum(ms) filter (where phase = 'starting'),
      sum(ms) filter (where phase = 'release'), 0, 0
    from (
      select profile_id, phase, replicas
        * ${lengthMs('greatest(since, part_from)', 'least(until, part_to)')} as ms
      from spans
    ) held group by profile_id
  )
  select coalesce(json_agg(figures), '[]')::text as figures from (
    select profile_id, sum(starts) as starts, sum(ms) as ms, coalesce(sum(starting_ms), 0) as starting_ms,
      coalesce(sum(release_ms), 0) as release_ms, sum(releases) as releases,
      sum(latency_ms) / nullif(sum(releases), 0) as release_latency_ms
    from sums group by profile_id
  ) figures`,
);

/**
 * Gigabyte-hours of the artifacts of each profile: physical bytes, or logical bytes if only these are known.
 */
const STORED = `
    select a.profile_id, sum(coalesce(a.physical_bytes, a.logical_bytes)
      * ${lengthMs('greatest(s.since, $run_from)', 'least(s.until, $run_to)')}) / 1000000000
        / 3600000 as gb_hours
    from (
      select * from artifact_stays where org_id = $org_id and until is null and since < $run_to
      union all
      select * from artifact_stays where org_id = $org_id and until > $run_from and since < $run_to
    ) s join artifacts a on a.org_id = $org_id and a.artifact_id = s.artifact_id
    where a.profile_id in (select unnest($run_profile_ids::text[])) group by a.profile_id`;

/*
 * A row for each profile, over the window [from, to). Amounts are rounded here, and then summed. The
 * beginning of a statement that reads `costs`, with the parameters of `costFigures`.
 *   activation_count   = starts that began in it  [starts]
 *   node_ms, starting_ms, release_ms, release_latency_ms: see WORKERS
 *   active_ms          = time with at least one request in flight                                       [ms]
 *   idle_ms            = node_ms − active_ms = starting + warm idle + release                            [ms]
 *   compute_usd        = node_hourly_usd × node_ms ÷ 3,600,000
 *   storage_usd        = storage_gb_hour_usd × Σ over artifacts of physical bytes ÷ 10^9 × hours kept
 *   transfer_usd       = transfer_gb_usd × Σ transferred bytes of observations ÷ 10^9
 *   fallback_usd       = see TRAFFIC (a part of the other profile's compute_usd, shown on the row of the
 *                        profile that should have served)
 *   used_usd           = node_hourly_usd × active_ms ÷ 3,600,000
 *   tokens             = Σ prompt and completion tokens of the requests that it served
 */
export const COSTS = `stored as (${STORED}
  ), transferred as (
    select profile_id, sum(transferred_bytes) / 1000000000 as gb from observations
    where org_id = $org_id and started_at >= $from and started_at < $to
      and ($experiment_id::uuid is null or experiment_id = $experiment_id) and transferred_bytes > 0
    group by profile_id
  ), totals as (
    select p.profile_id, coalesce(h.starts, 0) as activation_count, coalesce(v.tokens, 0) as tokens,
      coalesce(h.ms, 0) as node_ms, coalesce(v.active_ms, 0) as active_ms,
      greatest(coalesce(h.ms, 0) - coalesce(v.active_ms, 0), 0) as idle_ms,
      coalesce(h.starting_ms, 0) as starting_ms, coalesce(h.release_ms, 0) as release_ms,
      h.release_latency_ms, coalesce(h.releases, 0) as releases, coalesce(g.gb_hours, 0) as gb_hours,
      coalesce(t.gb, 0) as transferred_gb, coalesce(v.fallback_usd, 0) as fallback_usd,
      coalesce(c.node_hourly_usd, 0) as node_hourly_usd,
      coalesce(c.storage_gb_hour_usd, 0) as storage_gb_hour_usd,
      coalesce(c.transfer_gb_usd, 0) as transfer_gb_usd, c.updated_at as priced_at
    from unnest($profile_ids::text[]) p(profile_id)
    left join json_to_recordset($traffic::json)
      as v(profile_id text, tokens numeric, fallback_usd numeric, active_ms numeric) using (profile_id)
    left join json_to_recordset($workers::json) as h(profile_id text, starts bigint, ms numeric,
      starting_ms numeric, release_ms numeric, releases bigint, release_latency_ms numeric) using (profile_id)
    left join stored g using (profile_id) left join transferred t using (profile_id)
    left join cost_rates c on c.org_id = $org_id and c.profile_id = p.profile_id
  ), split as (
    -- A request in flight while a worker starts or drains belongs to another replica, or was reported late.
    -- So both are limited to the idle time.
    select *, least(starting_ms, idle_ms) as starting,
      least(release_ms, idle_ms - least(starting_ms, idle_ms)) as release
    from totals
  ), costs as (
    select *, idle_ms - starting - release as warm_idle,
      round(node_hourly_usd * node_ms / 3600000, 12) as compute_usd,
      round(node_hourly_usd * active_ms / 3600000, 12) as used_usd,
      round(node_hourly_usd * starting / 3600000, 12) as starting_usd,
      round(node_hourly_usd * (idle_ms - starting - release) / 3600000, 12) as warm_idle_usd,
      round(node_hourly_usd * release / 3600000, 12) as release_usd,
      round(storage_gb_hour_usd * gb_hours, 12) as storage_usd,
      round(transfer_gb_usd * transferred_gb, 12) as transfer_usd
    from split
  )`;

const PROFILES = statement(
  'cost-profiles',
  `
  select coalesce(array_agg(profile_id), '{}') as ids from (
    select profile_id from profiles
    where org_id = $org_id and ($profile_id::text is null or profile_id = $profile_id)
    order by profile_id offset $offset limit $limit
  ) profiles`,
);

/**
 * The figures of every profile, or of the requested one, as parameters of `COSTS`.
 * @param page of the profiles, in the order of their ids; all without one
 */
export async function costFigures(tx: Tx, window: ReportWindow, traffic: Traffic, page?: Slice): Promise<Values> {
  const { run, profileId } = window;
  const { source, values: ofRequests } = trafficValues(tx.orgId, window);
  const [profiles] = await tx.prepared<{ ids: string[] }>(PROFILES, {
    org_id: tx.orgId,
    profile_id: profileId,
    offset: page?.offset ?? 0,
    // One more, to find out whether there is a next page.
    limit: page ? page.limit + 1 : null,
  });
  const profileIds = profiles?.ids ?? [];
  const isAll = profileId === null && (!page || (page.offset === 0 && profileIds.length <= page.limit));
  const runProfileIds = profileIds.filter((id) => run.profileId === null || id === run.profileId);
  const summed = await summedWindow(tx, run, runProfileIds);
  const values = {
    ...ofRequests,
    profile_ids: profileIds,
    of_profile_ids: isAll ? null : profileIds,
    run_from: run.from,
    run_to: run.to,
    run_profile_ids: runProfileIds,
    worker_pieces: JSON.stringify(summed.pieces),
    by_bucket: summed.byBucket,
    summed: summed.profiles,
    summed_from: summed.from,
    first_quarter: alignedDown(run.from, QUARTER),
  };
  const ofTraffic = await figuresOf(tx, traffic[source], values);
  const ofWorkers = await figuresOf(tx, WORKERS, values);
  return { ...values, traffic: ofTraffic, workers: ofWorkers };
}

/** @returns rows as JSON text, for the next statement */
async function figuresOf(tx: Tx, figures: Statement, values: Values): Promise<string> {
  const [row] = await tx.prepared<{ figures: string }>(figures, values);
  invariant(row, 'an aggregate is a row');
  return row.figures;
}
