-- Bytes that can be restored from again are not gone, also for a build that does not know the column.
create or replace function artifact_bytes_returned() returns trigger
language plpgsql as $$
begin
  new.bytes_removed_at := null;
  return new;
end $$;
