-- Ends the stay of an artifact in a tier, and begins the next one. While a promotion is pending, the bytes
-- are still in the tier that it copies from. The bytes of a deleted or expired artifact are in no tier.
create or replace function artifact_stays_followed() returns trigger
language plpgsql as $$
declare
  was_on text;
  is_on text := case
    when new.status in ('deleted', 'expired') then null
    when new.promotion_state = 'pending' then new.promotion_from
    else new.storage_tier end;
  at timestamptz := clock_timestamp();
begin
  if tg_op = 'INSERT' then
    at := new.created_at;
  else
    was_on := case
      when old.status in ('deleted', 'expired') then null
      when old.promotion_state = 'pending' then old.promotion_from
      else old.storage_tier end;
  end if;
  if was_on is not distinct from is_on then
    return null;
  end if;
  update artifact_stays set until = greatest(since, at)
  where org_id = new.org_id and artifact_id = new.artifact_id and until is null;
  if is_on is not null then
    insert into artifact_stays (org_id, artifact_id, stay, tier, moved, since)
    select new.org_id, new.artifact_id, coalesce(max(stay), 0) + 1, is_on, was_on is not null,
      greatest(max(until), at)
    from artifact_stays where org_id = new.org_id and artifact_id = new.artifact_id;
  end if;
  return null;
end $$;
