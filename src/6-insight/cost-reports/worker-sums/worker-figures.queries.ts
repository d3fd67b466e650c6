/**
 * Overlap of two spans in milliseconds, with the columns `since` and `until`. An open end is null, which
 * `least` ignores; it is never 'infinity', because PostgreSQL subtracts infinite timestamps only from version
 * 17 on.
 */
export const lengthMs = (since: string, until: string): string =>
  `greatest(extract(epoch from ${until} - ${since}) * 1000, 0)`;

/**
 * Of a start of one profile: it ended at that moment or later. As a range, for the index of ends: PostgreSQL
 * expects as many starts that began before a moment as ended after another, and would read all that began.
 */
export const endedSince = (moment: string): string => `ended_at between ${moment} and 'infinity'`;

/**
 * The phases of a run `r`, in order: coming up, serving, being released. A phase without `since` never began.
 */
const PHASES = `(values
        ('starting', r.began_at, least(r.ready_at, r.asked_at)), ('serving', r.ready_at, r.asked_at),
        ('release', r.asked_at, null)
      ) p(phase, since, until)`;

/**
 * The spans of time in which workers held nodes. Parts of a statement that begins with `overlapping`: starts,
 * with the part of the window that they are read for (`part_from`, `part_to`), when they were released
 * (`gone_at`, null if not yet) and up to when requests concern them (`seen_until`).
 *
 * A worker whose events name the pod is one. A worker known from reports only is as many as the number of
 * replicas requested at the time, or before its release; 1 without such a request.
 */
export const SPANS = `runs as materialized (
    select s.profile_id, s.pod_uid is null as reported, s.began_at, s.gone_at, s.ready_at, s.seen_until,
      s.part_from, s.part_to, released.asked_at
    from overlapping s left join lateral (
      select k.requested_at, k.generation from capacity_asks k
      where k.org_id = $org_id and k.profile_id = s.profile_id and k.desired_replicas > 0
        and k.requested_at <= s.seen_until
      order by k.requested_at desc, k.generation desc limit 1
    ) wanted on true left join lateral (
      -- It may be requested twice: as no replicas, and as suspended.
      select k.requested_at as asked_at from capacity_asks k
      where k.org_id = $org_id and k.profile_id = s.profile_id and k.requested_at >= s.began_at
        and k.requested_at <= s.seen_until and (wanted.generation is null or k.generation > wanted.generation)
      order by k.requested_at, k.generation limit 1
    ) released on true
  ), many as materialized (
    select r.profile_id from (select distinct profile_id from runs where reported) r cross join lateral (
      select from capacity_asks k
      where k.org_id = $org_id and k.profile_id = r.profile_id and k.desired_replicas > 1 limit 1
    ) more
  ), spans as (
    select r.profile_id, r.part_from, r.part_to, p.phase, p.since, least(p.until, r.gone_at) as until,
      1 as replicas
    from runs r cross join lateral ${PHASES} where p.since is not null
    union all
    select r.profile_id, r.part_from, r.part_to, p.phase, greatest(p.since, m.since),
      least(p.until, m.until, r.gone_at), m.replicas - 1
    from runs r cross join lateral (
      select requested_at as since, lead(requested_at) over (order by generation) as until,
        desired_replicas as replicas
      from (
        -- The request before it began. If that was for no replica, or there was none, the worker started by
        -- itself and counts as one.
        (
          select k.requested_at, k.generation, k.desired_replicas from capacity_asks k
          where k.org_id = $org_id and k.profile_id = r.profile_id and k.requested_at <= r.began_at
          order by k.requested_at desc, k.generation desc limit 1
        )
        union all
        select k.requested_at, k.generation, k.desired_replicas from capacity_asks k
        where k.org_id = $org_id and k.profile_id = r.profile_id and k.requested_at > r.began_at
          and k.requested_at < r.seen_until and k.desired_replicas > 0
      ) wanted
    ) m cross join lateral ${PHASES}
    where r.reported and r.profile_id in (select profile_id from many) and m.replicas > 1
      and p.since is not null
  )`;
