-- Tells every replica at the commit that what routes of an organisation are decided on has changed, whoever
-- changes it. Replicas then read their routing tables again. The trigger's argument says whose row it is:
-- `route`, or `profile`, which counts only where a route names the profile.
create or replace function routing_changed() returns trigger
language plpgsql as $$
begin
  if tg_argv[0] = 'route' then
    perform pg_notify('routing_changed', new.org_id::text);
  elsif exists (
    select from route_targets t where t.org_id = new.org_id and t.profile_id = new.profile_id
    union all
    select from routes r where r.org_id = new.org_id and r.classifier_profile_id = new.profile_id
  ) then
    perform pg_notify('routing_changed', new.org_id::text);
  end if;
  return null;
end $$;
