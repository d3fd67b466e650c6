-- Stores what became of requests, and settles their authorizations. Each array holds one member of all
-- requests. Returns how many authorizations it closed. A request that is stored already stays as it is; its
-- authorization is closed if it is open. The key of a request is looked up where the caller does not know it,
-- and once more when its authorization is locked: see attribute_usage.
--
-- A request that was charged because nobody reported it in time has a record that says little. The report
-- replaces it, and keeps its time, its cost and its key: the authorization may be forgotten by then. A
-- request whose reservation was given back costs nothing, whatever is reported: the cost of a record is what
-- its key was charged, unless the release before charged it, which recorded nothing.
--
-- All writers of requests lock records first, then the sums of requests, of waits and of busy time, then
-- authorizations, and keys last, all of a kind in the order of their keys. So nobody waits in a circle. All
-- requests of a key take turns on its row, which is locked for no longer than the commit takes. With late
-- reports, the records of all requests are written without sums at first, to hold them: one of these requests
-- may be charged at this moment. Then the sums are locked, and the records are written once more.
--
-- The parameters have a prefix, because a function cannot tell a parameter from a column of the same name.
--
-- The setting `app.usage_repeated` has an array of how many further requests each stands for. Replicas of the
-- release before set none: then each stands for itself.
--
-- durable: the commit waits for the disk. Otherwise a crash of the server within the next second may lose it;
-- the reservations remain then, and are charged.
create or replace function settle_requests(
  reported_began_ms_ago float8[], reported_org_id uuid[], reported_request_id text[],
  reported_key_id uuid[], reported_logical_model text[], reported_profile_id text[],
  reported_meant_for_profile_id text[], reported_experiment_id uuid[], reported_route_generation bigint[],
  reported_decision_source text[], reported_activation_path text[], reported_classifier_profile_id text[],
  reported_status_code int[], reported_upstream_attempts int[], reported_streamed boolean[],
  reported_fallback_used boolean[], reported_deadline_missed boolean[], reported_prompt_tokens bigint[],
  reported_completion_tokens bigint[], reported_queue_ms bigint[], reported_routing_ms bigint[],
  reported_classifier_ms bigint[], reported_ttft_ms bigint[], reported_backend_ms bigint[],
  reported_end_to_end_ms bigint[], reported_mean_inter_token_ms float8[],
  reported_p95_inter_token_ms float8[], reported_cold_start_avoided_ms bigint[],
  reported_cost_usd numeric[], durable boolean
) returns int
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
declare
  late_orgs uuid[];
  late_requests text[];
  later boolean;
  written int;
  held int;
  reported_repeated int[] := nullif(current_setting('app.usage_repeated', true), '');
