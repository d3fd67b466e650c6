-- Not by retention: its time was summed, and stays so.
create or replace trigger starts_worker_removed after delete on starts
for each row when (old.ended_at is not null and current_setting('app.retention', true) is distinct from 'on')
execute function worker_changed();
