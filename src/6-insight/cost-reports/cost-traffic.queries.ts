import { statement, type Statement, type Values } from '../../1-platform/database/transactions/statement';
import { ENABLED_TARGETS } from '../../5-traffic/routes/enabled-targets.queries';
import { piecesPast, usageSums, usageValues, type UsageFilter } from '../../5-traffic/usage/usage-window.queries';

const oneOf = (profileId: string): string => `${profileId} in (select unnest($of_profile_ids::text[]))`;

/**
 * Requests by the profile that served them, or by none. Those of a fallback also by the profile that they
 * were meant for, or by the model that implies it: these are few, and fewer groups are summed sooner.
 * Of some profiles: those that they served, and those of a fallback that may have been meant for one of them.
 */
const USED = usageSums({
  where: `($of_profile_ids::text[] is null or ${oneOf('profile_id')}
    or fallbacks > 0 and (meant_for_profile_id is null or ${oneOf('meant_for_profile_id')}))`,
  by: {
    profile_id: 'profile_id',
    meant_for_profile_id: 'case when fallbacks > 0 then meant_for_profile_id end',
    logical_model: 'case when fallbacks > 0 and meant_for_profile_id is null then logical_model end',
  },
  sums: {
    tokens: 'prompt_tokens + completion_tokens',
    fallback_ms: 'case when fallbacks > 0 then fallback_backend_ms end',
  },
});

/** Sums of busy time, in seconds: those of `busy_hours`, and of `busy_spans`. */
const BUSY_STEPS = [3_600, 86_400, 864_000] as const;

/*
 * Time with at least one request in flight [ms]: from sending a request to a worker until the end of its
 * answer, and the time that a classifier took for it; overlaps count once. For an experiment, over its
 * requests only.
 */
const ACTIVE = {
  // The longest sums that fit, and minutes before the first of them. The last sum may reach past the end of
  // the window: the minutes behind it are subtracted. The first and the last minute may be partial.
  all: `
    select profile_id, sum(ms) as ms from (
      select b.profile_id, p.sign * b.busy_ms as ms
      from json_to_recordset($busy_pieces::json)
        as p(step int, since timestamptz, until timestamptz, sign int)
      cross join lateral (
        select profile_id, busy_ms from busy_hours
        where p.step = 3600 and org_id = $org_id and hour >= p.since and hour < p.until
        union all
        select profile_id, busy_ms from busy_spans
        where org_id = $org_id and step = p.step and bucket >= p.since and bucket < p.until
      ) b
      union all
      select b.profile_id, s.sign * case
        when b.minute >= s.since and b.minute + interval '1 minute' <= s.until then b.busy_ms
        else multirange_length(b.busy * int4multirange(int4range(
          greatest(extract(epoch from s.since - b.minute) * 1000, 0)::int,
          least(extract(epoch from s.until - b.minute) * 1000, 60000)::int
        )))
      end
      from (
        values ($from::timestamptz, $busy_head_until::timestamptz, 1), ($to, $busy_behind_until, -1)
      ) s(since, until, sign)
      cross join lateral (
        select * from busy_minutes
        where org_id = $org_id and minute > s.since - interval '1 minute' and minute < s.until offset 0
      ) b
    ) parts where $of_profile_ids::text[] is null or ${oneOf('profile_id')}
    group by profile_id`,
  ofExperiment: `
    select profile_id, (select sum(upper(r) - lower(r)) from unnest(busy) r) as ms from (
      select profile_id, range_agg(int8range(
        greatest(ended_ms - backend_ms, from_ms),
        greatest(least(ended_ms, to_ms), greatest(ended_ms - backend_ms, from_ms))
      )) as busy
      from (
        select s.profile_id, least(s.ms, 86400000) as backend_ms,
          (extract(epoch from $from::timestamptz) * 1000)::bigint as from_ms,
          (extract(epoch from $to::timestamptz) * 1000)::bigint as to_ms,
          (extract(epoch from u.occurred_at) * 1000)::bigint + s.ended_after_ms as ended_ms
        from usage_records u cross join lateral (
          values (u.profile_id, u.backend_ms,
              greatest(coalesce(u.end_to_end_ms, u.queue_ms + u.backend_ms), u.backend_ms)),
            (u.classifier_profile_id, u.classifier_ms, u.classifier_ms)
        ) s(profile_id, ms, ended_after_ms)
        where u.org_id = $org_id and u.experiment_id = $experiment_id and s.profile_id is not null
          and s.ms > 0
      ) busy group by profile_id
    ) busy`,
};

/*
 * The figures of requests, for each profile that has any. Of some profiles (`$of_profile_ids`): others may
 * have a part of theirs. Requests of all profiles are read, because those that a fallback served are recorded
 * under the fallback.
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
      select t.profile_id from ${ENABLED_TARGETS} t where t.logical_model = u.logical_model
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

const busyIn = (source: keyof typeof ACTIVE): string => `
  select coalesce(json_agg(figures), '[]')::text as figures from (
    select profile_id, ms as active_ms from (${ACTIVE[source]}
    ) active
  ) figures`;

export type Traffic = Readonly<Record<keyof typeof ACTIVE, Statement>>;
export const TRAFFIC: Traffic = {
  all: statement('cost-traffic', trafficIn('all')),
  ofExperiment: statement('cost-traffic-of-experiment', trafficIn('ofExperiment')),
};
/** Without tokens and fallbacks. */
export const BUSY: Traffic = {
  all: statement('cost-busy', busyIn('all')),
  ofExperiment: statement('cost-busy-of-experiment', busyIn('ofExperiment')),
};

/** Which of `TRAFFIC`, or of `BUSY`, reads the window, and the values of its parameters. */
export function trafficValues(orgId: string, window: UsageFilter): { source: keyof Traffic; values: Values } {
  const { source, values } = usageValues(orgId, window);
  const { pieces, head, behind } = piecesPast(window.from, window.to, BUSY_STEPS);
  const busy = {
    busy_pieces: JSON.stringify(pieces),
    busy_head_until: head.until,
    busy_behind_until: behind.until,
  };
  return { source, values: { ...values, ...busy } };
}
