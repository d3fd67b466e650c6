-- Replicas of the previous release call it, for requests of one key: see admit_requests_of_keys.
create or replace function admit_requests(
  org uuid, asking_key uuid, ids uuid[], requests text[], models text[], generations bigint[],
  reservations numeric[], lives_ms float8[], held_ms float8[], profiles text[], prompts bigint[]
) returns table (
  place int, outcome text, id uuid, route_generation bigint, expires_at timestamptz, wait_ms float8
)
language plpgsql
as $$
#variable_conflict use_column
begin
  return query select a.* from admit_requests_of_keys(org, array_fill(asking_key, array[cardinality(ids)]),
    ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts, 1000) a;
end $$;
