create or replace trigger operation_stages_added after insert on operation_stages
referencing new table as added for each statement
execute function operation_stages_changed();
