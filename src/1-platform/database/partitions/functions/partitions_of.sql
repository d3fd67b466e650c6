-- The partitions of a table by time, with their bounds, the oldest first. The first one may have no lower
-- bound (null): it holds the rows of the time before the table was partitioned. PostgreSQL has bounds as text
-- only, which follows settings of the session; these are set here.
create or replace function partitions_of(of_table text)
returns table (name text, since timestamptz, ends timestamptz)
language sql stable set timezone to 'UTC' set datestyle to 'ISO, YMD' as $$
  select c.relname::text, (regexp_match(b.bounds, 'FROM \(''([^'']+)''\)'))[1]::timestamptz,
    (regexp_match(b.bounds, 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bounds) b
  where i.inhparent = of_table::regclass
  order by 3
$$;
