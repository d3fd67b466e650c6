-- Notes a change of a start that has ended: the sums of its workers' times are not right from its beginning
-- on. A start in progress is in no sum.
create or replace function worker_changed() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.ended_at is not null then
    insert into worker_changes (org_id, id, profile_id, since, request)
    values (old.org_id, gen_random_uuid(), old.profile_id, old.began_at, false);
  end if;
  if tg_op <> 'DELETE' and new.ended_at is not null then
    insert into worker_changes (org_id, id, profile_id, since, request)
    values (new.org_id, gen_random_uuid(), new.profile_id, new.began_at, false);
  end if;
  return null;
end $$;