begin
  if not durable then
    set local synchronous_commit = off;
  end if;
  select array_agg(l.org_id), array_agg(l.request_id) into late_orgs, late_requests
  from lock_unreported_usage(reported_org_id, reported_request_id) l;
  later := late_requests is not null;
  if later then
    perform set_config('app.usage_sums', 'later', true);
  end if;
  loop
    insert into usage_records (
      occurred_at, org_id, request_id, key_id, logical_model, profile_id, meant_for_profile_id, experiment_id,
      route_generation, decision_source, activation_path, classifier_profile_id, status_code,
      upstream_attempts, streamed, fallback_used, deadline_missed, prompt_tokens, completion_tokens, queue_ms,
      routing_ms, classifier_ms, ttft_ms, backend_ms, end_to_end_ms, mean_inter_token_ms, p95_inter_token_ms,
      cold_start_avoided_ms, cost_usd, unreported, repeated
    )
    select
      statement_timestamp() - make_interval(secs => u.began_ms_ago / 1000),
      u.org_id, u.request_id, coalesce(u.key_id, (
        select z.key_id from authorizations z where z.org_id = u.org_id and z.request_id = u.request_id
      )),
      u.logical_model, u.profile_id, u.meant_for_profile_id, u.experiment_id, u.route_generation,
      u.decision_source, u.activation_path, u.classifier_profile_id, u.status_code, u.upstream_attempts,
      u.streamed, u.fallback_used, u.deadline_missed, u.prompt_tokens, u.completion_tokens, u.queue_ms,
      u.routing_ms, u.classifier_ms, u.ttft_ms, u.backend_ms, u.end_to_end_ms, u.mean_inter_token_ms,
      u.p95_inter_token_ms, u.cold_start_avoided_ms, u.cost_usd, later, coalesce(u.repeated, 0)
    from unnest(
      reported_began_ms_ago, reported_org_id, reported_request_id, reported_key_id, reported_logical_model,
      reported_profile_id, reported_meant_for_profile_id, reported_experiment_id, reported_route_generation,
      reported_decision_source, reported_activation_path, reported_classifier_profile_id,
      reported_status_code, reported_upstream_attempts, reported_streamed, reported_fallback_used,
      reported_deadline_missed, reported_prompt_tokens, reported_completion_tokens, reported_queue_ms,
      reported_routing_ms, reported_classifier_ms, reported_ttft_ms, reported_backend_ms,
      reported_end_to_end_ms, reported_mean_inter_token_ms, reported_p95_inter_token_ms,
      reported_cold_start_avoided_ms, reported_cost_usd, reported_repeated
    ) as u(
      began_ms_ago, org_id, request_id, key_id, logical_model, profile_id, meant_for_profile_id,
      experiment_id, route_generation, decision_source, activation_path, classifier_profile_id, status_code,
      upstream_attempts, streamed, fallback_used, deadline_missed, prompt_tokens, completion_tokens, queue_ms,
      routing_ms, classifier_ms, ttft_ms, backend_ms, end_to_end_ms, mean_inter_token_ms, p95_inter_token_ms,
      cold_start_avoided_ms, cost_usd, repeated
    )
    order by u.org_id, u.request_id on conflict (org_id, request_id) do nothing;
    get diagnostics written = row_count;
    held := case when later then written + cardinality(late_requests) else 0 end;
    if greatest(written, held) < cardinality(reported_request_id) and held < (
      select count(distinct (t.org_id, t.request_id))
      from unnest(reported_org_id, reported_request_id) as t(org_id, request_id)
      cross join lateral (
        select from usage_records u
        where u.org_id = t.org_id and u.request_id = t.request_id and u.unreported limit 1
      ) u
    ) then
      -- To replace its record would mean to lock it after sums.
      raise exception 'a request was charged while it was settled' using errcode = 'lock_not_available';
    end if;
    exit when not later;
    perform lock_usage_sums(reported_org_id, reported_request_id, reported_logical_model,
      reported_profile_id, reported_meant_for_profile_id);
    select array_agg(coalesce(r.cost_usd, u.cost_usd) order by u.place),
      array_agg(coalesce(
        extract(epoch from statement_timestamp() - r.occurred_at)::float8 * 1000, u.began_ms_ago
      ) order by u.place), array_agg(coalesce(r.key_id, u.key_id) order by u.place)
    into reported_cost_usd, reported_began_ms_ago, reported_key_id
    from unnest(
      reported_began_ms_ago, reported_org_id, reported_request_id, reported_cost_usd, reported_key_id
    ) with ordinality as u(began_ms_ago, org_id, request_id, cost_usd, key_id, place)
    left join take_out_unreported_usage(late_orgs, late_requests) r
      on r.org_id = u.org_id and r.request_id = u.request_id;
    delete from usage_records u
    using unnest(reported_org_id, reported_request_id) as t(org_id, request_id)
    where u.org_id = t.org_id and u.request_id = t.request_id and u.unreported;
    perform set_config('app.usage_sums', '', true);
    later := false;
  end loop;
  if array_position(reported_key_id, null) is not null then
    perform attribute_usage(reported_org_id, reported_request_id, reported_key_id);
  end if;
  return close_authorizations(reported_org_id, reported_request_id, null, reported_cost_usd);
end $$;
