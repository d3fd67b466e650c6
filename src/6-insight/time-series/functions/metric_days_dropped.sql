-- Drops the partitions of days that are no longer kept, and returns how many. To drop one locks the parent
-- for a moment: if a reader holds it longer than a second, the next round tries again.
create or replace function metric_days_dropped(kept_days int) returns int
language plpgsql as $$
declare
  kept_from text := 'metric_samples_'
    || to_char((clock_timestamp() at time zone 'UTC')::date - kept_days, 'YYYYMMDD');
  partition text;
  dropped int := 0;
begin
  set local lock_timeout = '1s';
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'metric_samples'::regclass and c.relname < kept_from order by c.relname
  loop
    execute format('drop table if exists %I', partition);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
