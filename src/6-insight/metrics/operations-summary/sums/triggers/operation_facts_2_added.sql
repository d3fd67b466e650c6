create or replace trigger operation_facts_2_added after insert on operation_facts
for each row when (new.summed)
execute function operation_fact_changed();
