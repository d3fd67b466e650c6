-- Notes which checkpoints are gone whose bytes may still be in a store. Without it, the agent that holds them
-- could not tell them from those that people keep, or that a database from a backup does not know yet. It is
-- called once for all that go with their cluster, and writes rows in the order of their keys, so that two
-- callers wait for each other in one direction only.
create or replace function checkpoint_forgotten() returns trigger
language plpgsql as $$
begin
  insert into forgotten_checkpoints (org_id, id, cluster_id, restore_path)
  select org_id, id, cluster_id, restore_path from removed
  where claimed and bytes_removed_at is null
  order by org_id, id
  on conflict do nothing;
  return null;
end $$;
