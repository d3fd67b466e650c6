create or replace trigger artifacts_moved_routing after update on artifacts for each row
when ((old.status in ('ready', 'golden')) is distinct from (new.status in ('ready', 'golden')))
execute function routing_changed('profile');
