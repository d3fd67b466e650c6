-- Counts how long requests of new usage records waited for a warm worker, by hour and milliseconds. It writes
-- rows in the order of their keys, so that two callers wait for each other in one direction only.
create or replace function add_warm_waits() returns trigger
language plpgsql as $$
begin
  insert into warm_waits as w (org_id, hour, profile_id, queue_ms, requests)
  select u.org_id, date_bin('1 hour', u.occurred_at, 'epoch'::timestamptz) as hour,
    u.profile_id, u.queue_ms, count(*)
  from added u where u.activation_path = 'warm' and u.profile_id is not null and u.queue_ms is not null
  group by u.org_id, hour, u.profile_id, u.queue_ms
  order by u.org_id, hour, u.profile_id, u.queue_ms
  on conflict (org_id, hour, profile_id, queue_ms) do update set requests = w.requests + excluded.requests;
  return null;
end $$;
