create or replace trigger checkpoint_to_count after update on actions for each row
when (
  old.status is distinct from new.status and 'ready' in (old.status, new.status)
  and new.type <> 'restore_pod' and (new.pod_id is not null or new.slurm_job_id is not null)
)
execute function checkpoint_to_count();
