-- Triggers fire in the order of their names. It is the order in which all writers lock the rows of the sums.
create or replace trigger usage_records_2_warm_waits after insert on usage_records
referencing new table as added for each statement
execute function add_warm_waits();
