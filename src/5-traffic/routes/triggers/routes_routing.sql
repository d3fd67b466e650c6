create or replace trigger routes_routing after insert or update on routes for each row
execute function routing_changed('route');
