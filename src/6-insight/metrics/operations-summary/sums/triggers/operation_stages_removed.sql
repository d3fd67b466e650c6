create or replace trigger operation_stages_removed after delete on operation_stages
referencing old table as removed for each statement
execute function operation_stages_changed();
