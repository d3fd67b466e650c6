-- Removes the usage records of requests that nobody had reported, also from the sums, so that a late report
-- can take their place. Each array holds one member of all requests. Returns the time, the cost and the
-- key of those that it removed. Such a record adds to the counts of requests only: see `charge_unsettled`.
create or replace function take_out_unreported_usage(orgs uuid[], requests text[])
returns table (org_id uuid, request_id text, occurred_at timestamptz, cost_usd numeric, key_id uuid)
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  with removed as (
    delete from usage_records u using unnest(orgs, requests) as t(org_id, request_id)
    where u.org_id = t.org_id and u.request_id = t.request_id and u.unreported
    returning u.*
  ), less as materialized (
    select u.org_id, s.step,
      date_bin(make_interval(secs => s.step), u.occurred_at, 'epoch'::timestamptz) as bucket,
      md5(array[u.logical_model, u.profile_id, u.meant_for_profile_id]::text)::uuid as series,
      count(*) as requests
    from removed u cross join (values (60), (900), (3600), (86400), (864000)) s(step)
    group by u.org_id, s.step, bucket, series
  ), locked as materialized (
    select r.org_id, r.step, r.bucket, r.series, l.requests from less l
    join usage_rollups r
      on r.org_id = l.org_id and r.step = l.step and r.bucket = l.bucket and r.series = l.series
    order by r.org_id, r.step, r.bucket, r.series for no key update of r
  ), subtracted as (
    update usage_rollups r set requests = r.requests - l.requests, successes = r.successes - l.requests
    from locked l
    where r.org_id = l.org_id and r.step = l.step and r.bucket = l.bucket and r.series = l.series
  )
  select u.org_id, u.request_id, u.occurred_at, u.cost_usd, u.key_id from removed u;
end $$;
