-- Adds the time during which new usage records kept a worker of a profile busy, to its minutes, hours, days
-- and spans of ten days. Longer ones grow by what the minutes grew by. Minutes are locked first, then hours,
-- then the rest, and all of a kind in the order of their keys.
--
-- A request also kept the classifier of its route busy, from its arrival on.
--
-- A request that kept a worker busy for longer than a day counts as a day, because it is a row for each
-- minute. The spans of a profile are merged before they are cut into minutes: many such requests at once are
-- the same rows.
create or replace function add_busy_time() returns trigger
language plpgsql as $$
begin
  with grown as (
    insert into busy_minutes as b (org_id, profile_id, minute, busy, busy_ms, added_ms)
    select org_id, profile_id, minute, busy, multirange_length(busy), multirange_length(busy) from (
      select u.org_id, u.profile_id, m.minute, range_agg(int4range(
        greatest(round(extract(epoch from u.began - m.minute) * 1000), 0)::int,
        least(round(extract(epoch from u.ended - m.minute) * 1000), 60000)::int
      )) as busy
      from (
        select org_id, profile_id, lower(span) as began, upper(span) as ended from (
          select org_id, profile_id, range_agg(
            tstzrange(ended - make_interval(secs => least(backend_ms, 86400000) / 1000.0), ended)
          ) as spans
          from (
            select org_id, profile_id, backend_ms, occurred_at + make_interval(
              secs => greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) / 1000.0
            ) as ended
            from added where profile_id is not null and backend_ms > 0
            union all
            select org_id, classifier_profile_id, classifier_ms,
              occurred_at + make_interval(secs => classifier_ms / 1000.0)
            from added where classifier_profile_id is not null and classifier_ms > 0
          ) served group by org_id, profile_id
        ) merged cross join lateral unnest(spans) span
      ) u
      cross join lateral
        generate_series(date_bin('1 minute', u.began, 'epoch'::timestamptz), u.ended, '1 minute') m(minute)
      where m.minute < u.ended
      group by u.org_id, u.profile_id, m.minute
    ) minutes
    order by org_id, minute, profile_id
    on conflict (org_id, minute, profile_id) do update set
      busy = b.busy + excluded.busy,
      (busy_ms, added_ms) = (
        select b.busy_ms + a.ms, a.ms
        from (select excluded.busy_ms - multirange_length(b.busy * excluded.busy) as ms) a
      )
    returning org_id, profile_id, minute, added_ms
  ), hours as (
    insert into busy_hours as h (org_id, profile_id, hour, busy_ms)
    select org_id, profile_id, date_bin('1 hour', minute, 'epoch'::timestamptz) as hour, sum(added_ms)
    from grown group by org_id, hour, profile_id having sum(added_ms) > 0
    order by org_id, hour, profile_id
    on conflict (org_id, hour, profile_id) do update set busy_ms = h.busy_ms + excluded.busy_ms
    returning 1
  )
  insert into busy_spans as b (org_id, profile_id, step, bucket, busy_ms)
  select g.org_id, g.profile_id, s.step,
    date_bin(make_interval(secs => s.step), g.minute, 'epoch'::timestamptz) as bucket, sum(g.added_ms)
  -- The count makes it wait for the hours.
  from grown g cross join (values (86400), (864000)) s(step) cross join (select count(*) from hours) before
  group by g.org_id, s.step, bucket, g.profile_id having sum(g.added_ms) > 0
  order by g.org_id, s.step, bucket, g.profile_id
  on conflict (org_id, step, bucket, profile_id) do update set busy_ms = b.busy_ms + excluded.busy_ms;
  return null;
end $$;
