-- The values of a row of `grouped_samples` with the places of both. Where both have one, the first counts.
create or replace function merged_samples(
  first_places bigint, first_values float8[], other_places bigint, other_values float8[]
) returns float8[] language plpgsql immutable parallel safe as $$
declare
  -- All bits below the lowest one.
  below_first bigint := case when first_places = -9223372036854775808 then 9223372036854775807
    else (first_places - 1) & ~first_places end;
  below_other bigint := case when other_places = -9223372036854775808 then 9223372036854775807
    else (other_places - 1) & ~other_places end;
begin
  -- Nearly always: a request ends within a group, and the next one goes on.
  if first_places between 0 and below_other then return first_values || other_values; end if;
  if other_places between 0 and below_first then return other_values || first_values; end if;
  return (
    select array_agg(
      case when first_places >> place & 1 = 1
        then first_values[1 + bit_count((first_places & ~(-1::bigint << place))::bit(64))::int]
        else other_values[1 + bit_count((other_places & ~(-1::bigint << place))::bit(64))::int]
      end order by place)
    from generate_series(0, 63) place
    where (first_places | other_places) >> place & 1 = 1
  );
end $$;
