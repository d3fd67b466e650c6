create or replace trigger capacity_intents_routing after insert on capacity_intents for each row
execute function routing_changed('profile');
