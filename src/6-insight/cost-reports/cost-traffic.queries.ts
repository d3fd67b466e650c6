import { usageSums } from '../../5-traffic/usage/usage-window.queries';

/** Requests by model, by serving profile (also by none) and by the profile that they were meant for. */
const USED = usageSums({
  by: ['logical_model', 'profile_id', 'meant_for_profile_id'],
  sums: { tokens: 'prompt_tokens + completion_tokens', fallback_ms: 'fallback_backend_ms' },
});

/*
 * Time with at least one request in flight [ms]: from sending a request to a worker until the end of its
 * answer; overlaps count once. For an experiment, over its requests only.
 */
const ACTIVE = {
  // Whole hours, and minutes before the first and after the last of them. The first and the last minute may
  // be partial.
  all: `
    select profile_id, sum(ms) as ms from (
      select profile_id, busy_ms as ms from busy_hours
      where org_id = $org_id and hour >= $first_hour::timestamptz and hour < $end_hour::timestamptz
      union all
      select profile_id, case
        when minute >= $from::timestamptz and minute + interval '1 minute' <= $to::timestamptz then busy_ms
        else multirange_length(busy * int4multirange(int4range(
          greatest(extract(epoch from $from::timestamptz - minute) * 1000, 0)::int,
          least(extract(epoch from $to::timestamptz - minute) * 1000, 60000)::int
        )))
      end
      from busy_minutes
      where org_id = $org_id and (
        minute > $from::timestamptz - interval '1 minute' and minute < least($first_hour::timestamptz, $to)
        or minute >= greatest($end_hour::timestamptz, $first_hour) and minute < $to
      )
    ) parts group by profile_id`,
  ofExperiment: `
    select profile_id, (select sum(upper(r) - lower(r)) from unnest(busy) r) as ms from (
      select profile_id, range_agg(int8range(
        greatest(ended_ms - backend_ms, from_ms),
        greatest(least(ended_ms, to_ms), greatest(ended_ms - backend_ms, from_ms))
      )) as busy
      from (
        select profile_id, least(backend_ms, 86400000) as backend_ms,
          (extract(epoch from $from::timestamptz) * 1000)::bigint as from_ms,
          (extract(epoch from $to::timestamptz) * 1000)::bigint as to_ms,
          (extract(epoch from occurred_at) * 1000)::bigint
            + greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) as ended_ms
        from usage_records
        where org_id = $org_id and experiment_id = $experiment_id and profile_id is not null
          and backend_ms > 0
      ) busy group by profile_id
    ) busy`,
};

/*
 * The figures of requests, for each profile that has any. Requests of all profiles are read, because those
 * that a fallback served are recorded under the fallback.
 *   tokens       = Σ prompt and completion tokens of the requests that it served
 *   fallback_usd = Σ over requests that were meant for the profile and served by another: backend hours × the
 *                  other's node_hourly_usd
 *   active_ms    = see ACTIVE
 */
const trafficIn = (source: keyof typeof ACTIVE): string => `
  with used as materialized (${USED[source]}
  ), served as (
    select profile_id, sum(tokens) as tokens from used where profile_id is not null group by profile_id
  ), covered as (
    select coalesce(u.meant_for_profile_id, first.profile_id) as profile_id,
      sum(u.fallback_ms * c.node_hourly_usd / 3600000) as fallback_usd
    from used u join cost_rates c on c.org_id = $org_id and c.profile_id = u.profile_id
    left join lateral (
      select t.profile_id from route_targets t where t.org_id = $org_id and t.logical_model = u.logical_model
      order by t.priority, t.position limit 1
    ) first on u.meant_for_profile_id is null
    where u.fallback_ms > 0 and coalesce(u.meant_for_profile_id, first.profile_id) <> u.profile_id
    group by 1
  ), active as (${ACTIVE[source]}
  )
  select coalesce(json_agg(figures), '[]')::text as figures from (
    select profile_id, tokens, fallback_usd, ms as active_ms
    from served full join covered using (profile_id) full join active using (profile_id)
  ) figures`;

export const TRAFFIC = { all: trafficIn('all'), ofExperiment: trafficIn('ofExperiment') };
