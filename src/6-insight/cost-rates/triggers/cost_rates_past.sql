create or replace trigger cost_rates_past after update on cost_rates for each row
when ((old.node_hourly_usd, old.storage_gb_hour_usd, old.transfer_gb_usd)
  is distinct from (new.node_hourly_usd, new.storage_gb_hour_usd, new.transfer_gb_usd))
execute function keep_past_rates();
