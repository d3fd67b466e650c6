-- For replicas of the release before, which call it; it goes one release later.
create or replace function metric_day_made(of_day date) returns void
language plpgsql as $$
begin
  if partition_made('metric_samples', 'day', of_day::timestamp at time zone 'UTC') = 'busy' then
    raise lock_not_available;
  end if;
end $$;
