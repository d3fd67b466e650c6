-- Triggers fire in the order of their names. It is the order in which all writers lock the rows of the sums.
create or replace trigger usage_records_3_busy_time after insert on usage_records
referencing new table as added for each statement
execute function add_busy_time();
