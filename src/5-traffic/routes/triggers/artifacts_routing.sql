create or replace trigger artifacts_routing after insert on artifacts for each row
execute function routing_changed('profile');
