-- The sum of the lengths of all ranges of a multirange.
create or replace function multirange_length(of int4multirange) returns int
language sql immutable strict
return (select coalesce(sum(upper(r) - lower(r)), 0)::int from unnest(of) r);
