create or replace trigger profiles_routing after update on profiles for each row
when (old.enabled <> new.enabled)
execute function routing_changed('profile');
