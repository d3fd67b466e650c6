-- Closes open authorizations and moves the counters of their keys. Each array holds one member of all of
-- them. Returns how many it closed; those that are unknown or closed already are skipped. `kinds` are the
-- kinds of the entries in the ledger, by default `settle`.
--
-- It finds each authorization by its key, whatever the planner assumes about the size of the tables, and then
-- writes the row that it locked: by a statement of its own, which sees what was committed while the first one
-- waited. All callers lock authorizations in the same order, and keys after them, in one order too. Keys are
-- locked for no longer than the commit takes.
create or replace function close_authorizations(orgs uuid[], requests text[], kinds text[], costs numeric[])
returns int
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
set lock_timeout = '1s'
as $$
declare
  places tid[];
  unused tid[];
  owners uuid[];
  owing_keys uuid[];
  ids uuid[];
  ends text[];
  reserved numeric[];
  prices numeric[];
  at timestamptz;
  m record;
begin
  with due as materialized (
    select distinct on (t.org_id, t.request_id)
      t.org_id, t.request_id, coalesce(t.kind, 'settle') as kind, t.cost_usd
    from unnest(orgs, requests, kinds, costs) as t(org_id, request_id, kind, cost_usd)
    order by t.org_id, t.request_id
  )
  select array_agg(z.place), array_agg(z.place) filter (where d.kind = 'release'), array_agg(d.org_id),
    array_agg(z.key_id), array_agg(z.id), array_agg(d.kind), array_agg(z.reserved_usd), array_agg(d.cost_usd)
  into places, unused, owners, owing_keys, ids, ends, reserved, prices
  from due d cross join lateral (
    select a.ctid as place, a.id, a.key_id, a.reserved_usd from authorizations a
    where a.org_id = d.org_id and a.request_id = d.request_id
      and coalesce(a.settled_at, 'infinity') = 'infinity'
    limit 1 for no key update
  ) z;
  if places is null then
    return 0;
  end if;
  at := clock_timestamp();
  for m in
    with closed as (
      update authorizations set settled_at = at, released = coalesce(ctid = any (unused), false)
      where ctid = any (places)
    ), entered as (
      insert into ledger_entries as e (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd,
        overrun_usd, occurred_at)
      select h.org_id, h.key_id, h.id, h.kind, -h.reserved_usd, least(h.cost_usd, h.reserved_usd),
        greatest(h.cost_usd - h.reserved_usd, 0), at
      from unnest(owners, owing_keys, ids, ends, reserved, prices)
        as h(org_id, key_id, id, kind, reserved_usd, cost_usd)
      returning e.org_id, e.key_id, e.reserved_usd, e.spent_usd, e.overrun_usd
    )
    select org_id, key_id, sum(reserved_usd) as reserved_usd, sum(spent_usd) as spent_usd,
      sum(overrun_usd) as overrun_usd
    from entered group by org_id, key_id order by org_id, key_id
  loop
    update inference_keys k set reserved_usd = k.reserved_usd + m.reserved_usd,
      spent_usd = k.spent_usd + m.spent_usd, overrun_usd = k.overrun_usd + m.overrun_usd
    where k.org_id = m.org_id and k.id = m.key_id;
  end loop;
  return cardinality(places);
end $$;
