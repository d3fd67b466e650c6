import type { QueryResultRow } from 'pg';
import type { ReportWindow } from '../analytics/report-window';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { alignedDown, alignedUp, USAGE, usageValues } from '../../5-traffic/usage/usage-window.queries';

/** Unit prices of a profile, as decimal text; 0 if none was ever saved. */
export interface PriceRow {
  profile_id: string;
  node_hourly_usd: string;
  storage_gb_hour_usd: string;
  transfer_gb_usd: string;
  priced_at: Date | null;
}

/**
 * The usage and costs of a profile in a window. Amounts are decimal text, in US dollars; times are
 * milliseconds.
 */
export interface CostRow extends QueryResultRow, PriceRow {
  activation_count: number;
  tokens: string;
  node_ms: number;
  active_ms: number;
  idle_ms: number;
  starting_ms: number;
  warm_idle_ms: number;
  release_ms: number;
  release_latency_ms: number | null;
  /** The number of starts in the mean. */
  releases: number;
  compute_usd: string;
  storage_usd: string;
  transfer_usd: string;
  fallback_usd: string;
  starting_usd: string;
  warm_idle_usd: string;
  release_usd: string;
  used_usd: string;
}

/**
 * Overlap of two spans in milliseconds, with the columns `since` and `until`. An open end is null, which
 * `least` ignores; it is never 'infinity', because PostgreSQL subtracts infinite timestamps only from version
 * 17 on.
 */
const lengthMs = (since: string, until: string): string =>
  `greatest(extract(epoch from ${until} - ${since}) * 1000, 0)`;

/*
 * When workers had a request in flight [ms]: from sending each request to a worker until the end of its
 * answer, overlaps once. For an experiment, over its requests only.
 */
const ACTIVE = {
  // Whole hours; before the first and after the last of them
  // minutes, of which the first and the last may be parts.
  all: `
    select profile_id, sum(ms) as ms from (
      select profile_id, busy_ms as ms from busy_hours where org_id = $1 and hour >= $12::timestamptz and hour < $13::timestamptz
      union all
      select profile_id, case when minute >= $2::timestamptz and minute + interval '1 minute' <= $7::timestamptz then busy_ms else multirange_length(busy * int4multirange(int4range(
          greatest(extract(epoch from $2::timestamptz - minute) * 1000, 0)::int, least(extract(epoch from $7::timestamptz - minute) * 1000, 60000)::int))) end
      from busy_minutes
      where org_id = $1 and (minute > $2::timestamptz - interval '1 minute' and minute < least($12::timestamptz, $7)
        or minute >= greatest($13::timestamptz, $12) and minute < $7)
    ) parts group by profile_id`,
  ofExperiment: `
    select profile_id, (select sum(upper(r) - lower(r)) from unnest(busy) r) as ms from (
      select profile_id, range_agg(int8range(greatest(ended_ms - backend_ms, from_ms), greatest(least(ended_ms, to_ms), greatest(ended_ms - backend_ms, from_ms)))) as busy
      from (
        select profile_id, least(backend_ms, 86400000) as backend_ms, (extract(epoch from $2::timestamptz) * 1000)::bigint as from_ms,
          (extract(epoch from $7::timestamptz) * 1000)::bigint as to_ms,
          (extract(epoch from occurred_at) * 1000)::bigint + greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) as ended_ms
        from usage_records where org_id = $1 and experiment_id = $11 and profile_id is not null and backend_ms > 0 and $12::timestamptz is not null and $13::timestamptz is not null
      ) told group by profile_id
    ) busy`,
};

/**
 * The phases of a run `r`, in order: coming up, serving, being released. A phase without `since` never began.
 */
const PHASES = `(values
        ('starting', r.began_at, least(r.ready_at, r.asked_at)), ('serving', r.ready_at, r.asked_at), ('release', r.asked_at, null)
      ) p(phase, since, until)`;

/*
 * A row for each profile, over the window [from, to):
 *   activation_count   = starts that began in it  [starts]
 *   node_ms            = Σ over starts of the overlap of [began_at, released) with it × replicas        [ms]
 *     released           ended_at, else failed_at, else not yet
 *     replicas           1 for a worker whose pod events name; for one that only reports name, what was asked
 *                        for at the time, or before it is released; 1 for one that began after that
 *   active_ms          = time with at least one request in flight                                       [ms]
 *   idle_ms            = node_ms − active_ms = starting + warm idle + release                            [ms]
 *     starting           from began_at until ready, or asked to be released
 *     release            from being asked to be released until it was
 *   compute_usd        = node_hourly_usd × node_ms ÷ 3,600,000
 *   storage_usd        = storage_gb_hour_usd × Σ over artefacts of physical bytes ÷ 10^9 × hours kept
 *   transfer_usd       = transfer_gb_usd × Σ transferred bytes of observations ÷ 10^9
 *   fallback_usd       = Σ over requests that were meant for the profile and served by another: backend hours
 *                        × the other's node_hourly_usd (a part of the other's compute, shown on the row of
 *                        who should have served)
 *   release_latency_ms = mean of released − asked, over starts released in it  [ms; null without any]
 *   used_usd           = node_hourly_usd × active_ms ÷ 3,600,000
 *   tokens             = Σ prompt and completion tokens of what it served
 */
