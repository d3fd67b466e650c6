create or replace trigger starts_worker_removed after delete on starts
for each row when (old.ended_at is not null)
execute function worker_changed();
