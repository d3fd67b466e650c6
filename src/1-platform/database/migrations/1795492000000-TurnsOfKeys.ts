import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of `usage_records` that a settlement is told, and what the elements of their arrays are. */
const TOLD = {
  org_id: 'uuid',
  request_id: 'text',
  key_id: 'uuid',
  logical_model: 'text',
  profile_id: 'text',
  meant_for_profile_id: 'text',
  experiment_id: 'uuid',
  route_generation: 'bigint',
  decision_source: 'text',
  activation_path: 'text',
  classifier_profile_id: 'text',
  status_code: 'int',
  upstream_attempts: 'int',
  streamed: 'boolean',
  fallback_used: 'boolean',
  deadline_missed: 'boolean',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  queue_ms: 'bigint',
  routing_ms: 'bigint',
  classifier_ms: 'bigint',
  ttft_ms: 'bigint',
  backend_ms: 'bigint',
  end_to_end_ms: 'bigint',
  mean_inter_token_ms: 'float8',
  p95_inter_token_ms: 'float8',
  cold_start_avoided_ms: 'bigint',
  cost_usd: 'numeric',
};

/**
 * Names that the columns of the table do not have: a function
 * takes its parameters for columns, or these for those.
 */
const parameter = (column: string): string => `told_${column}`;

const NAMES = Object.keys(TOLD);
const PARAMETERS = [
  'told_began_ms_ago float8[]',
  ...Object.entries(TOLD).map(([name, type]) => `${parameter(name)} ${type}[]`),
];
const DROP_SETTLE_REQUESTS = `drop function settle_requests(${['float8[]', ...Object.values(TOLD).map((type) => `${type}[]`), 'boolean'].join(', ')})`;

const OWNER = '(select z.key_id from authorizations z where z.org_id = u.org_id and z.request_id = u.request_id)';

/*
 * What became of requests, and what they cost their keys. A request that was told of before stays as it was;
 * its authorization is closed if it is open. In the order of their keys: two that are told of the same
 * requests wait for each other in one direction only.
 */
const SETTLE_REQUESTS = `
  create function settle_requests(${PARAMETERS.join(', ')}, durable boolean) returns int
  language plpgsql set plan_cache_mode = force_generic_plan as $f$
  begin
    if not durable then
      set local synchronous_commit = off;
    end if;
    insert into usage_records (occurred_at, ${NAMES.join(', ')})
    select statement_timestamp() - make_interval(secs => u.began_ms_ago / 1000),
      ${NAMES.map((name) => (name === 'key_id' ? `coalesce(u.key_id, ${OWNER})` : `u.${name}`)).join(', ')}
    from unnest(told_began_ms_ago, ${NAMES.map(parameter).join(', ')}) as u(began_ms_ago, ${NAMES.join(', ')})
    order by u.org_id, u.request_id on conflict (org_id, request_id) do nothing;
    return close_authorizations(told_org_id, told_request_id, null, told_cost_usd);
  end $f$`;

/**
 * Keys are what all requests of one caller take turns on. A settlement holds them no longer
 * than its commit takes: what is added up of the requests is added up before. (Beside a
 * replica that has not been renewed yet, which does so after it, two may find each other in
 * the way: the one that is refused settles a moment later.)
 */
export class TurnsOfKeys1795492000000 implements MigrationInterface {
  name = 'TurnsOfKeys1795492000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    /*
     * As before, but for one that was made before: it is looked for, which waits for nobody. An insert that
     * meets it waits for whoever settles it just then; and that one waits for the key, which is held here.
     */
    await queryRunner.query(`
      create or replace function authorize_requests(org uuid, asking uuid, ids uuid[], requests text[], models text[], generations bigint[],
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
          select t.* from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles) with ordinality
            as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, place)
          left join lateral (
            select true as there from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
          ) known on true
          where known.there is null
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
    await queryRunner.query(SETTLE_REQUESTS);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DROP_SETTLE_REQUESTS);
  }
}
