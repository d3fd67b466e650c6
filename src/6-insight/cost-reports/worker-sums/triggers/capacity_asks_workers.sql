create or replace trigger capacity_asks_workers after insert or update or delete on capacity_asks
for each row
execute function worker_request_changed();
