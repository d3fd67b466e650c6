create or replace trigger starts_worker_added after insert on starts
for each row when (new.ended_at is not null)
execute function worker_changed();
