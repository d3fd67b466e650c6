-- Not what retention removes: nothing that is summed anew depends on it.
create or replace trigger capacity_asks_workers after insert or update or delete on capacity_asks
for each row when (current_setting('app.retention', true) is distinct from 'on')
execute function worker_request_changed();