const breakdown = (source: keyof typeof USAGE): string => `
  with used as materialized (
    select logical_model, profile_id, meant_for_profile_id, sum(prompt_tokens + completion_tokens) as tokens, sum(fallback_backend_ms) as fallback_ms
    from (${USAGE[source]}) u where profile_id is not null group by logical_model, profile_id, meant_for_profile_id
  ), served as (
    select profile_id, sum(tokens) as tokens from used group by profile_id
  ), covered as (
    select coalesce(u.meant_for_profile_id, first.profile_id) as profile_id, sum(u.fallback_ms * c.node_hourly_usd / 3600000) as usd
    from used u join cost_rates c on c.org_id = $1 and c.profile_id = u.profile_id
    left join lateral (
      select t.profile_id from route_targets t where t.org_id = $1 and t.logical_model = u.logical_model order by t.priority, t.position limit 1
    ) first on u.meant_for_profile_id is null
    where u.fallback_ms > 0 and coalesce(u.meant_for_profile_id, first.profile_id) <> u.profile_id group by 1
  ), active as (${ACTIVE[source]}
  ), overlapping as materialized (
    select profile_id, pod_uid, began_at, ready_at, failed_at as gone_at, coalesce(failed_at, $9) as seen_until
    from starts where org_id = $1 and ended_at is null and began_at < $9 and ($10::text is null or profile_id = $10)
    union all
    select profile_id, pod_uid, began_at, ready_at, ended_at, ended_at
    from starts where org_id = $1 and ended_at >= $8 and began_at < $9 and ($10::text is null or profile_id = $10)
  ), runs as materialized (
    select s.profile_id, s.pod_uid is null as reported, s.began_at, s.gone_at, s.ready_at, s.seen_until, released.asked_at
    from overlapping s left join lateral (
      select k.requested_at, k.generation from capacity_asks k
      where k.org_id = $1 and k.profile_id = s.profile_id and k.desired_replicas > 0 and k.requested_at <= s.seen_until
      order by k.requested_at desc, k.generation desc limit 1
    ) wanted on true left join lateral (
      -- It may be asked for twice: for no replica, and to be suspended.
      select k.requested_at as asked_at from capacity_asks k
      where k.org_id = $1 and k.profile_id = s.profile_id and k.requested_at >= s.began_at and k.requested_at <= s.seen_until
        and (wanted.generation is null or k.generation > wanted.generation)
      order by k.requested_at, k.generation limit 1
    ) released on true
  ), many as materialized (
    select distinct profile_id from capacity_asks where org_id = $1 and desired_replicas > 1
  ), held as (
    select profile_id, sum(ms) as ms, coalesce(sum(ms) filter (where phase = 'starting'), 0) as starting_ms,
      coalesce(sum(ms) filter (where phase = 'release'), 0) as release_ms
    from (
      select r.profile_id, p.phase, ${lengthMs('greatest(p.since, $8)', 'least(p.until, r.gone_at, $9)')} as ms
      from runs r cross join lateral ${PHASES} where p.since is not null
      union all
      select r.profile_id, p.phase, ${lengthMs('greatest(p.since, m.since, $8)', 'least(p.until, m.until, r.gone_at, $9)')} * (m.replicas - 1)
      from runs r cross join lateral (
        select requested_at as since, lead(requested_at) over (order by generation) as until, desired_replicas as replicas
        from (
          -- What was asked for when it came up, unless that was nothing: then it came up by itself, and is one.
          (
            select k.requested_at, k.generation, k.desired_replicas from capacity_asks k
            where k.org_id = $1 and k.profile_id = r.profile_id and k.requested_at <= r.began_at
            order by k.requested_at desc, k.generation desc limit 1
          )
          union all
          select k.requested_at, k.generation, k.desired_replicas from capacity_asks k
          where k.org_id = $1 and k.profile_id = r.profile_id and k.requested_at > r.began_at and k.requested_at < r.seen_until and k.desired_replicas > 0
        ) wanted
      ) m cross join lateral ${PHASES}
      where r.reported and r.profile_id in (select profile_id from many) and m.replicas > 1 and p.since is not null
    ) all_of_them group by profile_id
  ), begun as (
    select profile_id, count(*) filter (where began_at >= $8) as starts,
      count(asked_at) filter (where gone_at >= $8 and gone_at < $9) as releases,
      avg(extract(epoch from gone_at - asked_at) * 1000) filter (where gone_at >= $8 and gone_at < $9) as release_latency_ms
    from runs group by profile_id
  ), stored as (
    select a.profile_id, sum(coalesce(a.physical_bytes, a.logical_bytes) * ${lengthMs('greatest(s.since, $8)', 'least(s.until, $9)')}) / 1000000000 / 3600000 as gb_hours
    from (
      select * from artifact_stays where org_id = $1 and until is null and since < $9
      union all
      select * from artifact_stays where org_id = $1 and until > $8 and since < $9
    ) s join artifacts a on a.org_id = $1 and a.artifact_id = s.artifact_id
    where $10::text is null or a.profile_id = $10 group by a.profile_id
  ), transferred as (
    select profile_id, sum(transferred_bytes) / 1000000000 as gb from observations
    where org_id = $1 and started_at >= $2 and started_at < $7 and ($11::uuid is null or experiment_id = $11) and transferred_bytes > 0 group by profile_id
  ), totals as (
    select p.profile_id, coalesce(b.starts, 0) as activation_count, coalesce(v.tokens, 0) as tokens, coalesce(h.ms, 0) as node_ms,
      coalesce(a.ms, 0) as active_ms, greatest(coalesce(h.ms, 0) - coalesce(a.ms, 0), 0) as idle_ms, coalesce(h.starting_ms, 0) as starting_ms,
      coalesce(h.release_ms, 0) as release_ms, b.release_latency_ms, coalesce(b.releases, 0) as releases, coalesce(g.gb_hours, 0) as gb_hours, coalesce(t.gb, 0) as transferred_gb,
      coalesce(f.usd, 0) as fallback_usd, coalesce(c.node_hourly_usd, 0) as node_hourly_usd, coalesce(c.storage_gb_hour_usd, 0) as storage_gb_hour_usd,
      coalesce(c.transfer_gb_usd, 0) as transfer_gb_usd, c.updated_at as priced_at
    from profiles p
    left join served v using (profile_id) left join covered f using (profile_id) left join active a using (profile_id)
    left join held h using (profile_id) left join begun b using (profile_id) left join stored g using (profile_id)
    left join transferred t using (profile_id) left join cost_rates c on c.org_id = $1 and c.profile_id = p.profile_id
    where p.org_id = $1 and ($14::text is null or p.profile_id = $14)
  ), split as (
    -- A request in flight while a worker comes up, or is drained, is of another replica, or late: idle is never more than what is left.
    select *, least(starting_ms, idle_ms) as starting, least(release_ms, idle_ms - least(starting_ms, idle_ms)) as release from totals
  )
  select profile_id, activation_count, tokens::text, node_ms::float8, active_ms::float8, idle_ms::float8, starting::float8 as starting_ms,
    (idle_ms - starting - release)::float8 as warm_idle_ms, release::float8 as release_ms, release_latency_ms::float8, releases,
    ${[
      ['node_hourly_usd * node_ms / 3600000', 'compute_usd'],
      ['node_hourly_usd * active_ms / 3600000', 'used_usd'],
      ['node_hourly_usd * starting / 3600000', 'starting_usd'],
      ['node_hourly_usd * (idle_ms - starting - release) / 3600000', 'warm_idle_usd'],
      ['node_hourly_usd * release / 3600000', 'release_usd'],
      ['storage_gb_hour_usd * gb_hours', 'storage_usd'],
      ['transfer_gb_usd * transferred_gb', 'transfer_usd'],
      ['fallback_usd', 'fallback_usd'],
    ]
      .map(([amount, name]) => `round(${amount}, 12)::text as ${name}`)
      .join(', ')},
    node_hourly_usd::text, storage_gb_hour_usd::text, transfer_gb_usd::text, priced_at
  from split order by profile_id`;

const BREAKDOWN = { all: breakdown('all'), ofExperiment: breakdown('ofExperiment') };

/** What every profile took and cost, or the one that is asked for. */
export function costBreakdown(tx: Tx, window: ReportWindow): Promise<CostRow[]> {
  const { from, to, run, profileId, experimentId } = window;
  // What a fallback did for a profile stands among what the fallback served.
  const { source, values } = usageValues(tx.orgId, { ...window, profileId: null });
  return tx.query<CostRow>(BREAKDOWN[source], [
    ...values,
    run.from,
    run.to,
    run.profileId,
    experimentId,
    alignedUp(from, 3_600),
    alignedDown(to, 3_600),
    profileId,
  ]);
}
