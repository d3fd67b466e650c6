create or replace trigger starts_worker_changed after update on starts
for each row when (
  (old.ended_at is not null or new.ended_at is not null)
  and (old.profile_id, old.began_at, old.ready_at, old.ended_at, old.pod_uid)
    is distinct from (new.profile_id, new.began_at, new.ready_at, new.ended_at, new.pod_uid)
)
execute function worker_changed();
