create or replace trigger operation_facts_1_summed before insert on operation_facts
for each row when (not new.summed)
execute function operation_fact_summed();
