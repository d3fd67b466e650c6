-- Keeps a cluster from being deleted until the transaction ends, for a statement that cannot do it in one of
-- its own. False if there is none, or while it is being deleted; it does not wait. The lock is that of
-- `holdCluster`. It is looked up after the lock is taken, by a snapshot of that moment.
create or replace function cluster_held(org uuid, cluster uuid) returns boolean
language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended(cluster::text, 0)) then
    return false;
  end if;
  return exists (select from clusters c where c.org_id = org and c.id = cluster);
end $$;
