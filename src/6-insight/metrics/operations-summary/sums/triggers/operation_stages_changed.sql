create or replace trigger operation_stages_changed after update on operation_stages
referencing old table as removed new table as added for each statement
execute function operation_stages_changed();
