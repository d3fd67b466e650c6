-- Before the row: afterwards its stages are gone. Not by retention: an attempt was summed, and stays so.
create or replace trigger operation_facts_2_removed before delete on operation_facts
for each row when (old.summed and current_setting('app.retention', true) is distinct from 'on')
execute function operation_fact_changed();
