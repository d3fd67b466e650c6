-- Notes a request for replicas. It changes the figures of the starts of its profile that ended after it.
-- These are looked up when the sums are read or computed: here, one that another transaction ends would be
-- missed.
create or replace function worker_request_changed() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into worker_changes (org_id, id, profile_id, since, request)
    values (old.org_id, gen_random_uuid(), old.profile_id, old.requested_at, true);
  end if;
  if tg_op <> 'DELETE' then
    insert into worker_changes (org_id, id, profile_id, since, request)
    values (new.org_id, gen_random_uuid(), new.profile_id, new.requested_at, true);
  end if;
  return null;
end $$;
