-- Notes what a change of an attempt takes from the sums, and what it adds to them. The sums have its stages
-- while it has succeeded. A new attempt has none yet. One that is deleted is noted before: afterwards its
-- stages are gone as well.
create or replace function operation_fact_changed() returns trigger
language plpgsql as $$
declare
  moves_stages boolean;
begin
  if tg_op = 'DELETE' then
    perform note_operation(old, -1, true);
    return old;
  end if;
  if tg_op = 'INSERT' then
    perform note_operation(new, 1, false);
    return null;
  end if;
  moves_stages := (old.summed, old.result, old.started_at, old.op_type, old.workload_type)
    is distinct from (new.summed, new.result, new.started_at, new.op_type, new.workload_type);
  if old.summed then
    perform note_operation(old, -1, moves_stages);
  end if;
  if new.summed then
    perform note_operation(new, 1, moves_stages);
  end if;
  return null;
end $$;
