-- Charges the reservations of requests that were sent to a worker and that nobody settled in time, and
-- records their usage: what is known of them, and the reservation as their cost. So the usage of a key adds
-- up to its ledger. Takes at most `most` of them, and returns how many it found. It leaves out those of the
-- keys in the setting `app.held_keys`, a list, for whose rows it would wait: see held_keys.
--
-- A request whose result is recorded already costs what its record says: its admission was committed after
-- its caller had given it up, and after the settlement that found no authorization.
--
-- It locks no authorization before it has written the records. A settlement of the same requests writes its
-- records first too, then sums, authorizations and keys. Whoever comes second finds the record of the other
-- one, and the authorization closed.
create or replace function charge_unsettled(most int) returns int
language plpgsql
set enable_seqscan = off
as $$
declare
  held uuid[] := coalesce(nullif(current_setting('app.held_keys', true), ''), '{}');
  orgs uuid[];
  requests text[];
  prices numeric[];
  kinds text[];
  count int;
begin
  select array_agg(org_id), array_agg(request_id), array_agg(reserved_usd) into orgs, requests, prices
  from (
    select org_id, request_id, reserved_usd from authorizations
    where settled_at is null and resolved_at is not null and held_until <= (select clock_timestamp())
      and key_id <> all (held)
    order by held_until limit most
  ) due;
  if orgs is null then
    return 0;
  end if;
  count := cardinality(orgs);
  insert into usage_records (occurred_at, org_id, request_id, key_id, logical_model, profile_id,
    route_generation, streamed, fallback_used, deadline_missed, cold_start_avoided_ms, cost_usd, unreported)
  select z.created_at, z.org_id, z.request_id, z.key_id, z.logical_model, z.profile_id, z.route_generation,
    false, false, false, 0, z.reserved_usd, true
  from unnest(orgs, requests) as due(org_id, request_id)
  join authorizations z on z.org_id = due.org_id and z.request_id = due.request_id and z.settled_at is null
  order by z.org_id, z.request_id on conflict (org_id, request_id) do nothing;
  select array_agg(due.org_id), array_agg(due.request_id),
    array_agg(case when u.unreported then due.reserved_usd else u.cost_usd end),
    array_agg(case when u.unreported then 'charge' else 'settle' end)
  into orgs, requests, prices, kinds
  from unnest(orgs, requests, prices) as due(org_id, request_id, reserved_usd)
  join usage_records u on u.org_id = due.org_id and u.request_id = due.request_id;
  perform close_authorizations(orgs, requests, kinds, prices);
  return count;
end $$;
