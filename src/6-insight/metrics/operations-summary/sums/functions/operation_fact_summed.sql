-- Every new attempt is noted, so the sums have it.
create or replace function operation_fact_summed() returns trigger
language plpgsql as $$
begin
  new.summed := true;
  return new;
end $$;
