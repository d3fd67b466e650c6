-- Takes the cost off usage records of requests whose reservations were given back before they were reported:
-- their keys are charged nothing any more. Each array holds one member of all requests.
create or replace function free_unused_usage(orgs uuid[], requests text[]) returns void
language sql
set enable_seqscan = off
as $$
  update usage_records u set cost_usd = 0
  from unnest(orgs, requests) as t(org_id, request_id)
  join authorizations z on z.org_id = t.org_id and z.request_id = t.request_id and z.released
  where u.org_id = t.org_id and u.request_id = t.request_id and u.cost_usd <> 0;
$$;
