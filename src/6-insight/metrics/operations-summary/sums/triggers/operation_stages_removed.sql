create or replace trigger operation_stages_removed after delete on operation_stages
referencing old table as removed for each statement
when (current_setting('app.retention', true) is distinct from 'on')
execute function operation_stages_changed();
