-- A worker that has failed holds no node any more, and reports count it so while its end is not known. So the
-- end that is given later, by whomever, changes no time that was counted. What was ready after a failure had
-- not failed: what is known to serve again is another start, so only a failure that is reported late, and
-- replicas of the release before, have both in one.
create or replace function start_ended_when_failed() returns trigger
language plpgsql as $$
begin
  if new.ready_at > new.failed_at then
    new.failed_at := null;
  end if;
  if new.ready_at > new.reported_failed_at then
    new.reported_failed_at := null;
  end if;
  if new.ended_at > new.failed_at then
    new.ended_at := greatest(new.began_at, new.failed_at);
  end if;
  return new;
end $$;
