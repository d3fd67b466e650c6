-- Locks the sums that lose or gain requests when unreported records of these requests are replaced by their
-- reports, in the order of their keys, as the triggers of usage_records lock them. Each array holds one
-- member of all requests. It makes those that do not exist, without a request.
create or replace function lock_usage_sums(
  orgs uuid[], requests text[], models text[], profiles text[], meant_for text[]
) returns void
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  insert into usage_rollups as r (org_id, step, bucket, series, logical_model, profile_id,
    meant_for_profile_id, requests, successes, refusals, fallbacks, deadline_misses, prompt_tokens,
    completion_tokens, cold_start_avoided_ms, backend_count, backend_ms, fallback_backend_ms,
    routing_count, routing_ms, ttft_count, ttft_ms, timed_tokens, timed_ms)
  select distinct on (u.org_id, s.step, bucket, series) u.org_id, s.step,
    date_bin(make_interval(secs => s.step), u.occurred_at, 'epoch'::timestamptz) as bucket,
    md5(array[m.logical_model, m.profile_id, m.meant_for_profile_id]::text)::uuid as series,
    m.logical_model, m.profile_id, m.meant_for_profile_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  from unnest(orgs, requests, models, profiles, meant_for)
    as t(org_id, request_id, logical_model, profile_id, meant_for_profile_id)
  join usage_records u on u.org_id = t.org_id and u.request_id = t.request_id and u.unreported
  cross join lateral (
    values (u.logical_model, u.profile_id, u.meant_for_profile_id),
      (t.logical_model, t.profile_id, t.meant_for_profile_id)
  ) m(logical_model, profile_id, meant_for_profile_id)
  cross join (values (60), (900), (3600), (86400), (864000)) s(step)
  order by u.org_id, s.step, bucket, series
  -- Locked, and not written.
  on conflict (org_id, step, bucket, series) do update set series = r.series where false;
end $$;
