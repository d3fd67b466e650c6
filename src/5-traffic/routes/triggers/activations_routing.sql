create or replace trigger activations_routing after insert on activations for each row
execute function routing_changed('profile');
