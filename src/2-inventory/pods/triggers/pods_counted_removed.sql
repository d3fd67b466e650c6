create or replace trigger pods_counted_removed after delete on pods
referencing old table as removed for each statement
execute function count_pods();
