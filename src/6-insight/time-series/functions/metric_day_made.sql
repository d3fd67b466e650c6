-- Makes the partition of a day (UTC), unless it exists. A partition that is created as one locks its parent
-- against writers; so it is created as a table and then attached.
create or replace function metric_day_made(of_day date) returns void
language plpgsql as $$
declare
  partition text := 'metric_samples_' || to_char(of_day, 'YYYYMMDD');
begin
  if to_regclass(partition) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('metric_samples', 5));
  -- Asks the catalogue itself: what to_regclass remembers of a name may be older than the lock.
  if exists (select from pg_class where relname = partition and relnamespace = 'public'::regnamespace) then
    return;
  end if;
  execute format('create table %I (like metric_samples including defaults including constraints)', partition);
  execute format('alter table metric_samples attach partition %I for values from (%L) to (%L)', partition,
    of_day::timestamp at time zone 'UTC', (of_day + 1)::timestamp at time zone 'UTC');
end $$;
