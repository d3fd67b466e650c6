-- Requests belong to the experiment that runs on the profile that serves them. Routing tables name it.
create or replace trigger experiments_routing after insert on experiments for each row
when (new.profile_id is not null)
execute function routing_changed('profile');
