import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/** What requests ask for, as arrays and as JSON. */
const ASKED =
  'ids uuid[], requests text[], models text[], generations bigint[], reservations numeric[], lives_ms float8[], held_ms float8[], profiles text[], prompts bigint[]';
const ARRAYS = 'ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts';
const MEMBERS =
  'id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, prompt_tokens, place';
const AS_JSON = `json_agg(json_build_object('place', t.place, 'id', t.id, 'request_id', t.request_id, 'logical_model', t.logical_model,
  'route_generation', t.route_generation, 'reserved_usd', t.reserved_usd, 'lives_ms', t.lives_ms, 'held_ms', t.held_ms,
  'profile_id', t.profile_id, 'prompt_tokens', t.prompt_tokens))`;

/*
 * As `authorize_requests` admits requests, which replicas of an older build still call. It also knows
 * what a request said of its prompt, so that another request under the same id is found out; and an id
 * whose authorization has expired unused gets a new one.
 */
const ADMIT_REQUESTS = `
  create function admit_requests(org uuid, asking uuid, ${ASKED})
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
      return query select a.* from admit_requests(org, asking, (
        select ${AS_JSON} from unnest(${ARRAYS}) with ordinality as t(${MEMBERS})
      )) a;
      return;
    end if;
    return query
    with asked as materialized (
      select t.* from unnest(${ARRAYS}) with ordinality as t(${MEMBERS})
      left join lateral (
        select true as there from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
      ) known on true
      where known.there is null
    ), made as (
      insert into authorizations as z (org_id, id, key_id, request_id, logical_model, prompt_tokens, route_generation, reserved_usd, created_at,
        expires_at, resolved_at, profile_id, held_until)
      select org, a.id, asking, a.request_id, a.logical_model, a.prompt_tokens, a.route_generation, a.reserved_usd, at,
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
      select a.* from admit_requests(org, asking, (
        select ${AS_JSON} from unnest(${ARRAYS}) with ordinality as t(${MEMBERS})
        left join lateral (
          select o.id from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
        ) z on true
        where z.id is distinct from t.id
      )) a;
    end if;
  end $f$`;

/*
 * The same one by one, where rate or budget do not hold all, or ids are known. Nobody waits here for an
 * authorization that others hold: they may wait for the key. One that has expired and is not closed yet is
 * therefore closed by the caller first (outcome \`expired\`).
 */
