-- For replicas of the release before, which call it; it goes one release later.
create or replace function metric_days_dropped(kept_days int) returns int
language plpgsql as $$
declare
  kept_from timestamptz :=
    ((clock_timestamp() at time zone 'UTC')::date - kept_days)::timestamp at time zone 'UTC';
  dropped int := 0;
begin
  while partition_dropped('metric_samples', kept_from) = 'dropped' loop
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
