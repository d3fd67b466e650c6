-- Admits requests of one key. Each array holds one member of all requests, and `place` of the reply counts
-- them from 1. Outcomes: see admit_requests_one_by_one.
--
-- Callers take turns on the key's row, and each sees what the one before did. It is a function, because each
-- of its statements must see what was committed while the statement before it waited.
--
-- Usually the key's rate and budget allow all requests, and their ids are new: then one statement writes
-- everything. Otherwise the order of the requests decides, and they are taken one by one. An id that is known
-- already is looked up first, which waits for nobody: an insert that meets it would wait for the caller that
-- settles it, and that caller waits for the key, which is locked here.
create or replace function admit_requests(
  org uuid, asking_key uuid, ids uuid[], requests text[], models text[], generations bigint[],
  reservations numeric[], lives_ms float8[], held_ms float8[], profiles text[], prompts bigint[]
) returns table (
  place int, outcome text, id uuid, route_generation bigint, expires_at timestamptz, wait_ms float8
)
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '1s'
as $$
#variable_conflict use_column
declare
  k inference_keys;
  at timestamptz;
  tokens float8;
  granted int;
begin
  select * into k from inference_keys where org_id = org and id = asking_key for no key update;
  at := clock_timestamp();
  tokens := least(k.rate_limit_rps,
    k.bucket_tokens + greatest(extract(epoch from at - k.bucket_at), 0) * k.rate_limit_rps);
  if k.id is null or k.revoked_at is not null or tokens < cardinality(ids)
    or k.spent_usd + k.overrun_usd + k.reserved_usd + (select sum(r) from unnest(reservations) r)
      > k.budget_usd
  then
    return query select a.* from admit_requests_one_by_one(org, asking_key, (
      select json_agg(t)
      from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts)
        with ordinality as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms,
          profile_id, prompt_tokens, place)
    )) a;
    return;
  end if;
  return query
  with asked as materialized (
    select t.*
    from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts)
      with ordinality as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms,
        profile_id, prompt_tokens, place)
    left join lateral (
      select true as there from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
    ) known on true
    where known.there is null
  ), made as (
    insert into authorizations as z (org_id, id, key_id, request_id, logical_model, prompt_tokens,
      route_generation, reserved_usd, created_at, expires_at, resolved_at, profile_id, held_until)
    select org, a.id, asking_key, a.request_id, a.logical_model, a.prompt_tokens,
      a.route_generation, a.reserved_usd, at, at + make_interval(secs => a.lives_ms / 1000),
      case when a.profile_id is not null then at end, a.profile_id,
        at + make_interval(secs => a.held_ms / 1000)
    -- In the order of request ids: keys whose requests share ids wait for each other in one direction only.
    from asked a order by a.request_id, a.place
    on conflict (org_id, request_id) do nothing
    returning z.id, z.route_generation, z.reserved_usd, z.expires_at
  ), entered as (
    insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd,
      occurred_at)
    select org, asking_key, m.id, 'reserve', m.reserved_usd, 0, 0, at from made m
  ), counted as (
    update inference_keys set reserved_usd = k.reserved_usd + m.usd,
      bucket_tokens = coalesce(tokens - m.count, k.bucket_tokens), bucket_at = at
    from (select count(*) as count, sum(reserved_usd) as usd from made) m
    where org_id = org and id = asking_key and m.count > 0
  )
  select a.place::int, 'authorized', m.id, m.route_generation, m.expires_at, null::float8
  from made m join asked a on a.id = m.id;
  get diagnostics granted = row_count;
  if granted < cardinality(ids) then
    return query select a.* from admit_requests_one_by_one(org, asking_key, (
      select json_agg(t)
      from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts)
        with ordinality as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms,
          profile_id, prompt_tokens, place)
      left join lateral (
        select o.id from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
      ) z on true
      where z.id is distinct from t.id
    )) a;
  end if;
end $$;
