-- Before the row: afterwards its stages are gone.
create or replace trigger operation_facts_2_removed before delete on operation_facts
for each row when (old.summed)
execute function operation_fact_changed();
