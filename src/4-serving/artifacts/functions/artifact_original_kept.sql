-- What is promoted out of the object storage of the service is copied: the original stays, also for agents
-- that do not name the node of the copy, and for a build that does not know the column.
create or replace function artifact_original_kept() returns trigger
language plpgsql as $$
begin
  new.original_tier := new.promotion_from;
  return new;
end $$;
