-- The keys whose rows others hold, among those of the first `most` authorizations that are due, sent to a
-- worker or not, and among those that come next once they are passed over. A round that leaves them out waits
-- for nobody, whatever the organisation.
--
-- It gives its own locks back before it returns: whoever closes authorizations locks keys last.
create or replace function held_keys(sent boolean, most int) returns setof uuid
language plpgsql
set enable_seqscan = off
as $$
declare
  held uuid[] := '{}';
  more uuid[];
begin
  loop
    begin
      select array_agg(due.key_id) into more
      from (
        select distinct org_id, key_id from (
          select org_id, key_id from authorizations
          where settled_at is null and (resolved_at is not null) = sent
            and held_until <= (select clock_timestamp()) and key_id <> all (held)
          order by held_until limit most
        ) first
      ) due
      left join lateral (
        select true as free from inference_keys k where k.org_id = due.org_id and k.id = due.key_id
        for no key update skip locked
      ) k on true
      where k.free is null;
      raise exception 'the locks are given back' using errcode = 'CPK00';
    exception when sqlstate 'CPK00' then
      null;
    end;
    exit when more is null;
    held := held || more;
  end loop;
  return query select unnest(held);
end $$;