const ADMIT_ONE_BY_ONE = `
  create function admit_requests(org uuid, asking uuid, asked json)
  returns table (place int, outcome text, id uuid, route_generation bigint, expires_at timestamptz, wait_ms float8)
  language plpgsql set enable_seqscan = off set lock_timeout = '1s' as $f$
  #variable_conflict use_column
  declare
    k inference_keys;
    r record;
    z authorizations;
    at timestamptz;
    known boolean;
    unused boolean;
    granted int := 0;
  begin
    select * into k from inference_keys where org_id = org and id = asking for no key update;
    at := clock_timestamp();
    if k.rate_limit_rps is not null then
      k.bucket_tokens := least(k.rate_limit_rps,
        k.bucket_tokens + greatest(extract(epoch from at - k.bucket_at), 0) * k.rate_limit_rps);
    end if;
    for r in
      select * from json_to_recordset(asked) as a(place int, id uuid, request_id text, logical_model text, route_generation bigint,
        reserved_usd numeric(24, 12), lives_ms float8, held_ms float8, profile_id text, prompt_tokens bigint) order by a.request_id, a.place
    loop
      place := r.place;
      wait_ms := null;
      select * into z from authorizations where org_id = org and request_id = r.request_id;
      known := found;
      unused := known and z.resolved_at is null and z.expires_at <= at and coalesce(z.settled_at >= z.held_until, true);
      if unused and z.settled_at is null then
        outcome := 'expired';
      elsif known and not unused then
        outcome := case
          when z.key_id = asking and z.logical_model = r.logical_model and z.prompt_tokens is not distinct from r.prompt_tokens
          then 'authorized' else 'taken' end;
      elsif k.id is null or k.revoked_at is not null then
        outcome := 'revoked';
      elsif k.rate_limit_rps is not null and k.bucket_tokens < 1 then
        outcome := 'rate';
        wait_ms := (1 - k.bucket_tokens) * 1000 / k.rate_limit_rps;
      elsif k.budget_usd is not null and k.spent_usd + k.overrun_usd + k.reserved_usd + r.reserved_usd > k.budget_usd then
        outcome := 'budget';
      else
        if unused then
          update authorizations set id = r.id, renewed_from = z.id, key_id = asking, logical_model = r.logical_model,
            prompt_tokens = r.prompt_tokens, route_generation = r.route_generation, reserved_usd = r.reserved_usd, created_at = at,
            expires_at = at + make_interval(secs => r.lives_ms / 1000), profile_id = r.profile_id,
            resolved_at = case when r.profile_id is not null then at end,
            held_until = at + make_interval(secs => r.held_ms / 1000), settled_at = null
          where org_id = org and id = z.id and settled_at is not null and resolved_at is null returning * into z;
        else
          insert into authorizations (org_id, id, key_id, request_id, logical_model, prompt_tokens, route_generation, reserved_usd,
            created_at, expires_at, resolved_at, profile_id, held_until)
          values (org, r.id, asking, r.request_id, r.logical_model, r.prompt_tokens, r.route_generation, r.reserved_usd, at,
            at + make_interval(secs => r.lives_ms / 1000), case when r.profile_id is not null then at end, r.profile_id,
            at + make_interval(secs => r.held_ms / 1000))
          on conflict (org_id, request_id) do nothing returning * into z;
        end if;
        if not found then
          outcome := 'taken';
        else
          outcome := 'authorized';
          granted := granted + 1;
          k.reserved_usd := k.reserved_usd + r.reserved_usd;
          if k.rate_limit_rps is not null then
            k.bucket_tokens := k.bucket_tokens - 1;
          end if;
          insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
          values (org, asking, r.id, 'reserve', r.reserved_usd, 0, 0, at);
        end if;
      end if;
      id := case when outcome = 'authorized' then z.id end;
      route_generation := case when outcome = 'authorized' then z.route_generation end;
      expires_at := case when outcome = 'authorized' then z.expires_at end;
      return next;
    end loop;
    if granted > 0 then
      update inference_keys set reserved_usd = k.reserved_usd, bucket_tokens = k.bucket_tokens, bucket_at = at
      where org_id = org and id = asking;
    end if;
  end $f$`;

const DROP_ADMIT_REQUESTS = `drop function admit_requests(uuid, uuid, ${ASKED.replaceAll(/\w+ (\w+\[\])/g, '$1')})`;

/**
 * Targets that can be disabled, ids of requests that may be used again, and starts that are credited once.
 */
export class ModelTraffic1795660000000 implements MigrationInterface {
  name = 'ModelTraffic1795660000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table profiles add enabled boolean not null default true');
    await queryRunner.query('alter table route_targets add enabled boolean not null default true');
    await queryRunner.query(`
      create trigger profiles_routing after update on profiles for each row when (old.enabled <> new.enabled)
      execute function routing_changed('profile')`);
    await queryRunner.query('alter table authorizations add prompt_tokens bigint, add renewed_from uuid');
    await queryRunner.query(ADMIT_ONE_BY_ONE);
    await queryRunner.query(ADMIT_REQUESTS);
    await queryRunner.query(`
      create table start_credits (
        org_id uuid not null, start_id uuid not null, request_id text not null,
        constraint start_credits_pkey primary key (org_id, start_id),
        constraint start_credits_start_fkey foreign key (org_id, start_id) references starts (org_id, id) on delete cascade
      )`);
    await protectRows(queryRunner, 'start_credits');
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table start_credits');
    await queryRunner.query(DROP_ADMIT_REQUESTS);
    await queryRunner.query('drop function admit_requests(uuid, uuid, json)');
    await queryRunner.query('alter table authorizations drop prompt_tokens, drop renewed_from');
    await queryRunner.query('drop trigger profiles_routing on profiles');
    await queryRunner.query('alter table route_targets drop enabled');
    await queryRunner.query('alter table profiles drop enabled');
  }
}
