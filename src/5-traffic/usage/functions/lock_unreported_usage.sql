-- Locks the records of requests that nobody had reported, in the order of their keys, and returns them. Each
-- array holds one member of all requests.
create or replace function lock_unreported_usage(orgs uuid[], requests text[])
returns table (org_id uuid, request_id text)
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  with asked as materialized (
    select distinct t.org_id, t.request_id from unnest(orgs, requests) as t(org_id, request_id)
    order by t.org_id, t.request_id
  )
  select a.org_id, a.request_id from asked a cross join lateral (
    select from usage_records u where u.org_id = a.org_id and u.request_id = a.request_id and u.unreported
    limit 1 for update
  ) u;
end $$;
