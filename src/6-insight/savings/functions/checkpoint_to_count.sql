-- Notes that the checkpoint of a workload became ready; the sweep of savings counts it. An action that was
-- ready and goes on with a further container was counted, or will be: with `taken_back`, the sweep adds up
-- its workload from the beginning.
create or replace function checkpoint_to_count() returns trigger
language plpgsql as $$
begin
  insert into uncounted_checkpoints (org_id, id, cluster_id, workload, action_id, taken_back)
  values (new.org_id, gen_random_uuid(), new.cluster_id,
    coalesce(new.pod_id::text, new.slurm_job_id::text), new.id, old.status = 'ready');
  return null;
end $$;
