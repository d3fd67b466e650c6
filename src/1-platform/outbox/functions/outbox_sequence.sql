-- Numbers committed events in the order in which they were written. One caller at a time does so for an
-- organisation, on any replica. Returns how many events got a number.
--
-- It is a function, because each of its statements must see what others committed while the statement before
-- it waited for the head. An event that is deleted meanwhile, with its cluster, gets no number: none is
-- missing.
--
-- No plan of it may read all events of an organisation. The cursor's statement is planned on each call, from
-- the size that the table has then. An update of `current of` a cursor goes to the row directly. Do not
-- disable types of plans instead: PostgreSQL 15 to 17 add 10^10 to the cost of a plan that needs a disabled
-- type, which is far above `jit_above_cost`, and compiling each plan takes 0.25 to 1 s of CPU.
create or replace function outbox_sequence(org uuid, lim int) returns int
language plpgsql as $$
declare
  waiting refcursor;
  h bigint;
  n int := 0;
begin
  select head into h from outbox_heads where org_id = org for update;
  if not found then
    insert into outbox_heads (org_id, head) values (org, 0) on conflict do nothing;
    select head into h from outbox_heads where org_id = org for update;
  end if;
  open waiting for execute
    'select from outbox_events where org_id = $1 and event_id is null order by position limit $2 for update'
    using org, lim;
  loop
    move waiting;
    exit when not found;
    update outbox_events set event_id = h + n + 1 where current of waiting;
    if found then
      n := n + 1;
    end if;
  end loop;
  close waiting;
  if n > 0 then
    update outbox_heads set head = h + n where org_id = org;
  end if;
  return n;
end $$;
