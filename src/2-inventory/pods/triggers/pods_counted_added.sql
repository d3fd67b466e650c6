create or replace trigger pods_counted_added after insert on pods
referencing new table as added for each statement
execute function count_pods();
