-- Keeps the unit prices that an update replaces. Of several in one millisecond, the first ones count.
create or replace function keep_past_rates() returns trigger
language plpgsql as $$
begin
  insert into past_cost_rates (org_id, profile_id, until, node_hourly_usd, storage_gb_hour_usd,
    transfer_gb_usd)
  values (old.org_id, old.profile_id, clock_timestamp(), old.node_hourly_usd, old.storage_gb_hour_usd,
    old.transfer_gb_usd)
  on conflict (org_id, profile_id, until) do nothing;
  return null;
end $$;
