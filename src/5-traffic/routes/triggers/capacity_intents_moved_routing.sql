create or replace trigger capacity_intents_moved_routing after update on capacity_intents for each row
when (old.status is distinct from new.status or old.generation is distinct from new.generation)
execute function routing_changed('profile');
