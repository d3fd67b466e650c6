-- Gives usage records the keys of their authorizations where the reporter did not know the key (null in
-- `keys`), and takes the cost off those whose reservation was given back before: their keys are charged
-- nothing any more. Each array holds one member of all requests.
--
-- An id whose reservation was given back may be admitted again, by another key, after its record was written.
-- So this locks authorizations, whatever their state, before the caller closes them: the key that is found
-- here is the one that is charged, and nobody is admitted under the id before the commit. It locks those of
-- all requests, in the order of close_authorizations, which otherwise would lock some of them out of turn.
create or replace function attribute_usage(orgs uuid[], requests text[], keys uuid[]) returns void
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '1s'
as $$
begin
  with due as materialized (
    select t.org_id, t.request_id, t.key_id
    from unnest(orgs, requests, keys) as t(org_id, request_id, key_id) order by t.org_id, t.request_id
  ), locked as materialized (
    select d.org_id, d.request_id, d.key_id as reported_key_id, z.key_id, z.released
    from due d cross join lateral (
      select a.key_id, a.released from authorizations a
      where a.org_id = d.org_id and a.request_id = d.request_id
      limit 1 for no key update
    ) z
  )
  update usage_records u set key_id = l.key_id, cost_usd = case when l.released then 0 else u.cost_usd end
  from locked l
  where u.org_id = l.org_id and u.request_id = l.request_id and l.reported_key_id is null
    and (u.key_id is distinct from l.key_id or (l.released and u.cost_usd <> 0));
end $$;
