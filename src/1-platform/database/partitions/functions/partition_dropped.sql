-- Drops the oldest partition of a table, if all of it is before a moment. Returns `dropped`, `none` if there
-- is none, or `busy`: the removal locks the table for a moment, and everybody who comes waits behind it. So
-- it waits for readers for a tenth of a second only, and its caller tries again.
create or replace function partition_dropped(of_table text, before_moment timestamptz) returns text
language plpgsql set lock_timeout to '100ms' as $$
declare
  oldest text;
begin
  select p.name into oldest from partitions_of(of_table) p where p.ends <= before_moment
  order by p.ends limit 1;
  if oldest is null then
    return 'none';
  end if;
  -- Another replica may have dropped it meanwhile.
  execute format('drop table if exists %I', oldest);
  return 'dropped';
exception when lock_not_available then
  return 'busy';
end $$;
