create or replace trigger starts_routing after insert on starts for each row
execute function routing_changed('profile');
