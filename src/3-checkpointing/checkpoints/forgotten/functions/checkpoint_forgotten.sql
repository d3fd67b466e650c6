-- Notes that a checkpoint is gone whose bytes may still be in a store. Without it, the agent that holds them
-- could not tell them from those that people keep, or that a database from a backup does not know yet.
create or replace function checkpoint_forgotten() returns trigger
language plpgsql as $$
begin
  insert into forgotten_checkpoints (org_id, id, cluster_id, restore_path)
  values (old.org_id, old.id, old.cluster_id, old.restore_path)
  on conflict do nothing;
  return null;
end $$;
