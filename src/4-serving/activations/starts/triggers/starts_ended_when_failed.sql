-- Also for replicas of the release before, which write the later time.
create or replace trigger starts_ended_when_failed before insert or update on starts
for each row when (
  new.ended_at > new.failed_at or new.ready_at > new.failed_at or new.ready_at > new.reported_failed_at
)
execute function start_ended_when_failed();
