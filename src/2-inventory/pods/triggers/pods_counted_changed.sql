create or replace trigger pods_counted_changed after update on pods
referencing old table as removed new table as added for each statement
execute function count_pods();
