create or replace trigger experiments_moved_routing after update of status on experiments for each row
when (new.profile_id is not null and old.status <> new.status)
execute function routing_changed('profile');
