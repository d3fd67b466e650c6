-- What is no longer right for short sums is not right for those that contain them.
create or replace function longer_sums_lowered() returns trigger
language plpgsql as $$
begin
  new.longer_until := new.until;
  return new;
end $$;
