-- Makes the partition of a table that holds a moment: a day, a week from Monday, or a month (UTC), less what
-- its neighbours hold already. Returns `made`, `found` if there is one, or `busy` if others hold a lock for a
-- tenth of a second: so nobody waits behind this for longer, and the caller tries again.
--
-- A partition that is created as one locks its table against writers; so it is created as a table and then
-- attached, which traffic does not notice. A statement that names the table follows the policy of the table.
-- One that names the partition, as a backup does, follows that of the partition: the service alone has rows.
create or replace function partition_made(of_table text, width text, moment timestamptz) returns text
language plpgsql set timezone to 'UTC' set datestyle to 'ISO, YMD' set lock_timeout to '100ms' as $$
declare
  first_moment timestamptz := date_trunc(width, moment);
  end_moment timestamptz := first_moment + ('1 ' || width)::interval;
  made text;
begin
  if exists (
    select from partitions_of(of_table) p where coalesce(p.since <= moment, true) and p.ends > moment
  ) then
    return 'found';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(of_table, 5));
  -- Another replica may have made it meanwhile.
  if exists (
    select from partitions_of(of_table) p where coalesce(p.since <= moment, true) and p.ends > moment
  ) then
    return 'found';
  end if;
  select greatest(first_moment, max(p.ends) filter (where p.ends <= moment)),
    least(end_moment, min(p.since) filter (where p.since > moment))
  into first_moment, end_moment from partitions_of(of_table) p;
  made := of_table || '_' || to_char(first_moment, 'YYYYMMDD');
  execute format('create table %I (like %I including defaults including constraints)', made, of_table);
  execute format('alter table %I enable row level security', made);
  execute format('alter table %I force row level security', made);
  execute format(
    'create policy service on %I using ((select current_setting(''app.system'', true) = ''on''))', made);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', of_table, made,
    first_moment, end_moment);
  return 'made';
exception when lock_not_available then
  return 'busy';
end $$;
