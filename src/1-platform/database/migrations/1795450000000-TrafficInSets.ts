import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Admission and settlement by the set. The functions of the same names that take JSON stay: replicas that
 * have not been renewed yet call them, and requests that must be looked at one by one are left to the first.
 */
export class TrafficInSets1795450000000 implements MigrationInterface {
  name = 'TrafficInSets1795450000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    /*
     * Admits requests of one key; each array holds one member of all of them. Where the key's rate and budget
     * hold all of them, which is the rule, one statement writes all there is to write. Where they do not, who
     * comes first is what matters, and they are taken one by one. Authorizations are made in the order of
     * their ids, and waited for where somebody else makes the same: as there.
     */
    await queryRunner.query(`
      create function authorize_requests(org uuid, asking uuid, ids uuid[], requests text[], models text[], generations bigint[],
        reservations numeric[], lives_ms float8[], held_ms float8[], profiles text[])
      returns table (place int, outcome text, id uuid, route_generation bigint, expires_at timestamptz, wait_ms float8)
      language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '1s' as $f$
      #variable_conflict use_column
      declare
        k inference_keys;
        at timestamptz;
        tokens float8;
        granted int;
      begin
        select * into k from inference_keys where org_id = org and id = asking for no key update;
        at := clock_timestamp();
        tokens := least(k.rate_limit_rps,
          k.bucket_tokens + greatest(extract(epoch from at - k.bucket_at), 0) * k.rate_limit_rps);
        if k.id is null or k.revoked_at is not null or tokens < cardinality(ids)
          or k.spent_usd + k.overrun_usd + k.reserved_usd + (select sum(usd) from unnest(reservations) usd) > k.budget_usd
        then
          return query select a.* from authorize_requests(org, asking, (
            select json_agg(json_build_object('place', t.place, 'id', t.id, 'request_id', t.request_id, 'logical_model', t.logical_model,
              'route_generation', t.route_generation, 'reserved_usd', t.reserved_usd, 'lives_ms', t.lives_ms, 'held_ms', t.held_ms,
              'profile_id', t.profile_id))
            from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles) with ordinality
              as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, place)
          )) a;
          return;
        end if;
        return query
        with asked as materialized (
          select * from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles) with ordinality
            as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, place)
        ), made as (
          insert into authorizations as z (org_id, id, key_id, request_id, logical_model, route_generation, reserved_usd, created_at,
            expires_at, resolved_at, profile_id, held_until)
          select org, a.id, asking, a.request_id, a.logical_model, a.route_generation, a.reserved_usd, at,
            at + make_interval(secs => a.lives_ms / 1000), case when a.profile_id is not null then at end, a.profile_id,
            at + make_interval(secs => a.held_ms / 1000)
          from asked a order by a.request_id, a.place
          on conflict (org_id, request_id) do nothing
          returning z.id, z.route_generation, z.reserved_usd, z.expires_at
        ), entered as (
          insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
          select org, asking, m.id, 'reserve', m.reserved_usd, 0, 0, at from made m
        ), counted as (
          update inference_keys set reserved_usd = k.reserved_usd + m.usd, bucket_tokens = coalesce(tokens - m.count, k.bucket_tokens),
            bucket_at = at
          from (select count(*) as count, sum(reserved_usd) as usd from made) m
          where org_id = org and id = asking and m.count > 0
        )
        select a.place::int, 'authorized', m.id, m.route_generation, m.expires_at, null::float8 from made m join asked a on a.id = m.id;
        get diagnostics granted = row_count;
        if granted < cardinality(ids) then
          return query
          select a.place::int, case when z.key_id = asking and z.logical_model = a.logical_model then 'authorized' else 'taken' end,
            z.id, z.route_generation, z.expires_at, null::float8
          from unnest(ids, requests, models) with ordinality as a(id, request_id, logical_model, place)
          left join lateral (
            select * from authorizations o where o.org_id = org and o.request_id = a.request_id limit 1
          ) z on true
          where z.id is distinct from a.id;
        end if;
      end $f$`);
    /*
     * Closes authorizations that are open, by what became of them, and moves the counters of their keys.
     * Each is found by its key, whatever the planner takes the tables for, and written where it was found:
     * by a statement of its own, which sees what was committed while the one before it waited. Whoever
     * settles at the same time takes authorizations in the same order, and keys behind them, in one order
     * too; these are held for no longer than the commit takes.
     */
    await queryRunner.query(`
      create function close_authorizations(orgs uuid[], requests text[], kinds text[], costs numeric[]) returns int
      language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '1s' as $f$
      declare
        places tid[];
        owners uuid[];
        asking uuid[];
        ids uuid[];
        ends text[];
        released numeric[];
        prices numeric[];
        at timestamptz;
        m record;
      begin
        with due as materialized (
          select distinct on (t.org_id, t.request_id) t.org_id, t.request_id, coalesce(t.kind, 'settle') as kind, t.cost_usd
          from unnest(orgs, requests, kinds, costs) as t(org_id, request_id, kind, cost_usd) order by t.org_id, t.request_id
        )
        select array_agg(z.place), array_agg(d.org_id), array_agg(z.key_id), array_agg(z.id), array_agg(d.kind), array_agg(z.reserved_usd),
          array_agg(d.cost_usd)
        into places, owners, asking, ids, ends, released, prices
        from due d cross join lateral (
          select a.ctid as place, a.id, a.key_id, a.reserved_usd from authorizations a
          where a.org_id = d.org_id and a.request_id = d.request_id and coalesce(a.settled_at, 'infinity') = 'infinity'
          limit 1 for no key update
        ) z;
        if places is null then
          return 0;
        end if;
        at := clock_timestamp();
        for m in
          with closed as (
            update authorizations set settled_at = at where ctid = any (places)
          ), entered as (
            insert into ledger_entries as e (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
            select h.org_id, h.key_id, h.id, h.kind, -h.reserved_usd, least(h.cost_usd, h.reserved_usd),
              greatest(h.cost_usd - h.reserved_usd, 0), at
            from unnest(owners, asking, ids, ends, released, prices) as h(org_id, key_id, id, kind, reserved_usd, cost_usd)
            returning e.org_id, e.key_id, e.reserved_usd, e.spent_usd, e.overrun_usd
          )
          select org_id, key_id, sum(reserved_usd) as reserved_usd, sum(spent_usd) as spent_usd, sum(overrun_usd) as overrun_usd
          from entered group by org_id, key_id order by org_id, key_id
        loop
          update inference_keys k set reserved_usd = k.reserved_usd + m.reserved_usd, spent_usd = k.spent_usd + m.spent_usd,
            overrun_usd = k.overrun_usd + m.overrun_usd
          where k.org_id = m.org_id and k.id = m.key_id;
        end loop;
        return cardinality(places);
      end $f$`);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop function close_authorizations(uuid[], text[], text[], numeric[])');
    await queryRunner.query(
      'drop function authorize_requests(uuid, uuid, uuid[], text[], text[], bigint[], numeric[], float8[], float8[], text[])',
    );
  }
}
