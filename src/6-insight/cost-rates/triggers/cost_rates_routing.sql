create or replace trigger cost_rates_routing after insert or update on cost_rates for each row
execute function routing_changed('profile');
