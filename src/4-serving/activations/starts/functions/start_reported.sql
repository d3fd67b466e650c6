-- What a report of a controller does to the starts of its profile, at the time of the report. The caller
-- holds the row of the activation. A start ends before the next one begins.
--
-- current_start: the one that is current afterwards, if any. ended_start: the only one that ends; null: all
-- that are open and not of a later generation, or all that are open (ends_all).
create or replace function start_reported(
  org uuid, profile text, reported_at timestamptz, reported_generation bigint, current_start uuid,
  ends boolean, ended_start uuid, ends_all boolean, begins boolean, beginning_seen boolean,
  becomes_ready boolean, fails boolean
) returns void
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
begin
  if ends then
    update starts s
    set ended_at = greatest(reported_at, s.began_at), reported_ended_at = greatest(reported_at, s.began_at)
    where s.org_id = org and s.profile_id = profile and s.ended_at is null
      and case
        when ended_start is not null then s.id = ended_start
        else ends_all or s.generation <= reported_generation
      end;
  end if;
  if begins then
    insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, failed_at,
      reported_began_at, beginning_reported, reported_ready_at, reported_failed_at)
    values (org, current_start, profile, reported_generation, reported_at, start_reported.beginning_seen,
      case when becomes_ready then reported_at end, case when fails then reported_at end,
      reported_at, start_reported.beginning_seen,
      case when becomes_ready then reported_at end, case when fails then reported_at end);
  elsif becomes_ready or fails then
    update starts s set
      ready_at = coalesce(s.ready_at, case when becomes_ready then greatest(reported_at, s.began_at) end),
      failed_at = coalesce(s.failed_at, case when fails then greatest(reported_at, s.began_at) end),
      reported_ready_at = coalesce(s.reported_ready_at,
        case when becomes_ready then greatest(reported_at, s.began_at) end),
      reported_failed_at = coalesce(s.reported_failed_at,
        case when fails then greatest(reported_at, s.began_at) end)
    where s.org_id = org and s.id = current_start;
  end if;
end $$;
