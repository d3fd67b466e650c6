-- Bytes that can be restored from again are not gone, also for a build that does not know these columns.
-- Nobody says whether the original of a copy came back too.
create or replace function artifact_bytes_returned() returns trigger
language plpgsql as $$
begin
  new.bytes_removed_at := null;
  new.original_tier := null;
  return new;
end $$;
