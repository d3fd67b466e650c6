-- Admits requests of keys of one organisation. Each array holds one member of all requests, and `place` of
-- the reply counts them from 1. Outcomes: see admit_requests_one_by_one.
--
-- waits_ms: how long it waits for a row or an id that others hold, before it fails. Null: it waits for no
-- row, and requests of a key whose row others hold have no place in the reply.
--
-- Callers take turns on a key's row, and each sees what the one before did. It is a function, because each of
-- its statements must see what was committed before the rows were locked. Rows of keys are locked in one
-- order, by settlements too. While it holds them, it waits for no authorization that a settlement has locked,
-- because a settlement waits for keys. Therefore an id that is known already is looked up first, which waits
-- for nobody: an insert that meets it would wait for the caller that settles it.
--
-- The record of a request outlives its authorization, and an id has one record. So an id that callers chose
-- is looked up among records too. Chat makes its own ids: one that is sent at once needs no such look, which
-- is therefore a statement of its own.
--
-- Usually the rate and the budget of each key allow all its requests, and their ids are new: then one
-- statement writes everything. The other requests are taken key by key, and one by one: their order decides.
--
-- It may wait for another caller that admits the same id for another key at this moment. Requests are written
-- in the order of their ids, so that two callers wait in one direction only, unless some of several keys are
-- taken one by one. Therefore callers with several keys wait for a short time only.
create or replace function admit_requests_of_keys(
  org uuid, keys uuid[], ids uuid[], requests text[], models text[], generations bigint[],
  reservations numeric[], lives_ms float8[], held_ms float8[], profiles text[], prompts bigint[],
  waits_ms int
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
  held uuid[];
  at timestamptz;
  granted int;
  -- Ids of requests without a profile that have a record; null if there are none of these requests.
  recorded text[];
  r record;
begin
  perform set_config('lock_timeout', coalesce(waits_ms, 50)::text, true);
  if waits_ms is not null then
    select coalesce(array_agg(k.id), '{}') into held from (
      select id from inference_keys where org_id = org and id = any (keys) order by id for no key update
    ) k;
  else
    select coalesce(array_agg(k.id), '{}') into held from (
      select id from inference_keys where org_id = org and id = any (keys) order by id
      for no key update skip locked
    ) k;
  end if;
  if array_position(profiles, null) is not null then
    select array_agg(u.request_id) into recorded from usage_records u
    where u.org_id = org and u.request_id = any (requests);
  end if;
  at := clock_timestamp();
  return query
  with asked as materialized (
    select t.*
    from unnest(keys, ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts)
      with ordinality as t(key_id, id, request_id, logical_model, route_generation, reserved_usd, lives_ms,
        held_ms, profile_id, prompt_tokens, place)
  ), covered as materialized (
    select k.id, k.tokens
    from (select key_id, count(*) as count, sum(reserved_usd) as usd from asked group by key_id) a
    cross join lateral (
      select o.*, least(o.rate_limit_rps, o.bucket_tokens
        + greatest(extract(epoch from at - o.bucket_at), 0) * o.rate_limit_rps) as tokens
      from inference_keys o where o.org_id = org and o.id = a.key_id
    ) k
    where k.id = any (held) and k.revoked_at is null and coalesce(k.tokens >= a.count, true)
      and coalesce(k.spent_usd + k.overrun_usd + k.reserved_usd + a.usd <= k.budget_usd, true)
  ), fresh as materialized (
    select a.* from asked a join covered k on k.id = a.key_id
    left join lateral (
      select true as there from authorizations o where o.org_id = org and o.request_id = a.request_id limit 1
    ) known on true
    where known.there is null and (recorded is null or a.request_id <> all (recorded))
  ), made as (
    insert into authorizations as z (org_id, id, key_id, request_id, logical_model, prompt_tokens,
      route_generation, reserved_usd, created_at, expires_at, resolved_at, profile_id, held_until)
    select org, a.id, a.key_id, a.request_id, a.logical_model, a.prompt_tokens,
      a.route_generation, a.reserved_usd, at, at + make_interval(secs => a.lives_ms / 1000),
      case when a.profile_id is not null then at end, a.profile_id,
        at + make_interval(secs => a.held_ms / 1000)
    from fresh a order by a.request_id, a.place
    on conflict (org_id, request_id) do nothing
    returning z.id, z.key_id, z.route_generation, z.reserved_usd, z.expires_at
  ), entered as (
    insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd,
      occurred_at)
    select org, m.key_id, m.id, 'reserve', m.reserved_usd, 0, 0, at from made m
  ), counted as (
    update inference_keys k set reserved_usd = k.reserved_usd + m.usd,
      bucket_tokens = coalesce(c.tokens - m.count, k.bucket_tokens), bucket_at = at
    from (select key_id, count(*) as count, sum(reserved_usd) as usd from made group by key_id) m
    join covered c on c.id = m.key_id
    where k.org_id = org and k.id = m.key_id
  )
  select a.place::int, 'authorized', m.id, m.route_generation, m.expires_at, null::float8
  from made m join fresh a on a.id = m.id;
  get diagnostics granted = row_count;
  if granted = cardinality(ids) then
    return;
  end if;
  for r in
    select t.key_id, json_agg(t) as asked
    from unnest(keys, ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts)
      with ordinality as t(key_id, id, request_id, logical_model, route_generation, reserved_usd, lives_ms,
        held_ms, profile_id, prompt_tokens, place)
    left join lateral (
      select o.id from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
    ) z on true
    where z.id is distinct from t.id and (waits_ms is not null or t.key_id = any (held))
    group by t.key_id order by t.key_id
  loop
    return query select a.* from admit_requests_one_by_one(org, r.key_id, r.asked) a;
  end loop;
end $$;
