create or replace trigger starts_moved_routing after update on starts for each row
when (
  (old.ready_at, old.failed_at, old.ended_at, old.pod_uid, old.artifact_id, old.restore_checkpoint_path,
    old.restore_failed_at)
  is distinct from (new.ready_at, new.failed_at, new.ended_at, new.pod_uid, new.artifact_id,
    new.restore_checkpoint_path, new.restore_failed_at)
)
execute function routing_changed('profile');
