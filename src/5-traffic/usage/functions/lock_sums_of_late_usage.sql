-- Locks the sums of requests that are about to be stored, if one of them replaces a record that nobody had
-- reported: those that lose the record, and those that gain requests. In the order of their keys, as the
-- triggers of usage_records lock them. Otherwise the record would be taken out of sums of its day that others
-- add to, while sums are held that they wait for. Each array holds one member of all requests.
create or replace function lock_sums_of_late_usage(
  began_ms_ago float8[], orgs uuid[], requests text[], models text[], profiles text[], meant_for text[]
) returns void
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  if not exists (
    select from unnest(orgs, requests) as t(org_id, request_id)
    join usage_records u on u.org_id = t.org_id and u.request_id = t.request_id where u.unreported
  ) then
    return;
  end if;
  insert into usage_rollups as r (org_id, step, bucket, series, logical_model, profile_id,
    meant_for_profile_id, requests, successes, refusals, fallbacks, deadline_misses, prompt_tokens,
    completion_tokens, cold_start_avoided_ms, backend_count, backend_ms, fallback_backend_ms,
    routing_count, routing_ms, ttft_count, ttft_ms, timed_tokens, timed_ms)
  select distinct on (m.org_id, s.step, bucket, series) m.org_id, s.step,
    date_bin(make_interval(secs => s.step), m.occurred_at, 'epoch'::timestamptz) as bucket,
    md5(array[m.logical_model, m.profile_id, m.meant_for_profile_id]::text)::uuid as series,
    m.logical_model, m.profile_id, m.meant_for_profile_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  from unnest(began_ms_ago, orgs, requests, models, profiles, meant_for)
    as t(began_ms_ago, org_id, request_id, logical_model, profile_id, meant_for_profile_id)
  left join usage_records u on u.org_id = t.org_id and u.request_id = t.request_id
  cross join lateral (
    select t.org_id,
      coalesce(u.occurred_at, statement_timestamp() - make_interval(secs => t.began_ms_ago / 1000)),
      t.logical_model, t.profile_id, t.meant_for_profile_id
    union all
    select u.org_id, u.occurred_at, u.logical_model, u.profile_id, u.meant_for_profile_id where u.unreported
  ) m(org_id, occurred_at, logical_model, profile_id, meant_for_profile_id)
  cross join (values (60), (900), (3600), (86400), (864000)) s(step)
  where u.unreported is not false
  order by m.org_id, s.step, bucket, series
  on conflict (org_id, step, bucket, series) do update set series = r.series;
end $$;
