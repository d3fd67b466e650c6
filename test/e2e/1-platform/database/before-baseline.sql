-- A database as commit 5428c63 made it, the last one before the baseline: by its 30 migrations, and by its service,
-- which then got a cluster, a node, a profile, a route, a key and two requests, one of them settled.
-- pg_dump --inserts wrote it; comments, owners and line breaks are left out.
SET check_function_bodies = off;
SET app.system = 'on';
CREATE FUNCTION admit_requests(org uuid, asking uuid, asked json) RETURNS TABLE(place integer, outcome text, id uuid, route_generation bigint, expires_at timestamp with time zone, wait_ms double precision) LANGUAGE plpgsql SET enable_seqscan TO 'off' SET lock_timeout TO '1s' AS $$
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
  end $$;
CREATE FUNCTION admit_requests(org uuid, asking uuid, ids uuid[], requests text[], models text[], generations bigint[], reservations numeric[], lives_ms double precision[], held_ms double precision[], profiles text[], prompts bigint[]) RETURNS TABLE(place integer, outcome text, id uuid, route_generation bigint, expires_at timestamp with time zone, wait_ms double precision) LANGUAGE plpgsql SET enable_seqscan TO 'off' SET plan_cache_mode TO 'force_generic_plan' SET lock_timeout TO '1s' AS $$
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
        select json_agg(json_build_object('place', t.place, 'id', t.id, 'request_id', t.request_id, 'logical_model', t.logical_model,
  'route_generation', t.route_generation, 'reserved_usd', t.reserved_usd, 'lives_ms', t.lives_ms, 'held_ms', t.held_ms,
  'profile_id', t.profile_id, 'prompt_tokens', t.prompt_tokens)) from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts) with ordinality as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, prompt_tokens, place)
      )) a;
      return;
    end if;
    return query
    with asked as materialized (
      select t.* from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts) with ordinality as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, prompt_tokens, place)
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
        select json_agg(json_build_object('place', t.place, 'id', t.id, 'request_id', t.request_id, 'logical_model', t.logical_model,
  'route_generation', t.route_generation, 'reserved_usd', t.reserved_usd, 'lives_ms', t.lives_ms, 'held_ms', t.held_ms,
  'profile_id', t.profile_id, 'prompt_tokens', t.prompt_tokens)) from unnest(ids, requests, models, generations, reservations, lives_ms, held_ms, profiles, prompts) with ordinality as t(id, request_id, logical_model, route_generation, reserved_usd, lives_ms, held_ms, profile_id, prompt_tokens, place)
        left join lateral (
          select o.id from authorizations o where o.org_id = org and o.request_id = t.request_id limit 1
        ) z on true
        where z.id is distinct from t.id
      )) a;
    end if;
  end $$;
CREATE FUNCTION artifact_stays_followed() RETURNS trigger LANGUAGE plpgsql AS $$
  declare
    was text := case when tg_op = 'UPDATE' then case when old.status in ('deleted', 'expired') then null when old.promotion_state = 'pending' then old.promotion_from else old.storage_tier end end;
    is_on text := case when new.status in ('deleted', 'expired') then null when new.promotion_state = 'pending' then new.promotion_from else new.storage_tier end;
    at timestamptz := case when tg_op = 'INSERT' then new.created_at else clock_timestamp() end;
  begin
    if was is not distinct from is_on then
      return null;
    end if;
    update artifact_stays set until = greatest(since, at) where org_id = new.org_id and artifact_id = new.artifact_id and until is null;
    if is_on is not null then
      insert into artifact_stays (org_id, artifact_id, stay, tier, moved, since)
      select new.org_id, new.artifact_id, coalesce(max(stay), 0) + 1, is_on, was is not null, greatest(max(until), at)
      from artifact_stays where org_id = new.org_id and artifact_id = new.artifact_id;
    end if;
    return null;
  end $$;
CREATE FUNCTION authorize_requests(org uuid, asking uuid, asked json) RETURNS TABLE(place integer, outcome text, id uuid, route_generation bigint, expires_at timestamp with time zone, wait_ms double precision) LANGUAGE plpgsql SET enable_seqscan TO 'off' SET lock_timeout TO '1s' AS $$
      #variable_conflict use_column
      declare
        k inference_keys;
        r record;
        z authorizations;
        at timestamptz;
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
            reserved_usd numeric(24, 12), lives_ms float8, held_ms float8, profile_id text) order by a.request_id, a.place
        loop
          place := r.place;
          wait_ms := null;
          select * into z from authorizations where org_id = org and request_id = r.request_id;
          if found then
            outcome := case when z.key_id = asking and z.logical_model = r.logical_model then 'authorized' else 'taken' end;
          elsif k.id is null or k.revoked_at is not null then
            outcome := 'revoked';
          elsif k.rate_limit_rps is not null and k.bucket_tokens < 1 then
            outcome := 'rate';
            wait_ms := (1 - k.bucket_tokens) * 1000 / k.rate_limit_rps;
          elsif k.budget_usd is not null and k.spent_usd + k.overrun_usd + k.reserved_usd + r.reserved_usd > k.budget_usd then
            outcome := 'budget';
          else
            insert into authorizations (org_id, id, key_id, request_id, logical_model, route_generation, reserved_usd, created_at,
              expires_at, resolved_at, profile_id, held_until)
            values (org, r.id, asking, r.request_id, r.logical_model, r.route_generation, r.reserved_usd, at,
              at + make_interval(secs => r.lives_ms / 1000), case when r.profile_id is not null then at end, r.profile_id,
              at + make_interval(secs => r.held_ms / 1000))
            on conflict (org_id, request_id) do nothing returning * into z;
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
      end $$;
CREATE FUNCTION authorize_requests(org uuid, asking uuid, ids uuid[], requests text[], models text[], generations bigint[], reservations numeric[], lives_ms double precision[], held_ms double precision[], profiles text[]) RETURNS TABLE(place integer, outcome text, id uuid, route_generation bigint, expires_at timestamp with time zone, wait_ms double precision) LANGUAGE plpgsql SET enable_seqscan TO 'off' SET plan_cache_mode TO 'force_generic_plan' SET lock_timeout TO '1s' AS $$
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
      end $$;
CREATE FUNCTION checkpoint_to_count() RETURNS trigger LANGUAGE plpgsql AS $$
  begin
    insert into uncounted_checkpoints (org_id, id, cluster_id, workload, action_id, taken_back)
    values (new.org_id, gen_random_uuid(), new.cluster_id, coalesce(new.pod_id::text, new.slurm_job_id::text), new.id, old.status = 'ready');
    return null;
  end $$;
CREATE FUNCTION close_authorizations(due json) RETURNS integer LANGUAGE plpgsql SET enable_seqscan TO 'off' SET lock_timeout TO '1s' AS $$
      declare
        d record;
        m record;
        z authorizations;
        at timestamptz;
        spent numeric(24, 12);
        overrun numeric(24, 12);
        orgs uuid[] := '{}';
        asking uuid[] := '{}';
        released numeric[] := '{}';
        spendings numeric[] := '{}';
        overruns numeric[] := '{}';
      begin
        for d in
          select distinct on (t.org_id, t.request_id) t.org_id, t.request_id, coalesce(t.kind, 'settle') as kind, t.cost_usd
          from json_to_recordset(due) as t(org_id uuid, request_id text, kind text, cost_usd numeric(24, 12))
          order by t.org_id, t.request_id
        loop
          select * into z from authorizations a where a.org_id = d.org_id and a.request_id = d.request_id for no key update;
          continue when not found or z.settled_at is not null;
          at := clock_timestamp();
          spent := least(d.cost_usd, z.reserved_usd);
          overrun := greatest(d.cost_usd - z.reserved_usd, 0);
          update authorizations a set settled_at = at where a.org_id = z.org_id and a.id = z.id;
          insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd, overrun_usd, occurred_at)
          values (z.org_id, z.key_id, z.id, d.kind, -z.reserved_usd, spent, overrun, at);
          orgs := orgs || z.org_id;
          asking := asking || z.key_id;
          released := released || z.reserved_usd;
          spendings := spendings || spent;
          overruns := overruns || overrun;
        end loop;
        for m in
          select org_id, key_id, sum(reserved_usd) as reserved_usd, sum(spent_usd) as spent_usd, sum(overrun_usd) as overrun_usd
          from unnest(orgs, asking, released, spendings, overruns) as t(org_id, key_id, reserved_usd, spent_usd, overrun_usd)
          group by org_id, key_id order by org_id, key_id
        loop
          update inference_keys k set reserved_usd = k.reserved_usd - m.reserved_usd, spent_usd = k.spent_usd + m.spent_usd,
            overrun_usd = k.overrun_usd + m.overrun_usd
          where k.org_id = m.org_id and k.id = m.key_id;
        end loop;
        return cardinality(orgs);
      end $$;
CREATE FUNCTION close_authorizations(orgs uuid[], requests text[], kinds text[], costs numeric[]) RETURNS integer LANGUAGE plpgsql SET enable_seqscan TO 'off' SET plan_cache_mode TO 'force_generic_plan' SET lock_timeout TO '1s' AS $$
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
      end $$;
CREATE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$
      begin
        raise exception 'entries of the ledger stay as they are';
      end $$;
CREATE FUNCTION metric_day_made(of_day date) RETURNS void LANGUAGE plpgsql AS $$
  declare
    partition text := 'metric_samples_' || to_char(of_day, 'YYYYMMDD');
  begin
    if to_regclass(partition) is not null then
      return;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('metric_samples', 5));
    -- Asked of the catalogue itself: what to_regclass remembers of a name may be older than the lock.
    if exists (select from pg_class where relname = partition and relnamespace = 'public'::regnamespace) then
      return;
    end if;
    execute format('create table %I (like metric_samples including defaults including constraints)', partition);
    execute format('alter table metric_samples attach partition %I for values from (%L) to (%L)', partition,
      of_day::timestamp at time zone 'UTC', (of_day + 1)::timestamp at time zone 'UTC');
  end $$;
CREATE FUNCTION metric_days_dropped(kept_days integer) RETURNS integer LANGUAGE plpgsql AS $$
  declare
    kept_from text := 'metric_samples_' || to_char((clock_timestamp() at time zone 'UTC')::date - kept_days, 'YYYYMMDD');
    partition text;
    dropped int := 0;
  begin
    set local lock_timeout = '1s';
    for partition in
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'metric_samples'::regclass and c.relname < kept_from order by c.relname
    loop
      execute format('drop table if exists %I', partition);
      dropped := dropped + 1;
    end loop;
    return dropped;
  end $$;
CREATE FUNCTION multirange_length(of int4multirange) RETURNS integer LANGUAGE sql IMMUTABLE STRICT RETURN (SELECT (COALESCE(sum((upper(r.r) - lower(r.r))), (0)::bigint))::integer AS "coalesce" FROM unnest(multirange_length.of) r(r));
CREATE FUNCTION outbox_sequence(org uuid, lim integer) RETURNS integer LANGUAGE plpgsql AS $_$
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
          'select from outbox_events where org_id = $1 and event_id is null order by position limit $2 for update' using org, lim;
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
      end $_$;
CREATE FUNCTION routing_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION settle_requests(told_began_ms_ago double precision[], told_org_id uuid[], told_request_id text[], told_key_id uuid[], told_logical_model text[], told_profile_id text[], told_meant_for_profile_id text[], told_experiment_id uuid[], told_route_generation bigint[], told_decision_source text[], told_activation_path text[], told_classifier_profile_id text[], told_status_code integer[], told_upstream_attempts integer[], told_streamed boolean[], told_fallback_used boolean[], told_deadline_missed boolean[], told_prompt_tokens bigint[], told_completion_tokens bigint[], told_queue_ms bigint[], told_routing_ms bigint[], told_classifier_ms bigint[], told_ttft_ms bigint[], told_backend_ms bigint[], told_end_to_end_ms bigint[], told_mean_inter_token_ms double precision[], told_p95_inter_token_ms double precision[], told_cold_start_avoided_ms bigint[], told_cost_usd numeric[], durable boolean) RETURNS integer LANGUAGE plpgsql SET plan_cache_mode TO 'force_generic_plan' AS $$
  begin
    if not durable then
      set local synchronous_commit = off;
    end if;
    insert into usage_records (occurred_at, org_id, request_id, key_id, logical_model, profile_id, meant_for_profile_id, experiment_id, route_generation, decision_source, activation_path, classifier_profile_id, status_code, upstream_attempts, streamed, fallback_used, deadline_missed, prompt_tokens, completion_tokens, queue_ms, routing_ms, classifier_ms, ttft_ms, backend_ms, end_to_end_ms, mean_inter_token_ms, p95_inter_token_ms, cold_start_avoided_ms, cost_usd)
    select statement_timestamp() - make_interval(secs => u.began_ms_ago / 1000),
      u.org_id, u.request_id, coalesce(u.key_id, (select z.key_id from authorizations z where z.org_id = u.org_id and z.request_id = u.request_id)), u.logical_model, u.profile_id, u.meant_for_profile_id, u.experiment_id, u.route_generation, u.decision_source, u.activation_path, u.classifier_profile_id, u.status_code, u.upstream_attempts, u.streamed, u.fallback_used, u.deadline_missed, u.prompt_tokens, u.completion_tokens, u.queue_ms, u.routing_ms, u.classifier_ms, u.ttft_ms, u.backend_ms, u.end_to_end_ms, u.mean_inter_token_ms, u.p95_inter_token_ms, u.cold_start_avoided_ms, u.cost_usd
    from unnest(told_began_ms_ago, told_org_id, told_request_id, told_key_id, told_logical_model, told_profile_id, told_meant_for_profile_id, told_experiment_id, told_route_generation, told_decision_source, told_activation_path, told_classifier_profile_id, told_status_code, told_upstream_attempts, told_streamed, told_fallback_used, told_deadline_missed, told_prompt_tokens, told_completion_tokens, told_queue_ms, told_routing_ms, told_classifier_ms, told_ttft_ms, told_backend_ms, told_end_to_end_ms, told_mean_inter_token_ms, told_p95_inter_token_ms, told_cold_start_avoided_ms, told_cost_usd) as u(began_ms_ago, org_id, request_id, key_id, logical_model, profile_id, meant_for_profile_id, experiment_id, route_generation, decision_source, activation_path, classifier_profile_id, status_code, upstream_attempts, streamed, fallback_used, deadline_missed, prompt_tokens, completion_tokens, queue_ms, routing_ms, classifier_ms, ttft_ms, backend_ms, end_to_end_ms, mean_inter_token_ms, p95_inter_token_ms, cold_start_avoided_ms, cost_usd)
    order by u.org_id, u.request_id on conflict (org_id, request_id) do nothing;
    return close_authorizations(told_org_id, told_request_id, null, told_cost_usd);
  end $$;
CREATE FUNCTION usage_added_up() RETURNS trigger LANGUAGE plpgsql AS $$
  begin
    insert into usage_rollups as r (org_id, step, bucket, series, logical_model, profile_id, meant_for_profile_id, requests, successes, refusals, fallbacks, deadline_misses, prompt_tokens, completion_tokens, cold_start_avoided_ms, backend_count, backend_ms, fallback_backend_ms, routing_count, routing_ms, ttft_count, ttft_ms, timed_tokens, timed_ms)
   select u.org_id, s.step, date_bin(make_interval(secs => s.step), u.occurred_at, 'epoch'::timestamptz) as bucket,
     md5(array[u.logical_model, u.profile_id, u.meant_for_profile_id]::text)::uuid as series, u.logical_model, u.profile_id, u.meant_for_profile_id,
     count(*), count(*) filter (where coalesce(u.status_code, 200) between 200 and 299), count(*) filter (where u.status_code >= 400 and u.status_code <> 499), count(*) filter (where u.fallback_used), count(*) filter (where u.deadline_missed), coalesce(sum(u.prompt_tokens), 0), coalesce(sum(u.completion_tokens), 0), coalesce(sum(u.cold_start_avoided_ms), 0), count(u.backend_ms), coalesce(sum(u.backend_ms), 0), coalesce(sum(u.backend_ms) filter (where u.fallback_used), 0), count(u.routing_ms), coalesce(sum(u.routing_ms), 0), count(u.ttft_ms), coalesce(sum(u.ttft_ms), 0), coalesce(sum(u.completion_tokens) filter (where u.backend_ms > 0), 0), coalesce(sum(u.backend_ms) filter (where u.completion_tokens is not null), 0)
   from told u cross join (values (60), (900), (3600)) s(step)
   group by u.org_id, s.step, bucket, u.logical_model, u.profile_id, u.meant_for_profile_id order by u.org_id, s.step, bucket, series
   on conflict (org_id, step, bucket, series) do update set requests = r.requests + excluded.requests, successes = r.successes + excluded.successes, refusals = r.refusals + excluded.refusals, fallbacks = r.fallbacks + excluded.fallbacks, deadline_misses = r.deadline_misses + excluded.deadline_misses, prompt_tokens = r.prompt_tokens + excluded.prompt_tokens, completion_tokens = r.completion_tokens + excluded.completion_tokens, cold_start_avoided_ms = r.cold_start_avoided_ms + excluded.cold_start_avoided_ms, backend_count = r.backend_count + excluded.backend_count, backend_ms = r.backend_ms + excluded.backend_ms, fallback_backend_ms = r.fallback_backend_ms + excluded.fallback_backend_ms, routing_count = r.routing_count + excluded.routing_count, routing_ms = r.routing_ms + excluded.routing_ms, ttft_count = r.ttft_count + excluded.ttft_count, ttft_ms = r.ttft_ms + excluded.ttft_ms, timed_tokens = r.timed_tokens + excluded.timed_tokens, timed_ms = r.timed_ms + excluded.timed_ms;
    insert into warm_waits as w (org_id, hour, profile_id, queue_ms, requests)
   select u.org_id, date_bin('1 hour', u.occurred_at, 'epoch'::timestamptz) as hour, u.profile_id, u.queue_ms, count(*)
   from told u where u.activation_path = 'warm' and u.profile_id is not null and u.queue_ms is not null
   group by u.org_id, hour, u.profile_id, u.queue_ms order by u.org_id, hour, u.profile_id, u.queue_ms
   on conflict (org_id, hour, profile_id, queue_ms) do update set requests = w.requests + excluded.requests;
    with grown as (
     insert into busy_minutes as b (org_id, profile_id, minute, busy, busy_ms, added_ms)
     select org_id, profile_id, minute, busy, multirange_length(busy), multirange_length(busy) from (
       select u.org_id, u.profile_id, m.minute, range_agg(int4range(
           greatest(round(extract(epoch from u.began - m.minute) * 1000), 0)::int, least(round(extract(epoch from u.ended - m.minute) * 1000), 60000)::int
         )) as busy
       from (
         select org_id, profile_id, lower(span) as began, upper(span) as ended from (
           select org_id, profile_id, range_agg(tstzrange(ended - make_interval(secs => least(backend_ms, 86400000) / 1000.0), ended)) as spans from (
             select org_id, profile_id, backend_ms,
               occurred_at + make_interval(secs => greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) / 1000.0) as ended
             from told where profile_id is not null and backend_ms > 0
           ) told group by org_id, profile_id
         ) busy cross join lateral unnest(spans) span
       ) u cross join lateral generate_series(date_bin('1 minute', u.began, 'epoch'::timestamptz), u.ended, '1 minute') m(minute)
       where m.minute < u.ended
       group by u.org_id, u.profile_id, m.minute
     ) spans order by org_id, minute, profile_id
     on conflict (org_id, minute, profile_id) do update set busy = b.busy + excluded.busy,
       busy_ms = multirange_length(b.busy + excluded.busy), added_ms = multirange_length(b.busy + excluded.busy) - b.busy_ms
     returning org_id, profile_id, minute, added_ms
   )
   insert into busy_hours as h (org_id, profile_id, hour, busy_ms)
   select org_id, profile_id, date_bin('1 hour', minute, 'epoch'::timestamptz) as hour, sum(added_ms) from grown
   group by org_id, hour, profile_id having sum(added_ms) > 0 order by org_id, hour, profile_id
   on conflict (org_id, hour, profile_id) do update set busy_ms = h.busy_ms + excluded.busy_ms;
    return null;
  end $$;
CREATE TABLE access_tokens (org_id uuid NOT NULL, id uuid NOT NULL, name text NOT NULL, role text NOT NULL, digest bytea NOT NULL, created_at timestamp(3) with time zone NOT NULL, expires_at timestamp(3) with time zone, last_used_at timestamp(3) with time zone, revoked_at timestamp(3) with time zone, scope text DEFAULT 'organisation'::text NOT NULL, CONSTRAINT access_tokens_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'operator'::text, 'viewer'::text, 'controller'::text]))), CONSTRAINT access_tokens_scope_check CHECK (((scope = 'organisation'::text) OR ((scope = 'platform'::text) AND (role = 'admin'::text)))));
ALTER TABLE ONLY access_tokens FORCE ROW LEVEL SECURITY;
CREATE TABLE actions (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, type text NOT NULL, status text NOT NULL, error text, reason text NOT NULL, kind text NOT NULL, platform text NOT NULL, checkpoint_id uuid NOT NULL, pod_id uuid, pod_uid text NOT NULL, pod_name text NOT NULL, namespace text NOT NULL, node_name text NOT NULL, workload_kind text, checkpoint_name text, details json NOT NULL, pod_metadata json, pod_spec json, persistent_volume_claim json, created_at timestamp(3) with time zone NOT NULL, answer_by timestamp(3) with time zone NOT NULL, ended_at timestamp(3) with time zone, slurm_job_id bigint, policy_id uuid, beat_at timestamp(3) with time zone, node_region text, instance_type text, capacity_type text, node_gpu text, containers text[], leave_running boolean DEFAULT true NOT NULL, given_up_at timestamp(3) with time zone, CONSTRAINT actions_status_check CHECK ((status = ANY (ARRAY['initialized'::text, 'processing'::text, 'checkpoint_created'::text, 'ready'::text, 'error'::text]))), CONSTRAINT actions_type_check CHECK ((type = ANY (ARRAY['checkpoint_pod'::text, 'restore_pod'::text, 'heartbeat'::text]))));
ALTER TABLE ONLY actions FORCE ROW LEVEL SECURITY;
CREATE TABLE activation_phases (org_id uuid NOT NULL, id uuid NOT NULL, profile_id text NOT NULL, phase text NOT NULL, ready boolean NOT NULL, observed_generation bigint NOT NULL, occurred_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY activation_phases FORCE ROW LEVEL SECURITY;
CREATE TABLE activations (org_id uuid NOT NULL, profile_id text NOT NULL, desired_state text NOT NULL, phase text NOT NULL, ready boolean NOT NULL, endpoint text, observed_generation bigint NOT NULL, start_id uuid, version bigint NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY activations FORCE ROW LEVEL SECURITY;
CREATE TABLE artifact_stays (org_id uuid NOT NULL, artifact_id text NOT NULL, stay integer NOT NULL, tier text NOT NULL, moved boolean NOT NULL, since timestamp(3) with time zone NOT NULL, until timestamp(3) with time zone);
ALTER TABLE ONLY artifact_stays FORCE ROW LEVEL SECURITY;
CREATE TABLE artifacts (org_id uuid NOT NULL, artifact_id text NOT NULL, profile_id text NOT NULL, compatibility_key text NOT NULL, checkpoint_mode text NOT NULL, storage_tier text NOT NULL, uri text NOT NULL, source text NOT NULL, status text NOT NULL, checksum text, parent_artifact_id text, logical_bytes bigint, physical_bytes bigint, reused_bytes bigint, written_bytes bigint, metadata json NOT NULL, restore_count bigint DEFAULT '0'::bigint NOT NULL, engine_flags text, cluster_id uuid, node_name text, node_uid uuid, node_boot_id text, promotion_from text, promotion_requested_at timestamp(3) with time zone, promotion_deadline timestamp(3) with time zone, promotion_state text, expiry_policy_id text, expiry_reason text, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, expired_from text, CONSTRAINT artifacts_expired_from_check CHECK ((expired_from = ANY (ARRAY['golden'::text, 'quarantined'::text]))), CONSTRAINT artifacts_promotion_check CHECK (((promotion_state = ANY (ARRAY['pending'::text, 'confirmed'::text, 'failed'::text])) AND ((promotion_state IS NULL) = (promotion_from IS NULL)) AND ((promotion_state IS NULL) = (promotion_requested_at IS NULL)))), CONSTRAINT artifacts_status_check CHECK ((status = ANY (ARRAY['ready'::text, 'golden'::text, 'quarantined'::text, 'expired'::text, 'deleted'::text]))), CONSTRAINT artifacts_tier_check CHECK ((storage_tier = ANY (ARRAY['memory'::text, 'local'::text, 'shared'::text, 'object'::text]))));
ALTER TABLE ONLY artifacts FORCE ROW LEVEL SECURITY;
CREATE TABLE audit_entries (org_id uuid NOT NULL, id uuid NOT NULL, occurred_at timestamp(3) with time zone NOT NULL, actor_id text NOT NULL, actor_role text NOT NULL, action text NOT NULL, resource_type text NOT NULL, resource_id text, request_id text NOT NULL, details json);
ALTER TABLE ONLY audit_entries FORCE ROW LEVEL SECURITY;
CREATE TABLE authorizations (org_id uuid NOT NULL, id uuid NOT NULL, key_id uuid NOT NULL, request_id text NOT NULL, logical_model text NOT NULL, route_generation bigint NOT NULL, reserved_usd numeric(24,12) NOT NULL, created_at timestamp(3) with time zone NOT NULL, expires_at timestamp(3) with time zone NOT NULL, resolved_at timestamp(3) with time zone, profile_id text, held_until timestamp(3) with time zone NOT NULL, settled_at timestamp(3) with time zone, prompt_tokens bigint, renewed_from uuid);
ALTER TABLE ONLY authorizations FORCE ROW LEVEL SECURITY;
CREATE TABLE busy_hours (org_id uuid NOT NULL, hour timestamp(3) with time zone NOT NULL, profile_id text NOT NULL, busy_ms integer NOT NULL) WITH (fillfactor='70');
ALTER TABLE ONLY busy_hours FORCE ROW LEVEL SECURITY;
CREATE TABLE busy_minutes (org_id uuid NOT NULL, minute timestamp(3) with time zone NOT NULL, profile_id text NOT NULL, busy int4multirange NOT NULL, busy_ms integer NOT NULL, added_ms integer NOT NULL) WITH (fillfactor='70');
ALTER TABLE ONLY busy_minutes FORCE ROW LEVEL SECURITY;
CREATE TABLE capacity_asks (org_id uuid NOT NULL, profile_id text NOT NULL, generation bigint NOT NULL, desired_state text NOT NULL, desired_replicas integer NOT NULL, requested_at timestamp(3) with time zone NOT NULL);
ALTER TABLE ONLY capacity_asks FORCE ROW LEVEL SECURITY;
CREATE TABLE capacity_intents (org_id uuid NOT NULL, id uuid NOT NULL, profile_id text NOT NULL, desired_state text NOT NULL, desired_replicas integer NOT NULL, status text NOT NULL, generation bigint NOT NULL, deadline timestamp(3) with time zone, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, requested_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT capacity_intents_replicas_check CHECK ((desired_replicas >= 0)), CONSTRAINT capacity_intents_state_check CHECK ((desired_state = ANY (ARRAY['Active'::text, 'Suspended'::text]))), CONSTRAINT capacity_intents_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Fulfilled'::text, 'Superseded'::text, 'Expired'::text, 'Failed'::text]))));
ALTER TABLE ONLY capacity_intents FORCE ROW LEVEL SECURITY;
CREATE TABLE checkpoint_requests (org_id uuid NOT NULL, request_id uuid NOT NULL, profile_id text NOT NULL, kind text NOT NULL, status text NOT NULL, replace_existing boolean NOT NULL, reason text, requested_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, started_at timestamp(3) with time zone, completed_at timestamp(3) with time zone, artifact_id text, error text, CONSTRAINT checkpoint_requests_kind_check CHECK ((kind = ANY (ARRAY['checkpoint'::text, 'restart'::text]))), CONSTRAINT checkpoint_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'running'::text, 'succeeded'::text, 'failed'::text]))), CONSTRAINT checkpoint_requests_times_check CHECK ((((status = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (completed_at IS NOT NULL)) AND ((status = 'failed'::text) = (error IS NOT NULL)))));
ALTER TABLE ONLY checkpoint_requests FORCE ROW LEVEL SECURITY;
CREATE TABLE checkpoints (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid, action_id uuid, container_name text, name text, status text NOT NULL, claimed boolean NOT NULL, error text, gpu text NOT NULL, platform text NOT NULL, delta boolean NOT NULL, parent_checkpoint_id uuid, checksum text, info json, restore_path text, created_at timestamp(3) with time zone NOT NULL, uploaded_at timestamp(3) with time zone, workload_type text DEFAULT 'kubernetes'::text NOT NULL, progress_stage text, bytes_done bigint, bytes_total bigint, progressed_at timestamp(3) with time zone, CONSTRAINT checkpoints_status_check CHECK ((status = ANY (ARRAY['initializing'::text, 'updated_info'::text, 'possibly_uploaded'::text, 'ready'::text, 'deprecated'::text]))), CONSTRAINT checkpoints_workload_type_check CHECK ((workload_type = ANY (ARRAY['kubernetes'::text, 'slurm'::text]))));
ALTER TABLE ONLY checkpoints FORCE ROW LEVEL SECURITY;
CREATE TABLE clusters (org_id uuid NOT NULL, id uuid NOT NULL, name text NOT NULL, kind text NOT NULL, last_sync timestamp(3) with time zone, metadata json, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT clusters_kind_check CHECK ((kind = ANY (ARRAY['kubernetes'::text, 'slurm'::text]))));
ALTER TABLE ONLY clusters FORCE ROW LEVEL SECURITY;
CREATE TABLE cost_rates (org_id uuid NOT NULL, profile_id text NOT NULL, node_hourly_usd numeric(24,12) DEFAULT '0'::numeric NOT NULL, storage_gb_hour_usd numeric(24,12) DEFAULT '0'::numeric NOT NULL, transfer_gb_usd numeric(24,12) DEFAULT '0'::numeric NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT cost_rates_positive_check CHECK (((node_hourly_usd >= (0)::numeric) AND (storage_gb_hour_usd >= (0)::numeric) AND (transfer_gb_usd >= (0)::numeric))));
ALTER TABLE ONLY cost_rates FORCE ROW LEVEL SECURITY;
CREATE TABLE engine_graph_deployments (cluster_id uuid NOT NULL, namespace text NOT NULL, name text NOT NULL, uid text NOT NULL, labels jsonb NOT NULL, resource_version numeric(20,0), deleted boolean NOT NULL, object json NOT NULL, synced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, org_id uuid NOT NULL, id uuid NOT NULL);
ALTER TABLE ONLY engine_graph_deployments FORCE ROW LEVEL SECURITY;
CREATE TABLE engine_services (cluster_id uuid NOT NULL, namespace text NOT NULL, name text NOT NULL, uid text NOT NULL, labels jsonb NOT NULL, resource_version numeric(20,0), deleted boolean NOT NULL, object json NOT NULL, synced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, org_id uuid NOT NULL, id uuid NOT NULL);
ALTER TABLE ONLY engine_services FORCE ROW LEVEL SECURITY;
CREATE TABLE experiments (org_id uuid NOT NULL, id uuid NOT NULL, name text NOT NULL, scenario text NOT NULL, status text NOT NULL, parameters json NOT NULL, profile_id text, started_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, completed_at timestamp(3) with time zone, CONSTRAINT experiments_completed_check CHECK (((status = 'running'::text) = (completed_at IS NULL))), CONSTRAINT experiments_status_check CHECK ((status = ANY (ARRAY['running'::text, 'completed'::text, 'cancelled'::text]))));
ALTER TABLE ONLY experiments FORCE ROW LEVEL SECURITY;
CREATE TABLE fleet_profiles (org_id uuid NOT NULL, fleet_id text NOT NULL, profile_id text NOT NULL, "position" integer NOT NULL);
ALTER TABLE ONLY fleet_profiles FORCE ROW LEVEL SECURITY;
CREATE TABLE fleets (org_id uuid NOT NULL, fleet_id text NOT NULL, name text NOT NULL, logical_model text NOT NULL, budgets json, max_node_usd_per_hour numeric(24,12), availability text, residency text, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT fleets_maximum_check CHECK ((max_node_usd_per_hour >= (0)::numeric)));
ALTER TABLE ONLY fleets FORCE ROW LEVEL SECURITY;
CREATE TABLE hosts (org_id uuid NOT NULL, id text NOT NULL, object json NOT NULL, object_bytes integer NOT NULL);
ALTER TABLE ONLY hosts FORCE ROW LEVEL SECURITY;
CREATE TABLE idempotency_keys (org_id uuid NOT NULL, actor_id text NOT NULL, operation text NOT NULL, key_digest bytea NOT NULL, request_digest text NOT NULL, answer bytea, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, status integer);
ALTER TABLE ONLY idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE TABLE inference_keys (org_id uuid NOT NULL, id uuid NOT NULL, name text NOT NULL, digest bytea NOT NULL, models text[] NOT NULL, tenant_id text, budget_usd numeric(24,12), spent_usd numeric(24,12) DEFAULT '0'::numeric NOT NULL, reserved_usd numeric(24,12) DEFAULT '0'::numeric NOT NULL, overrun_usd numeric(24,12) DEFAULT '0'::numeric NOT NULL, rate_limit_rps bigint, bucket_tokens double precision DEFAULT '0'::double precision NOT NULL, bucket_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, revoked_at timestamp(3) with time zone, CONSTRAINT inference_keys_budget_check CHECK (((spent_usd + reserved_usd) <= budget_usd)), CONSTRAINT inference_keys_counters_check CHECK (((spent_usd >= (0)::numeric) AND (reserved_usd >= (0)::numeric) AND (overrun_usd >= (0)::numeric))), CONSTRAINT inference_keys_rate_check CHECK ((rate_limit_rps > 0)));
ALTER TABLE ONLY inference_keys FORCE ROW LEVEL SECURITY;
CREATE TABLE instance_type_prices (org_id uuid NOT NULL, instance_type text NOT NULL, capacity_type text NOT NULL, id uuid NOT NULL, ondemand_price_per_hour numeric(24,12), spot_price_per_hour numeric(24,12), created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT instance_type_prices_capacity_type_check CHECK ((capacity_type = ANY (ARRAY['spot'::text, 'on-demand'::text]))), CONSTRAINT instance_type_prices_positive_check CHECK (((ondemand_price_per_hour >= (0)::numeric) AND (spot_price_per_hour >= (0)::numeric))));
ALTER TABLE ONLY instance_type_prices FORCE ROW LEVEL SECURITY;
CREATE TABLE instances (org_id uuid NOT NULL, id uuid NOT NULL, name text NOT NULL, cloud text NOT NULL, region text NOT NULL, instance_type text NOT NULL, asked json, phase text NOT NULL, reason text, asked_at timestamp(3) with time zone, provider_id text, provider_status text, facts json, seen_at timestamp(3) with time zone, missing_since timestamp(3) with time zone, delete_wanted_at timestamp(3) with time zone, delete_asked_at timestamp(3) with time zone, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, ended_at timestamp(3) with time zone, CONSTRAINT instances_asked_check CHECK (((phase <> 'asked'::text) OR (asked_at IS NOT NULL))), CONSTRAINT instances_phase_check CHECK ((phase = ANY (ARRAY['recorded'::text, 'asked'::text, 'placed'::text, 'failed'::text, 'gone'::text]))), CONSTRAINT instances_placed_check CHECK (((phase <> 'placed'::text) OR (provider_id IS NOT NULL))));
ALTER TABLE ONLY instances FORCE ROW LEVEL SECURITY;
CREATE TABLE jobs (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, uid text NOT NULL, name text NOT NULL, namespace text NOT NULL, status text NOT NULL, completions integer NOT NULL, succeeded integer NOT NULL, priority integer, checkpoint_name text, labels jsonb NOT NULL, started_at timestamp(3) with time zone, finished_at timestamp(3) with time zone, object_created_at timestamp(3) with time zone, resource_version numeric(20,0), deleted boolean NOT NULL, object json NOT NULL, synced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY jobs FORCE ROW LEVEL SECURITY;
CREATE TABLE ledger_entries (org_id uuid NOT NULL, key_id uuid NOT NULL, "position" bigint NOT NULL, authorization_id uuid NOT NULL, kind text NOT NULL, reserved_usd numeric(24,12) NOT NULL, spent_usd numeric(24,12) NOT NULL, overrun_usd numeric(24,12) NOT NULL, occurred_at timestamp(3) with time zone NOT NULL, CONSTRAINT ledger_entries_kind_check CHECK ((kind = ANY (ARRAY['reserve'::text, 'settle'::text, 'release'::text, 'charge'::text]))));
ALTER TABLE ONLY ledger_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_entries ALTER COLUMN "position" ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME ledger_entries_position_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1);
CREATE TABLE legacy_job_checkpoints (org_id uuid NOT NULL, id uuid NOT NULL, jid text NOT NULL, "time" bigint NOT NULL, object json NOT NULL, object_bytes integer NOT NULL);
ALTER TABLE ONLY legacy_job_checkpoints FORCE ROW LEVEL SECURITY;
CREATE TABLE legacy_jobs (org_id uuid NOT NULL, id text NOT NULL, host_id text NOT NULL, object json NOT NULL, object_bytes integer NOT NULL);
ALTER TABLE ONLY legacy_jobs FORCE ROW LEVEL SECURITY;
CREATE TABLE lifecycle_events (org_id uuid NOT NULL, event_id uuid NOT NULL, kind text NOT NULL, occurred_at timestamp(3) with time zone NOT NULL, received_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, cluster_id uuid NOT NULL, profile_id text, payload json, sequence bigint, generation bigint, action_id uuid, activation_id uuid, artifact_id text, node_uid uuid, boot_id text, workload_uid uuid, restore_artifact_id text);
ALTER TABLE ONLY lifecycle_events FORCE ROW LEVEL SECURITY;
CREATE TABLE maintenance_windows (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid, name text, reason text, start_time timestamp(3) with time zone NOT NULL, end_time timestamp(3) with time zone NOT NULL, nodes jsonb, partitions jsonb, cancelled boolean DEFAULT false NOT NULL, ended boolean DEFAULT false NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, told_start_time timestamp(3) with time zone, told_end_time timestamp(3) with time zone, superseded boolean DEFAULT false NOT NULL);
ALTER TABLE ONLY maintenance_windows FORCE ROW LEVEL SECURITY;
CREATE TABLE metric_kinds (org_id uuid NOT NULL, family text NOT NULL, metric text NOT NULL, kind text NOT NULL);
ALTER TABLE ONLY metric_kinds FORCE ROW LEVEL SECURITY;
CREATE TABLE metric_pods (org_id uuid NOT NULL, pod_uid text NOT NULL, namespace text NOT NULL, pod_name text NOT NULL, node_name text, owner_kind text, owner_name text, seen_at timestamp(3) with time zone NOT NULL);
ALTER TABLE ONLY metric_pods FORCE ROW LEVEL SECURITY;
CREATE TABLE metric_samples (org_id uuid NOT NULL, series_id bigint NOT NULL, sampled_at timestamp(3) with time zone NOT NULL, value double precision) PARTITION BY RANGE (sampled_at);
ALTER TABLE ONLY metric_samples FORCE ROW LEVEL SECURITY;
CREATE TABLE metric_series (org_id uuid NOT NULL, id bigint NOT NULL, digest uuid NOT NULL, family text NOT NULL, metric text NOT NULL, kind text NOT NULL, node_name text, gpu_uuid text, gpu_index text, model_name text, namespace text, pod_name text, pod_uid text, container text, partition text, state text, collector text, cpu_core text, cpu_mode text, filesystem text, mountpoint text, labels json NOT NULL, last_sampled_on date NOT NULL);
ALTER TABLE ONLY metric_series FORCE ROW LEVEL SECURITY;
ALTER TABLE metric_series ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME metric_series_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1);
CREATE TABLE migrations (id integer NOT NULL, "timestamp" bigint NOT NULL, name character varying NOT NULL);
CREATE SEQUENCE migrations_id_seq AS integer START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE migrations_id_seq OWNED BY migrations.id;
CREATE TABLE nodes (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, name text NOT NULL, uid text NOT NULL, status text NOT NULL, compute_type text NOT NULL, instance_type text NOT NULL, region text NOT NULL, capacity_type text NOT NULL, boot_id text NOT NULL, gpu_model text NOT NULL, labels jsonb NOT NULL, resource_version numeric(20,0), deleted boolean NOT NULL, object json NOT NULL, synced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY nodes FORCE ROW LEVEL SECURITY;
CREATE TABLE observations (org_id uuid NOT NULL, id uuid NOT NULL, observation_key text NOT NULL, event_type text NOT NULL, evidence text NOT NULL, source text NOT NULL, started_at timestamp(3) with time zone NOT NULL, completed_at timestamp(3) with time zone, experiment_id uuid, profile_id text, action_id text, checkpoint_id text, checkpoint_mode text, cluster_id text, deployment_id text, node_id text, request_id text, storage_tier text, duration_ms bigint, ttft_ms bigint, prompt_tokens bigint, completion_tokens bigint, logical_bytes bigint, physical_bytes bigint, reused_bytes bigint, written_bytes bigint, transferred_bytes bigint, success boolean, fallback_used boolean, deadline_missed boolean, dimensions json, metrics json, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY observations FORCE ROW LEVEL SECURITY;
CREATE TABLE operation_facts (org_id uuid NOT NULL, operation_id uuid NOT NULL, op_type text NOT NULL, result text NOT NULL, action_id uuid, checkpoint_id uuid, cluster_id uuid, name text NOT NULL, namespace text NOT NULL, node_name text NOT NULL, pod_uid text NOT NULL, checkpoint_name text NOT NULL, kind text NOT NULL, platform text NOT NULL, gpu_model text NOT NULL, reason text NOT NULL, source text NOT NULL, storage_tier text NOT NULL, workload_type text NOT NULL, failure_reason text NOT NULL, failure_stage text NOT NULL, failure_reason_label text NOT NULL, failure_stage_label text NOT NULL, duration_ns bigint NOT NULL, pause_ns bigint NOT NULL, logical_bytes bigint NOT NULL, physical_bytes bigint NOT NULL, started_at timestamp(3) with time zone NOT NULL, completed_at timestamp(3) with time zone, pod_scheduled_at timestamp(3) with time zone, pod_ready_at timestamp(3) with time zone, CONSTRAINT operation_facts_result_check CHECK ((result = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'fallback'::text]))), CONSTRAINT operation_facts_type_check CHECK ((op_type = ANY (ARRAY['checkpoint'::text, 'restore'::text]))));
ALTER TABLE ONLY operation_facts FORCE ROW LEVEL SECURITY;
CREATE TABLE operation_failure_totals (org_id uuid NOT NULL, op_type text NOT NULL, stage text NOT NULL, reason text NOT NULL, count bigint NOT NULL);
ALTER TABLE ONLY operation_failure_totals FORCE ROW LEVEL SECURITY;
CREATE TABLE operation_stage_totals (org_id uuid NOT NULL, op_type text NOT NULL, stage text NOT NULL, count bigint NOT NULL, sum_ns numeric(38,0) DEFAULT '0'::numeric NOT NULL);
ALTER TABLE ONLY operation_stage_totals FORCE ROW LEVEL SECURITY;
CREATE TABLE operation_stages (org_id uuid NOT NULL, operation_id uuid NOT NULL, seq integer NOT NULL, stage text NOT NULL, bytes_in bigint NOT NULL, bytes_out bigint NOT NULL, duration_ns bigint NOT NULL, reason text NOT NULL, result text NOT NULL);
ALTER TABLE ONLY operation_stages FORCE ROW LEVEL SECURITY;
CREATE TABLE operation_totals (org_id uuid NOT NULL, op_type text NOT NULL, succeeded bigint DEFAULT '0'::bigint NOT NULL, failed bigint DEFAULT '0'::bigint NOT NULL, fallbacks bigint DEFAULT '0'::bigint NOT NULL, duration_sum_ns numeric(38,0) DEFAULT '0'::numeric NOT NULL, duration_buckets bigint[] NOT NULL, size_sum_bytes numeric(38,0) DEFAULT '0'::numeric NOT NULL, size_buckets bigint[] NOT NULL);
ALTER TABLE ONLY operation_totals FORCE ROW LEVEL SECURITY;
CREATE TABLE organisations (id uuid NOT NULL, name text NOT NULL, created_at timestamp(3) with time zone NOT NULL);
CREATE TABLE outbox_consumers (org_id uuid NOT NULL, id text NOT NULL, acked bigint NOT NULL, seen_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY outbox_consumers FORCE ROW LEVEL SECURITY;
CREATE TABLE outbox_events (org_id uuid NOT NULL, id uuid NOT NULL, "position" bigint NOT NULL, event_id bigint, event_type text NOT NULL, aggregate_type text NOT NULL, aggregate_id text NOT NULL, cluster_id uuid, payload json NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY outbox_events FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE outbox_events_position_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE outbox_events_position_seq OWNED BY outbox_events."position";
CREATE TABLE outbox_heads (org_id uuid NOT NULL, head bigint NOT NULL);
ALTER TABLE ONLY outbox_heads FORCE ROW LEVEL SECURITY;
CREATE TABLE plugin_objects (org_id uuid NOT NULL, id uuid NOT NULL, slot text NOT NULL, name text NOT NULL, plugin text NOT NULL, kind text NOT NULL, install_dir text NOT NULL, version text NOT NULL, arch text NOT NULL, build text NOT NULL, repository text NOT NULL, checksum text, object_key text NOT NULL, state text NOT NULL, object_tag text, size_bytes bigint, announced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, published_at timestamp(3) with time zone, daemon_versions text, CONSTRAINT plugin_objects_kind_check CHECK ((kind = ANY (ARRAY['binary'::text, 'library'::text]))), CONSTRAINT plugin_objects_slot_check CHECK ((slot = ANY (ARRAY['version'::text, 'latest'::text]))), CONSTRAINT plugin_objects_state_check CHECK ((state = ANY (ARRAY['awaited'::text, 'available'::text, 'mismatched'::text, 'gone'::text]))));
ALTER TABLE ONLY plugin_objects FORCE ROW LEVEL SECURITY;
CREATE TABLE pod_savings (org_id uuid NOT NULL, cluster_id uuid NOT NULL, workload text NOT NULL, pod_name text NOT NULL, namespace text NOT NULL, node_name text NOT NULL, node_region text, instance_type text, capacity_type text, gpu text, platform text NOT NULL, first_checkpoint timestamp(3) with time zone NOT NULL, last_checkpoint timestamp(3) with time zone NOT NULL, checkpoint_count bigint NOT NULL, heartbeat_checkpoints bigint NOT NULL, manual_checkpoints bigint NOT NULL, duration_ns numeric(40,0) NOT NULL, size_bytes numeric(40,0) NOT NULL, min_interval_ms bigint, max_interval_ms bigint);
ALTER TABLE ONLY pod_savings FORCE ROW LEVEL SECURITY;
CREATE TABLE pods (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, uid text NOT NULL, name text NOT NULL, namespace text NOT NULL, node_name text NOT NULL, phase text NOT NULL, reason text, ready_containers integer NOT NULL, total_containers integer NOT NULL, restarts integer NOT NULL, priority integer, owner_kind text, owner_name text, owner_uid text, workload_kind text, checkpoint_name text, labels jsonb NOT NULL, scheduled_at timestamp(3) with time zone, ready_at timestamp(3) with time zone, started_at timestamp(3) with time zone, object_created_at timestamp(3) with time zone, resource_version numeric(20,0), deleted boolean NOT NULL, object json NOT NULL, synced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY pods FORCE ROW LEVEL SECURITY;
CREATE TABLE policies (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, name text, status text NOT NULL, trigger text NOT NULL, interval_seconds integer, max_checkpoints integer, starts_at timestamp(3) with time zone, ends_at timestamp(3) with time zone, resource text NOT NULL, namespace text, pod_ids uuid[], slurm_job_ids bigint[], priority integer, kind text NOT NULL, runc_root text, next_at timestamp(3) with time zone, last_beat_at timestamp(3) with time zone, matched_at timestamp(3) with time zone, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, retry_at timestamp(3) with time zone, CONSTRAINT policies_next_check CHECK (((status = 'active'::text) = (next_at IS NOT NULL))), CONSTRAINT policies_resource_check CHECK ((resource = ANY (ARRAY['namespace'::text, 'pods'::text, 'jobs'::text, 'slurm_jobs'::text]))), CONSTRAINT policies_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text]))), CONSTRAINT policies_trigger_check CHECK (CASE trigger WHEN 'heartbeat'::text THEN ((interval_seconds >= 10) AND (starts_at IS NULL) AND (ends_at IS NULL)) WHEN 'maintenance'::text THEN ((interval_seconds IS NULL) AND (max_checkpoints IS NULL) AND (ends_at > starts_at)) ELSE false END));
ALTER TABLE ONLY policies FORCE ROW LEVEL SECURITY;
CREATE TABLE profiles (org_id uuid NOT NULL, profile_id text NOT NULL, logical_model text NOT NULL, exact_model text NOT NULL, profile_revision text NOT NULL, compatibility_key text NOT NULL, backend_url text NOT NULL, hosting_mode text NOT NULL, spec json NOT NULL, engine_template json, estimated_cold_start_ms bigint NOT NULL, min_replicas integer NOT NULL, max_replicas integer NOT NULL, target_concurrency integer NOT NULL, max_queue_depth integer NOT NULL, scale_down_idle_seconds bigint NOT NULL, checkpoints boolean NOT NULL, engine_flags text, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, enabled boolean DEFAULT true NOT NULL);
ALTER TABLE ONLY profiles FORCE ROW LEVEL SECURITY;
CREATE TABLE provider_accounts (account text NOT NULL, verdict text, tried_at timestamp(3) with time zone, listed_at timestamp(3) with time zone, failing_since timestamp(3) with time zone, failure text, orphans json NOT NULL, CONSTRAINT provider_accounts_verdict_check CHECK ((verdict = ANY (ARRAY['accepted'::text, 'refused'::text]))));
ALTER TABLE ONLY provider_accounts FORCE ROW LEVEL SECURITY;
CREATE TABLE queued_workloads (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, kind text NOT NULL, status text NOT NULL, manifest json, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, taken_at timestamp(3) with time zone, taken_by text, error text, forget_at timestamp(3) with time zone NOT NULL, CONSTRAINT queued_workloads_kind_check CHECK ((kind = ANY (ARRAY['deployment'::text, 'job'::text, 'pod'::text]))), CONSTRAINT queued_workloads_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'applied'::text, 'refused'::text]))), CONSTRAINT queued_workloads_taken_check CHECK (((status = 'queued'::text) = (taken_at IS NULL))));
ALTER TABLE ONLY queued_workloads FORCE ROW LEVEL SECURITY;
CREATE TABLE restore_events (org_id uuid NOT NULL, restore_id uuid NOT NULL, kind text NOT NULL, "position" bigint NOT NULL, body json NOT NULL, received_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT restore_events_kind_check CHECK ((kind = ANY (ARRAY['restore_start'::text, 'restore_success'::text, 'restore_error'::text]))));
ALTER TABLE ONLY restore_events FORCE ROW LEVEL SECURITY;
CREATE SEQUENCE restore_events_position_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE restore_events_position_seq OWNED BY restore_events."position";
CREATE TABLE restores (org_id uuid NOT NULL, id uuid NOT NULL, restore_uuid uuid NOT NULL, status text NOT NULL, members json NOT NULL, action_id uuid, checkpoint_id uuid, cluster_id uuid, profile json, created_at timestamp(3) with time zone NOT NULL, updated_at timestamp(3) with time zone NOT NULL, CONSTRAINT restores_status_check CHECK ((status = ANY (ARRAY['started'::text, 'succeeded'::text, 'failed'::text]))));
ALTER TABLE ONLY restores FORCE ROW LEVEL SECURITY;
CREATE TABLE retention_policies (org_id uuid NOT NULL, policy_id text NOT NULL, name text NOT NULL, enabled boolean NOT NULL, max_age_days integer, max_count integer, min_tier text, profile_id text, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT retention_policies_limits_check CHECK (((max_age_days >= 0) AND (max_count >= 0))), CONSTRAINT retention_policies_tier_check CHECK ((min_tier = ANY (ARRAY['memory'::text, 'local'::text, 'shared'::text, 'object'::text]))));
ALTER TABLE ONLY retention_policies FORCE ROW LEVEL SECURITY;
CREATE TABLE retention_runs (org_id uuid NOT NULL, id uuid NOT NULL, ran_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, considered integer NOT NULL, expired json NOT NULL);
ALTER TABLE ONLY retention_runs FORCE ROW LEVEL SECURITY;
CREATE TABLE route_targets (org_id uuid NOT NULL, logical_model text NOT NULL, profile_id text NOT NULL, tier text NOT NULL, priority integer NOT NULL, "position" integer NOT NULL, enabled boolean DEFAULT true NOT NULL);
ALTER TABLE ONLY route_targets FORCE ROW LEVEL SECURITY;
CREATE TABLE router_samples (org_id uuid NOT NULL, route text NOT NULL, profile_id text NOT NULL, metric_name text NOT NULL, measured_at timestamp(3) with time zone NOT NULL, value double precision NOT NULL);
ALTER TABLE ONLY router_samples FORCE ROW LEVEL SECURITY;
CREATE TABLE routes (org_id uuid NOT NULL, logical_model text NOT NULL, mode text NOT NULL, queue_timeout_ms bigint NOT NULL, generation bigint NOT NULL, classifier_profile_id text, classifier_prompt text, classifier_response_schema text, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, CONSTRAINT routes_mode_check CHECK ((mode = ANY (ARRAY['priority'::text, 'classifier'::text]))));
ALTER TABLE ONLY routes FORCE ROW LEVEL SECURITY;
CREATE TABLE savings_refreshes (org_id uuid NOT NULL, refreshed_at timestamp(3) with time zone NOT NULL);
ALTER TABLE ONLY savings_refreshes FORCE ROW LEVEL SECURITY;
CREATE TABLE slurm_clusters (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, name text NOT NULL, status text NOT NULL, metadata json, stale boolean DEFAULT false NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY slurm_clusters FORCE ROW LEVEL SECURITY;
CREATE TABLE slurm_jobs (org_id uuid NOT NULL, cluster_id uuid NOT NULL, job_id bigint NOT NULL, id bigint NOT NULL, name text NOT NULL, nodes text NOT NULL, priority bigint NOT NULL, status text NOT NULL, start_time bigint NOT NULL, submit_time bigint NOT NULL, account text, partition text, work_dir text, num_cpus bigint, num_nodes bigint, exit_code integer, derived_ec bigint, derived_es text, end_time bigint, failed_node text, kill_requid bigint, state_reason_prev bigint, time_suspended bigint, event_time bigint, synced_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL, ranks text DEFAULT ''::text NOT NULL);
ALTER TABLE ONLY slurm_jobs FORCE ROW LEVEL SECURITY;
ALTER TABLE slurm_jobs ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME slurm_jobs_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1);
CREATE TABLE slurm_nodes (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, name text NOT NULL, status text, cpus integer, memory bigint, stale boolean DEFAULT false NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY slurm_nodes FORCE ROW LEVEL SECURITY;
CREATE TABLE slurm_partitions (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, name text NOT NULL, state text NOT NULL, nodes text NOT NULL, total_nodes integer NOT NULL, total_cpus integer NOT NULL, priority_tier integer NOT NULL, max_time bigint NOT NULL, default_time bigint NOT NULL, is_default boolean NOT NULL, stale boolean DEFAULT false NOT NULL, created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY slurm_partitions FORCE ROW LEVEL SECURITY;
CREATE TABLE start_credits (org_id uuid NOT NULL, start_id uuid NOT NULL, request_id text NOT NULL);
ALTER TABLE ONLY start_credits FORCE ROW LEVEL SECURITY;
CREATE TABLE starts (org_id uuid NOT NULL, id uuid NOT NULL, profile_id text NOT NULL, generation bigint NOT NULL, began_at timestamp(3) with time zone NOT NULL, beginning_seen boolean NOT NULL, ready_at timestamp(3) with time zone, failed_at timestamp(3) with time zone, ended_at timestamp(3) with time zone, restore_checkpoint_path text, artifact_id text, told_at timestamp(3) with time zone, restore_failed_at timestamp(3) with time zone, pod_uid uuid, pod_taken_at timestamp(3) with time zone, begun_by uuid, reported_began_at timestamp(3) with time zone, beginning_reported boolean DEFAULT false NOT NULL, reported_ready_at timestamp(3) with time zone, reported_failed_at timestamp(3) with time zone, reported_ended_at timestamp(3) with time zone);
ALTER TABLE ONLY starts FORCE ROW LEVEL SECURITY;
CREATE TABLE uncounted_checkpoints (org_id uuid NOT NULL, id uuid NOT NULL, cluster_id uuid NOT NULL, workload text NOT NULL, action_id uuid NOT NULL, taken_back boolean NOT NULL);
ALTER TABLE ONLY uncounted_checkpoints FORCE ROW LEVEL SECURITY;
CREATE TABLE usage_records (org_id uuid NOT NULL, request_id text NOT NULL, occurred_at timestamp(3) with time zone NOT NULL, key_id uuid, logical_model text NOT NULL, profile_id text, experiment_id uuid, route_generation bigint, decision_source text, activation_path text, classifier_profile_id text, status_code integer, upstream_attempts integer, streamed boolean NOT NULL, fallback_used boolean NOT NULL, deadline_missed boolean NOT NULL, prompt_tokens bigint, completion_tokens bigint, queue_ms bigint, routing_ms bigint, classifier_ms bigint, ttft_ms bigint, backend_ms bigint, end_to_end_ms bigint, mean_inter_token_ms double precision, p95_inter_token_ms double precision, cold_start_avoided_ms bigint NOT NULL, cost_usd numeric(24,12) NOT NULL, meant_for_profile_id text);
ALTER TABLE ONLY usage_records FORCE ROW LEVEL SECURITY;
CREATE TABLE usage_rollups (org_id uuid NOT NULL, step integer NOT NULL, bucket timestamp(3) with time zone NOT NULL, series uuid NOT NULL, logical_model text NOT NULL, profile_id text, meant_for_profile_id text, requests bigint NOT NULL, successes bigint NOT NULL, refusals bigint NOT NULL, fallbacks bigint NOT NULL, deadline_misses bigint NOT NULL, prompt_tokens numeric(40,0) NOT NULL, completion_tokens numeric(40,0) NOT NULL, cold_start_avoided_ms numeric(40,0) NOT NULL, backend_count bigint NOT NULL, backend_ms numeric(40,0) NOT NULL, fallback_backend_ms numeric(40,0) NOT NULL, routing_count bigint NOT NULL, routing_ms numeric(40,0) NOT NULL, ttft_count bigint NOT NULL, ttft_ms numeric(40,0) NOT NULL, timed_tokens numeric(40,0) NOT NULL, timed_ms numeric(40,0) NOT NULL) WITH (fillfactor='70');
ALTER TABLE ONLY usage_rollups FORCE ROW LEVEL SECURITY;
CREATE TABLE warm_waits (org_id uuid NOT NULL, hour timestamp(3) with time zone NOT NULL, profile_id text NOT NULL, queue_ms bigint NOT NULL, requests bigint NOT NULL) WITH (fillfactor='70');
ALTER TABLE ONLY warm_waits FORCE ROW LEVEL SECURITY;
CREATE TABLE worker_endpoints (org_id uuid NOT NULL, profile_id text NOT NULL, metrics_url text NOT NULL, pod_name text, updated_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL);
ALTER TABLE ONLY worker_endpoints FORCE ROW LEVEL SECURITY;
ALTER TABLE ONLY migrations ALTER COLUMN id SET DEFAULT nextval('migrations_id_seq'::regclass);
ALTER TABLE ONLY outbox_events ALTER COLUMN "position" SET DEFAULT nextval('outbox_events_position_seq'::regclass);
ALTER TABLE ONLY restore_events ALTER COLUMN "position" SET DEFAULT nextval('restore_events_position_seq'::regclass);
INSERT INTO access_tokens VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-432e-717e-b97b-55398e0c885a', 'bootstrap', 'admin', '\x12371cac728c629c46c4ba653d0f7fd37a82328cf18b4061f8e318a5c56f78fc', '2026-11-22 21:19:55.296+00', NULL, '2026-11-22 21:19:56.162+00', NULL, 'platform');
INSERT INTO access_tokens VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4695-7076-bafb-6b37206ca328', 'viewer', 'viewer', '\x4c590485891fa22c0ee439eb6b773bd537f45912f2d9604a83af988248168ee1', '2026-11-22 21:19:55.296+00', NULL, NULL, NULL, 'organisation');
INSERT INTO access_tokens VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-464d-762a-83a2-34632e34eec4', 'operator', 'operator', '\x43cea2adef99accd8e83fbdda103392b636efdb3a9c984614667347c5aacec81', '2026-11-22 21:19:55.296+00', NULL, '2026-11-22 21:19:56.595+00', NULL, 'organisation');
INSERT INTO access_tokens VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-46a8-74f0-9fdf-eead81836a0a', 'controller', 'controller', '\x7679a618ca6c9e13f3c7ece1b40cdc5cf78069159a4b60c7f64a765325ffa495', '2026-11-22 21:19:55.296+00', NULL, '2026-11-22 21:19:56.624+00', NULL, 'organisation');
INSERT INTO activation_phases VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-47b5-7221-afe6-4aef13f6d64b', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 'Ready', true, 0, '2026-11-22 21:19:56.862+00');
INSERT INTO activations VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 'Active', 'Ready', true, NULL, 0, '01a20521-47b5-7221-afe6-4382e0a900a5', 1, '2026-11-22 21:19:56.862+00');
INSERT INTO authorizations VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4813-742d-be85-570e1d6c4146', '01a20521-4806-75c6-94fb-7def6d4b070a', 'settled-request', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 1, 0.002036000000, '2026-11-22 21:19:56.951+00', '2026-11-22 21:20:56.951+00', '2026-11-22 21:19:56.998+00', 'profile-01a20521-4714-7003-9fd9-544872540cb6', '2026-11-22 22:19:56.998+00', '2026-11-22 21:19:57.077+00', 1000, NULL);
INSERT INTO authorizations VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4926-72c8-b585-bb219eb02fbc', '01a20521-4806-75c6-94fb-7def6d4b070a', 'open-request', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 1, 0.002036000000, '2026-11-22 21:19:57.224+00', '2026-11-22 21:20:57.224+00', '2026-11-22 21:19:57.252+00', 'profile-01a20521-4714-7003-9fd9-544872540cb6', '2026-11-22 22:19:57.252+00', NULL, 1000, NULL);
INSERT INTO busy_hours VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '2026-11-22 21:00:00+00', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 597);
INSERT INTO busy_minutes VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '2026-11-22 21:19:00+00', 'profile-01a20521-4714-7003-9fd9-544872540cb6', '{[56457,57054)}', 597, 597);
INSERT INTO clusters VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-46c0-7104-98c1-0e7cd4e1e194', 'kept', 'kubernetes', '2026-11-22 21:19:56.662+00', NULL, '2026-11-22 21:19:56.61+00');
INSERT INTO inference_keys VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4806-75c6-94fb-7def6d4b070a', 'key', '\xc6b85b674350c265c6515650a1deaaabcabc926608b5b523e3bd45c3c266e47d', '{}', NULL, 1.000000000000, 0.000012500000, 0.002036000000, 0.000000000000, NULL, 0, '2026-11-22 21:19:57.223528+00', '2026-11-22 21:19:56.935+00', NULL);
INSERT INTO ledger_entries VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4806-75c6-94fb-7def6d4b070a', 1, '01a20521-4813-742d-be85-570e1d6c4146', 'reserve', 0.002036000000, 0.000000000000, 0.000000000000, '2026-11-22 21:19:56.951+00');
INSERT INTO ledger_entries VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4806-75c6-94fb-7def6d4b070a', 2, '01a20521-4813-742d-be85-570e1d6c4146', 'settle', -0.002036000000, 0.000012500000, 0.000000000000, '2026-11-22 21:19:57.077+00');
INSERT INTO ledger_entries VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4806-75c6-94fb-7def6d4b070a', 3, '01a20521-4926-72c8-b585-bb219eb02fbc', 'reserve', 0.002036000000, 0.000000000000, 0.000000000000, '2026-11-22 21:19:57.224+00');
INSERT INTO migrations VALUES (1, 1795200000000, 'Baseline1795200000000');
INSERT INTO migrations VALUES (2, 1795300000000, 'HostsAndLegacyJobs1795300000000');
INSERT INTO migrations VALUES (3, 1795310000000, 'Slurm1795310000000');
INSERT INTO migrations VALUES (4, 1795320000000, 'SlurmCheckpointsAndPolicies1795320000000');
INSERT INTO migrations VALUES (5, 1795330000000, 'SlurmMended1795330000000');
INSERT INTO migrations VALUES (6, 1795340000000, 'KeptJson1795340000000');
INSERT INTO migrations VALUES (7, 1795350000000, 'PolicyRetry1795350000000');
INSERT INTO migrations VALUES (8, 1795360000000, 'OutboxDelivery1795360000000');
INSERT INTO migrations VALUES (9, 1795370000000, 'InferenceState1795370000000');
INSERT INTO migrations VALUES (10, 1795380000000, 'InferenceTraffic1795380000000');
INSERT INTO migrations VALUES (11, 1795450000000, 'TrafficInSets1795450000000');
INSERT INTO migrations VALUES (12, 1795466400000, 'ExperimentsAndFleets1795466400000');
INSERT INTO migrations VALUES (13, 1795470000000, 'Insight1795470000000');
INSERT INTO migrations VALUES (14, 1795480000000, 'MetricSamples1795480000000');
INSERT INTO migrations VALUES (15, 1795490000000, 'Savings1795490000000');
INSERT INTO migrations VALUES (16, 1795492000000, 'TurnsOfKeys1795492000000');
INSERT INTO migrations VALUES (17, 1795500000000, 'Instances1795500000000');
INSERT INTO migrations VALUES (18, 1795510000000, 'Plugins1795510000000');
INSERT INTO migrations VALUES (19, 1795640000000, 'OutboxCursor1795640000000');
INSERT INTO migrations VALUES (20, 1795660000000, 'ModelTraffic1795660000000');
INSERT INTO migrations VALUES (21, 1795670000000, 'CheckpointProgress1795670000000');
INSERT INTO migrations VALUES (22, 1795670100000, 'QueuedWorkloads1795670100000');
INSERT INTO migrations VALUES (23, 1795670200000, 'FactsOutliveClusters1795670200000');
INSERT INTO migrations VALUES (24, 1795670400000, 'DaemonVersions1795670400000');
INSERT INTO migrations VALUES (25, 1795680000000, 'TokenScopes1795680000000');
INSERT INTO migrations VALUES (26, 1795680001000, 'ArtifactMarks1795680001000');
INSERT INTO migrations VALUES (27, 1795800000000, 'StartHistory1795800000000');
INSERT INTO migrations VALUES (28, 1795800001000, 'ActionsGivenUp1795800001000');
INSERT INTO migrations VALUES (29, 1795800002000, 'MetricKinds1795800002000');
INSERT INTO migrations VALUES (30, 1795800003000, 'QueuedWorkloadsToRemove1795800003000');
INSERT INTO nodes VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-46e9-7432-94a8-e5ffd79fc5e9', '01a20521-46c0-7104-98c1-0e7cd4e1e194', 'node-1', '01a20521-46cb-74a2-836a-decef0fc4a43', 'Ready', 'cpu', 'm5.large', 'eu-west-1', 'on-demand', '01a20521-46cb-74a2-836a-e38d68771300', '', '{"karpenter.sh/capacity-type": "on-demand", "topology.kubernetes.io/region": "eu-west-1", "node.kubernetes.io/instance-type": "m5.large"}', 100, false, '{"kind":"Node","metadata":{"name":"node-1","uid":"01a20521-46cb-74a2-836a-decef0fc4a43","resourceVersion":"100","labels":{"node.kubernetes.io/instance-type":"m5.large","topology.kubernetes.io/region":"eu-west-1","karpenter.sh/capacity-type":"on-demand"}},"spec":{},"status":{"capacity":{"cpu":"2"},"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"bootID":"01a20521-46cb-74a2-836a-e38d68771300"}}}', '2026-11-22 21:19:56.652+00', '2026-11-22 21:19:56.652+00');
INSERT INTO organisations VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 'default', '2026-11-22 21:19:55.296+00');
INSERT INTO outbox_events VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4738-74a9-9ce4-bbfab6cfec7e', 1, NULL, 'profile.created', 'profile', 'profile-01a20521-4714-7003-9fd9-544872540cb6', NULL, '{"profile_id":"profile-01a20521-4714-7003-9fd9-544872540cb6"}', '2026-11-22 21:19:56.729+00');
INSERT INTO outbox_events VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-4799-751c-a382-33030fa22f78', 2, NULL, 'route.published', 'route', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', NULL, '{"logical_model":"model-01a20521-4714-7003-9fd9-53f781e4c0a0","generation":1}', '2026-11-22 21:19:56.826+00');
INSERT INTO profiles VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 'llama-8b', 'meta-llama/Llama-3.1-8B-Instruct', 'eae06b67c664c4eac119c7026ccb0632bbb8327567c192bd877131ac35b2b438', '4b5cb54b45eda0c40863623a2b4f4afae7aa5d2a93fec4c560c193066644e255', 'http://llama-8b.models.svc:8000', 'checkpointed', '{"pricing":{"prompt_usd_per_mtok":0.5,"completion_usd_per_mtok":1.5}}', NULL, 0, 0, 1000, 8, 64, 900, true, NULL, '2026-11-22 21:19:56.72+00', true);
INSERT INTO route_targets VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 'tier-1', 1, 0, true);
INSERT INTO routes VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 'priority', 30000, 1, NULL, NULL, NULL, '2026-11-22 21:19:56.823+00', '2026-11-22 21:19:56.823+00');
INSERT INTO starts VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '01a20521-47b5-7221-afe6-4382e0a900a5', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 0, '2026-11-22 21:19:56.862+00', false, '2026-11-22 21:19:56.862+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 21:19:56.862+00', false, '2026-11-22 21:19:56.862+00', NULL, NULL);
INSERT INTO usage_records VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 'settled-request', '2026-11-22 21:19:56.454+00', '01a20521-4806-75c6-94fb-7def6d4b070a', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 'profile-01a20521-4714-7003-9fd9-544872540cb6', NULL, NULL, NULL, 'warm', NULL, 200, NULL, false, false, false, 10, 5, 3, NULL, NULL, NULL, 597, 600, NULL, NULL, 0, 0.000012500000, NULL);
INSERT INTO usage_rollups VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 60, '2026-11-22 21:19:00+00', 'ecd04715-fae7-d23d-7311-49630c366c6b', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 'profile-01a20521-4714-7003-9fd9-544872540cb6', NULL, 1, 1, 0, 0, 0, 10, 5, 0, 1, 597, 0, 0, 0, 0, 0, 5, 597);
INSERT INTO usage_rollups VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 900, '2026-11-22 21:15:00+00', 'ecd04715-fae7-d23d-7311-49630c366c6b', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 'profile-01a20521-4714-7003-9fd9-544872540cb6', NULL, 1, 1, 0, 0, 0, 10, 5, 0, 1, 597, 0, 0, 0, 0, 0, 5, 597);
INSERT INTO usage_rollups VALUES ('01a20521-4326-73bc-9213-153a43208cc4', 3600, '2026-11-22 21:00:00+00', 'ecd04715-fae7-d23d-7311-49630c366c6b', 'model-01a20521-4714-7003-9fd9-53f781e4c0a0', 'profile-01a20521-4714-7003-9fd9-544872540cb6', NULL, 1, 1, 0, 0, 0, 10, 5, 0, 1, 597, 0, 0, 0, 0, 0, 5, 597);
INSERT INTO warm_waits VALUES ('01a20521-4326-73bc-9213-153a43208cc4', '2026-11-22 21:00:00+00', 'profile-01a20521-4714-7003-9fd9-544872540cb6', 3, 1);
SELECT pg_catalog.setval('ledger_entries_position_seq', 3, true);
SELECT pg_catalog.setval('metric_series_id_seq', 1, false);
SELECT pg_catalog.setval('migrations_id_seq', 30, true);
SELECT pg_catalog.setval('outbox_events_position_seq', 2, true);
SELECT pg_catalog.setval('restore_events_position_seq', 1, false);
SELECT pg_catalog.setval('slurm_jobs_id_seq', 1, false);
ALTER TABLE ONLY migrations ADD CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id);
ALTER TABLE ONLY access_tokens ADD CONSTRAINT access_tokens_digest_key UNIQUE (digest);
ALTER TABLE ONLY access_tokens ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY actions ADD CONSTRAINT actions_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY activation_phases ADD CONSTRAINT activation_phases_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY activations ADD CONSTRAINT activations_pkey PRIMARY KEY (org_id, profile_id);
ALTER TABLE ONLY artifact_stays ADD CONSTRAINT artifact_stays_pkey PRIMARY KEY (org_id, artifact_id, stay);
ALTER TABLE ONLY artifacts ADD CONSTRAINT artifacts_pkey PRIMARY KEY (org_id, artifact_id);
ALTER TABLE ONLY audit_entries ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY authorizations ADD CONSTRAINT authorizations_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY authorizations ADD CONSTRAINT authorizations_request_key UNIQUE (org_id, request_id);
ALTER TABLE ONLY busy_hours ADD CONSTRAINT busy_hours_pkey PRIMARY KEY (org_id, hour, profile_id);
ALTER TABLE ONLY busy_minutes ADD CONSTRAINT busy_minutes_pkey PRIMARY KEY (org_id, minute, profile_id);
ALTER TABLE ONLY capacity_asks ADD CONSTRAINT capacity_asks_pkey PRIMARY KEY (org_id, profile_id, generation);
ALTER TABLE ONLY capacity_intents ADD CONSTRAINT capacity_intents_ask_key UNIQUE (org_id, profile_id, desired_state, desired_replicas);
ALTER TABLE ONLY capacity_intents ADD CONSTRAINT capacity_intents_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY checkpoint_requests ADD CONSTRAINT checkpoint_requests_pkey PRIMARY KEY (org_id, request_id);
ALTER TABLE ONLY checkpoints ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY clusters ADD CONSTRAINT clusters_name_key UNIQUE (org_id, name);
ALTER TABLE ONLY clusters ADD CONSTRAINT clusters_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY cost_rates ADD CONSTRAINT cost_rates_pkey PRIMARY KEY (org_id, profile_id);
ALTER TABLE ONLY engine_graph_deployments ADD CONSTRAINT engine_graph_deployments_name_key UNIQUE (org_id, cluster_id, namespace, name);
ALTER TABLE ONLY engine_graph_deployments ADD CONSTRAINT engine_graph_deployments_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY engine_services ADD CONSTRAINT engine_services_name_key UNIQUE (org_id, cluster_id, namespace, name);
ALTER TABLE ONLY engine_services ADD CONSTRAINT engine_services_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY experiments ADD CONSTRAINT experiments_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY fleet_profiles ADD CONSTRAINT fleet_profiles_pkey PRIMARY KEY (org_id, fleet_id, profile_id);
ALTER TABLE ONLY fleets ADD CONSTRAINT fleets_pkey PRIMARY KEY (org_id, fleet_id);
ALTER TABLE ONLY hosts ADD CONSTRAINT hosts_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY idempotency_keys ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, actor_id, operation, key_digest);
ALTER TABLE ONLY inference_keys ADD CONSTRAINT inference_keys_digest_key UNIQUE (digest);
ALTER TABLE ONLY inference_keys ADD CONSTRAINT inference_keys_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY instance_type_prices ADD CONSTRAINT instance_type_prices_pkey PRIMARY KEY (org_id, instance_type, capacity_type);
ALTER TABLE ONLY instances ADD CONSTRAINT instances_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY jobs ADD CONSTRAINT jobs_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY jobs ADD CONSTRAINT jobs_uid_key UNIQUE (org_id, cluster_id, uid);
ALTER TABLE ONLY ledger_entries ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (org_id, key_id, "position");
ALTER TABLE ONLY legacy_job_checkpoints ADD CONSTRAINT legacy_job_checkpoints_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY legacy_jobs ADD CONSTRAINT legacy_jobs_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY lifecycle_events ADD CONSTRAINT lifecycle_events_pkey PRIMARY KEY (org_id, event_id);
ALTER TABLE ONLY maintenance_windows ADD CONSTRAINT maintenance_windows_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY metric_kinds ADD CONSTRAINT metric_kinds_pkey PRIMARY KEY (org_id, family, metric);
ALTER TABLE ONLY metric_pods ADD CONSTRAINT metric_pods_pkey PRIMARY KEY (org_id, pod_uid);
ALTER TABLE ONLY metric_samples ADD CONSTRAINT metric_samples_pkey PRIMARY KEY (org_id, series_id, sampled_at);
ALTER TABLE ONLY metric_series ADD CONSTRAINT metric_series_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY nodes ADD CONSTRAINT nodes_name_key UNIQUE (org_id, cluster_id, name);
ALTER TABLE ONLY nodes ADD CONSTRAINT nodes_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY observations ADD CONSTRAINT observations_key_key UNIQUE (org_id, observation_key);
ALTER TABLE ONLY observations ADD CONSTRAINT observations_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY operation_facts ADD CONSTRAINT operation_facts_pkey PRIMARY KEY (org_id, operation_id);
ALTER TABLE ONLY operation_failure_totals ADD CONSTRAINT operation_failure_totals_pkey PRIMARY KEY (org_id, op_type, stage, reason);
ALTER TABLE ONLY operation_stage_totals ADD CONSTRAINT operation_stage_totals_pkey PRIMARY KEY (org_id, op_type, stage);
ALTER TABLE ONLY operation_stages ADD CONSTRAINT operation_stages_pkey PRIMARY KEY (org_id, operation_id, seq);
ALTER TABLE ONLY operation_totals ADD CONSTRAINT operation_totals_pkey PRIMARY KEY (org_id, op_type);
ALTER TABLE ONLY organisations ADD CONSTRAINT organisations_name_key UNIQUE (name);
ALTER TABLE ONLY organisations ADD CONSTRAINT organisations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY outbox_consumers ADD CONSTRAINT outbox_consumers_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY outbox_events ADD CONSTRAINT outbox_events_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY outbox_heads ADD CONSTRAINT outbox_heads_pkey PRIMARY KEY (org_id);
ALTER TABLE ONLY plugin_objects ADD CONSTRAINT plugin_objects_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY pod_savings ADD CONSTRAINT pod_savings_pkey PRIMARY KEY (org_id, cluster_id, workload);
ALTER TABLE ONLY pods ADD CONSTRAINT pods_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY pods ADD CONSTRAINT pods_uid_key UNIQUE (org_id, cluster_id, uid);
ALTER TABLE ONLY policies ADD CONSTRAINT policies_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY profiles ADD CONSTRAINT profiles_pkey PRIMARY KEY (org_id, profile_id);
ALTER TABLE ONLY provider_accounts ADD CONSTRAINT provider_accounts_pkey PRIMARY KEY (account);
ALTER TABLE ONLY queued_workloads ADD CONSTRAINT queued_workloads_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY restore_events ADD CONSTRAINT restore_events_pkey PRIMARY KEY (org_id, restore_id, kind);
ALTER TABLE ONLY restores ADD CONSTRAINT restores_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY restores ADD CONSTRAINT restores_restore_uuid_key UNIQUE (org_id, restore_uuid);
ALTER TABLE ONLY retention_policies ADD CONSTRAINT retention_policies_pkey PRIMARY KEY (org_id, policy_id);
ALTER TABLE ONLY retention_runs ADD CONSTRAINT retention_runs_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY route_targets ADD CONSTRAINT route_targets_pkey PRIMARY KEY (org_id, logical_model, profile_id);
ALTER TABLE ONLY router_samples ADD CONSTRAINT router_samples_pkey PRIMARY KEY (org_id, route, profile_id, metric_name, measured_at);
ALTER TABLE ONLY routes ADD CONSTRAINT routes_pkey PRIMARY KEY (org_id, logical_model);
ALTER TABLE ONLY savings_refreshes ADD CONSTRAINT savings_refreshes_pkey PRIMARY KEY (org_id);
ALTER TABLE ONLY slurm_clusters ADD CONSTRAINT slurm_clusters_name_key UNIQUE (org_id, cluster_id, name);
ALTER TABLE ONLY slurm_clusters ADD CONSTRAINT slurm_clusters_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY slurm_jobs ADD CONSTRAINT slurm_jobs_id_key UNIQUE (org_id, id);
ALTER TABLE ONLY slurm_jobs ADD CONSTRAINT slurm_jobs_pkey PRIMARY KEY (org_id, cluster_id, job_id);
ALTER TABLE ONLY slurm_nodes ADD CONSTRAINT slurm_nodes_name_key UNIQUE (org_id, cluster_id, name);
ALTER TABLE ONLY slurm_nodes ADD CONSTRAINT slurm_nodes_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY slurm_partitions ADD CONSTRAINT slurm_partitions_name_key UNIQUE (org_id, cluster_id, name);
ALTER TABLE ONLY slurm_partitions ADD CONSTRAINT slurm_partitions_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY start_credits ADD CONSTRAINT start_credits_pkey PRIMARY KEY (org_id, start_id);
ALTER TABLE ONLY starts ADD CONSTRAINT starts_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY uncounted_checkpoints ADD CONSTRAINT uncounted_checkpoints_pkey PRIMARY KEY (org_id, id);
ALTER TABLE ONLY usage_records ADD CONSTRAINT usage_records_pkey PRIMARY KEY (org_id, request_id);
ALTER TABLE ONLY usage_rollups ADD CONSTRAINT usage_rollups_pkey PRIMARY KEY (org_id, step, bucket, series);
ALTER TABLE ONLY warm_waits ADD CONSTRAINT warm_waits_pkey PRIMARY KEY (org_id, hour, profile_id, queue_ms);
ALTER TABLE ONLY worker_endpoints ADD CONSTRAINT worker_endpoints_pkey PRIMARY KEY (org_id, profile_id);
CREATE INDEX actions_by_cluster_idx ON actions USING btree (org_id, cluster_id);
CREATE INDEX actions_by_pod_idx ON actions USING btree (org_id, pod_uid, created_at);
CREATE INDEX actions_by_policy_idx ON actions USING btree (org_id, policy_id, created_at, id) WHERE (policy_id IS NOT NULL);
CREATE INDEX actions_by_slurm_job_idx ON actions USING btree (org_id, slurm_job_id, created_at) WHERE (slurm_job_id IS NOT NULL);
CREATE INDEX actions_newest_idx ON actions USING btree (org_id, created_at, id);
CREATE INDEX actions_open_idx ON actions USING btree (answer_by) WHERE (status = ANY (ARRAY['initialized'::text, 'processing'::text, 'checkpoint_created'::text]));
CREATE UNIQUE INDEX actions_pod_beat_key ON actions USING btree (org_id, policy_id, beat_at, pod_id) WHERE ((policy_id IS NOT NULL) AND (pod_id IS NOT NULL));
CREATE UNIQUE INDEX actions_slurm_job_beat_key ON actions USING btree (org_id, policy_id, beat_at, slurm_job_id) WHERE ((policy_id IS NOT NULL) AND (slurm_job_id IS NOT NULL));
CREATE INDEX activation_phases_by_profile_idx ON activation_phases USING btree (org_id, profile_id, occurred_at);
CREATE INDEX activation_phases_by_time_idx ON activation_phases USING btree (org_id, occurred_at);
CREATE INDEX artifact_stays_ended_idx ON artifact_stays USING btree (org_id, until) WHERE (until IS NOT NULL);
CREATE UNIQUE INDEX artifact_stays_open_idx ON artifact_stays USING btree (org_id, artifact_id) WHERE (until IS NULL);
CREATE INDEX artifacts_by_compatibility_idx ON artifacts USING btree (org_id, compatibility_key);
CREATE INDEX artifacts_by_mode_idx ON artifacts USING btree (org_id, checkpoint_mode, created_at, artifact_id);
CREATE INDEX artifacts_by_parent_idx ON artifacts USING btree (org_id, parent_artifact_id) WHERE (parent_artifact_id IS NOT NULL);
CREATE INDEX artifacts_by_profile_idx ON artifacts USING btree (org_id, profile_id, created_at, artifact_id);
CREATE INDEX artifacts_by_status_idx ON artifacts USING btree (org_id, status, created_at, artifact_id);
CREATE INDEX artifacts_newest_idx ON artifacts USING btree (org_id, created_at, artifact_id);
CREATE INDEX artifacts_promotion_due_idx ON artifacts USING btree (promotion_deadline) WHERE (promotion_state = 'pending'::text);
CREATE INDEX audit_entries_newest_idx ON audit_entries USING btree (org_id, occurred_at, id);
CREATE INDEX authorizations_open_idx ON authorizations USING btree (held_until) WHERE (settled_at IS NULL);
CREATE INDEX capacity_asks_by_time_idx ON capacity_asks USING btree (org_id, requested_at);
CREATE INDEX capacity_asks_in_force_idx ON capacity_asks USING btree (org_id, profile_id, requested_at, generation, desired_replicas);
CREATE INDEX capacity_asks_many_idx ON capacity_asks USING btree (org_id, profile_id) WHERE (desired_replicas > 1);
CREATE INDEX capacity_intents_newest_idx ON capacity_intents USING btree (org_id, profile_id, requested_at);
CREATE UNIQUE INDEX capacity_intents_pending_key ON capacity_intents USING btree (org_id, profile_id) WHERE (status = 'Pending'::text);
CREATE INDEX capacity_intents_updated_idx ON capacity_intents USING btree (org_id, updated_at, id);
CREATE INDEX checkpoint_requests_newest_idx ON checkpoint_requests USING btree (org_id, profile_id, requested_at);
CREATE UNIQUE INDEX checkpoint_requests_open_key ON checkpoint_requests USING btree (org_id, profile_id) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));
CREATE INDEX checkpoint_requests_unanswered_idx ON checkpoint_requests USING btree (requested_at) WHERE (status = ANY (ARRAY['pending'::text, 'running'::text]));
CREATE INDEX checkpoints_awaiting_upload_idx ON checkpoints USING btree (org_id, action_id) WHERE (status = 'updated_info'::text);
CREATE INDEX checkpoints_by_action_idx ON checkpoints USING btree (org_id, action_id);
CREATE INDEX checkpoints_by_cluster_idx ON checkpoints USING btree (org_id, cluster_id);
CREATE UNIQUE INDEX checkpoints_container_key ON checkpoints USING btree (org_id, action_id, container_name) WHERE ((action_id IS NOT NULL) AND (container_name IS NOT NULL));
CREATE INDEX checkpoints_newest_idx ON checkpoints USING btree (org_id, created_at, id);
CREATE INDEX checkpoints_newest_of_type_idx ON checkpoints USING btree (org_id, workload_type, created_at, id);
CREATE INDEX checkpoints_restorable_idx ON checkpoints USING btree (org_id, workload_type, name, uploaded_at, id) WHERE ((status = 'ready'::text) AND (restore_path IS NOT NULL));
CREATE INDEX experiments_newest_idx ON experiments USING btree (org_id, started_at, id);
CREATE INDEX experiments_running_idx ON experiments USING btree (org_id, profile_id, started_at, id) WHERE ((status = 'running'::text) AND (profile_id IS NOT NULL));
CREATE INDEX fleet_profiles_by_profile_idx ON fleet_profiles USING btree (org_id, profile_id);
CREATE INDEX idempotency_keys_created_idx ON idempotency_keys USING btree (created_at);
CREATE INDEX instances_ended_idx ON instances USING btree (ended_at);
CREATE INDEX instances_newest_idx ON instances USING btree (org_id, created_at, id);
CREATE INDEX instances_open_idx ON instances USING btree (phase) WHERE (phase = ANY (ARRAY['recorded'::text, 'asked'::text, 'placed'::text]));
CREATE UNIQUE INDEX instances_provider_id_key ON instances USING btree (provider_id) WHERE (provider_id IS NOT NULL);
CREATE INDEX jobs_by_name_idx ON jobs USING btree (org_id, namespace, name) WHERE (NOT deleted);
CREATE INDEX legacy_job_checkpoints_by_job_idx ON legacy_job_checkpoints USING btree (org_id, jid);
CREATE INDEX legacy_job_checkpoints_newest_idx ON legacy_job_checkpoints USING btree (org_id, "time", id);
CREATE INDEX legacy_jobs_by_host_idx ON legacy_jobs USING btree (org_id, host_id);
CREATE INDEX lifecycle_events_by_cluster_idx ON lifecycle_events USING btree (org_id, cluster_id);
CREATE INDEX lifecycle_events_by_profile_idx ON lifecycle_events USING btree (org_id, profile_id, occurred_at, event_id);
CREATE INDEX lifecycle_events_by_time_idx ON lifecycle_events USING btree (org_id, occurred_at, event_id);
CREATE INDEX lifecycle_events_by_workload_idx ON lifecycle_events USING btree (org_id, workload_uid) WHERE (workload_uid IS NOT NULL);
CREATE INDEX lifecycle_events_of_artifact_idx ON lifecycle_events USING btree (org_id, artifact_id) WHERE (kind = 'checkpoint.completed'::text);
CREATE INDEX maintenance_windows_by_start_idx ON maintenance_windows USING btree (org_id, start_time, id);
CREATE UNIQUE INDEX maintenance_windows_name_key ON maintenance_windows USING btree (org_id, cluster_id, name) WHERE (NOT superseded);
CREATE INDEX metric_pods_by_name_idx ON metric_pods USING btree (org_id, namespace, pod_name);
CREATE INDEX metric_pods_by_time_idx ON metric_pods USING btree (seen_at);
CREATE INDEX metric_series_by_day_idx ON metric_series USING btree (last_sampled_on);
CREATE INDEX metric_series_by_gpu_idx ON metric_series USING btree (org_id, gpu_uuid) WHERE (gpu_uuid IS NOT NULL);
CREATE INDEX metric_series_by_metric_idx ON metric_series USING btree (org_id, family, metric, last_sampled_on);
CREATE INDEX metric_series_by_pod_idx ON metric_series USING btree (org_id, pod_uid) WHERE (pod_uid IS NOT NULL);
CREATE UNIQUE INDEX metric_series_identity_idx ON metric_series USING btree (org_id, digest);
CREATE INDEX nodes_by_name_idx ON nodes USING btree (org_id, name);
CREATE INDEX observations_by_experiment_idx ON observations USING btree (org_id, experiment_id, started_at, id) WHERE (experiment_id IS NOT NULL);
CREATE INDEX observations_by_profile_idx ON observations USING btree (org_id, profile_id, started_at, id);
CREATE INDEX observations_by_type_idx ON observations USING btree (org_id, event_type, started_at, id);
CREATE INDEX observations_newest_idx ON observations USING btree (org_id, started_at, id);
CREATE INDEX operation_facts_awaiting_asking_pod_idx ON operation_facts USING btree (org_id, checkpoint_name, node_name, started_at) WHERE ((op_type = 'restore'::text) AND (pod_ready_at IS NULL) AND (pod_uid = ''::text));
CREATE INDEX operation_facts_awaiting_pod_idx ON operation_facts USING btree (org_id, pod_uid) WHERE ((op_type = 'restore'::text) AND (pod_ready_at IS NULL));
CREATE INDEX operation_facts_by_action_idx ON operation_facts USING btree (org_id, action_id) WHERE (action_id IS NOT NULL);
CREATE INDEX operation_facts_by_checkpoint_idx ON operation_facts USING btree (org_id, checkpoint_id);
CREATE INDEX operation_facts_recent_restores_idx ON operation_facts USING btree (started_at) WHERE ((op_type = 'restore'::text) AND (pod_ready_at IS NULL));
CREATE INDEX operation_facts_running_idx ON operation_facts USING btree (org_id, op_type) WHERE (result = 'running'::text);
CREATE INDEX operation_facts_window_idx ON operation_facts USING btree (org_id, started_at);
CREATE INDEX outbox_events_aggregate_idx ON outbox_events USING btree (org_id, aggregate_type, aggregate_id);
CREATE UNIQUE INDEX outbox_events_event_id_key ON outbox_events USING btree (org_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX outbox_events_unnumbered_idx ON outbox_events USING btree (org_id, "position") WHERE (event_id IS NULL);
CREATE INDEX plugin_objects_awaited_idx ON plugin_objects USING btree (announced_at, id) WHERE (state = 'awaited'::text);
CREATE INDEX plugin_objects_file_idx ON plugin_objects USING btree (org_id, name, arch, build, announced_at);
CREATE INDEX plugin_objects_plugin_idx ON plugin_objects USING btree (org_id, arch, build, plugin, version, name, announced_at);
CREATE INDEX pods_by_checkpoint_idx ON pods USING btree (org_id, checkpoint_name, node_name) WHERE (checkpoint_name IS NOT NULL);
CREATE INDEX pods_by_name_idx ON pods USING btree (org_id, namespace, name) WHERE (NOT deleted);
CREATE INDEX pods_by_node_idx ON pods USING btree (org_id, cluster_id, node_name);
CREATE INDEX pods_by_owner_idx ON pods USING btree (org_id, owner_uid) WHERE (owner_uid IS NOT NULL);
CREATE INDEX pods_by_uid_idx ON pods USING btree (org_id, uid);
CREATE INDEX policies_by_cluster_idx ON policies USING btree (org_id, cluster_id);
CREATE INDEX policies_due_idx ON policies USING btree (next_at) WHERE (status = 'active'::text);
CREATE INDEX policies_newest_idx ON policies USING btree (org_id, created_at, id);
CREATE INDEX profiles_by_compatibility_idx ON profiles USING btree (org_id, compatibility_key);
CREATE INDEX profiles_by_model_idx ON profiles USING btree (org_id, logical_model);
CREATE INDEX queued_workloads_by_cluster_idx ON queued_workloads USING btree (org_id, cluster_id);
CREATE INDEX queued_workloads_to_forget_idx ON queued_workloads USING btree (forget_at) WHERE (manifest IS NOT NULL);
CREATE INDEX queued_workloads_to_remove_idx ON queued_workloads USING btree (forget_at) WHERE (manifest IS NULL);
CREATE INDEX restores_by_action_idx ON restores USING btree (org_id, action_id);
CREATE INDEX restores_by_checkpoint_idx ON restores USING btree (org_id, checkpoint_id);
CREATE INDEX restores_by_home_cluster_idx ON restores USING btree (org_id, cluster_id);
CREATE INDEX restores_newest_idx ON restores USING btree (org_id, created_at, id);
CREATE INDEX retention_runs_newest_idx ON retention_runs USING btree (org_id, ran_at);
CREATE INDEX route_targets_by_profile_idx ON route_targets USING btree (org_id, profile_id);
CREATE INDEX router_samples_by_time_idx ON router_samples USING btree (measured_at);
CREATE INDEX routes_by_classifier_idx ON routes USING btree (org_id, classifier_profile_id) WHERE (classifier_profile_id IS NOT NULL);
CREATE INDEX slurm_jobs_by_cluster_idx ON slurm_jobs USING btree (org_id, cluster_id, id);
CREATE INDEX slurm_jobs_by_name_idx ON slurm_jobs USING btree (org_id, cluster_id, "left"(name, 256), id);
CREATE INDEX slurm_jobs_events_by_status_idx ON slurm_jobs USING btree (org_id, status, event_time, id) WHERE (event_time IS NOT NULL);
CREATE INDEX slurm_jobs_events_idx ON slurm_jobs USING btree (org_id, event_time, id) WHERE (event_time IS NOT NULL);
CREATE INDEX slurm_jobs_running_idx ON slurm_jobs USING btree (org_id, cluster_id, "left"(name, 256), id) WHERE (status = 'RUNNING'::text);
CREATE INDEX starts_by_artifact_idx ON starts USING btree (org_id, artifact_id, ready_at) WHERE (artifact_id IS NOT NULL);
CREATE INDEX starts_by_pod_idx ON starts USING btree (org_id, pod_uid) WHERE (pod_uid IS NOT NULL);
CREATE INDEX starts_by_profile_idx ON starts USING btree (org_id, profile_id, began_at);
CREATE INDEX starts_ended_idx ON starts USING btree (org_id, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX starts_measured_idx ON starts USING btree (org_id, ready_at) WHERE ((ready_at IS NOT NULL) AND beginning_seen);
CREATE INDEX starts_open_idx ON starts USING btree (org_id, profile_id) WHERE (ended_at IS NULL);
CREATE INDEX uncounted_checkpoints_workload_idx ON uncounted_checkpoints USING btree (org_id, cluster_id, workload);
CREATE INDEX usage_records_by_experiment_idx ON usage_records USING btree (org_id, experiment_id, occurred_at) WHERE (experiment_id IS NOT NULL);
CREATE INDEX usage_records_by_profile_idx ON usage_records USING btree (org_id, profile_id, occurred_at) WHERE (profile_id IS NOT NULL);
CREATE INDEX usage_records_by_time_idx ON usage_records USING btree (org_id, occurred_at);
CREATE TRIGGER activations_moved_routing AFTER UPDATE ON activations FOR EACH ROW WHEN (((old.ready IS DISTINCT FROM new.ready) OR ((old.phase = 'Draining'::text) IS DISTINCT FROM (new.phase = 'Draining'::text)) OR (old.endpoint IS DISTINCT FROM new.endpoint) OR (old.start_id IS DISTINCT FROM new.start_id))) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER activations_routing AFTER INSERT ON activations FOR EACH ROW EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER artifact_stays_begun AFTER INSERT ON artifacts FOR EACH ROW EXECUTE FUNCTION artifact_stays_followed();
CREATE TRIGGER artifact_stays_moved AFTER UPDATE ON artifacts FOR EACH ROW WHEN (((((old.status IS DISTINCT FROM new.status) OR (old.storage_tier IS DISTINCT FROM new.storage_tier)) OR (old.promotion_state IS DISTINCT FROM new.promotion_state)) OR (old.promotion_from IS DISTINCT FROM new.promotion_from))) EXECUTE FUNCTION artifact_stays_followed();
CREATE TRIGGER artifacts_moved_routing AFTER UPDATE ON artifacts FOR EACH ROW WHEN (((old.status = ANY (ARRAY['ready'::text, 'golden'::text])) IS DISTINCT FROM (new.status = ANY (ARRAY['ready'::text, 'golden'::text])))) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER artifacts_routing AFTER INSERT ON artifacts FOR EACH ROW EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER capacity_intents_moved_routing AFTER UPDATE ON capacity_intents FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.generation IS DISTINCT FROM new.generation))) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER capacity_intents_routing AFTER INSERT ON capacity_intents FOR EACH ROW EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER checkpoint_to_count AFTER UPDATE ON actions FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND (('ready'::text = old.status) OR ('ready'::text = new.status)) AND (new.type <> 'restore_pod'::text) AND ((new.pod_id IS NOT NULL) OR (new.slurm_job_id IS NOT NULL)))) EXECUTE FUNCTION checkpoint_to_count();
CREATE TRIGGER cost_rates_routing AFTER INSERT OR UPDATE ON cost_rates FOR EACH ROW EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER experiments_moved_routing AFTER UPDATE OF status ON experiments FOR EACH ROW WHEN (((new.profile_id IS NOT NULL) AND (old.status <> new.status))) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER experiments_routing AFTER INSERT ON experiments FOR EACH ROW WHEN ((new.profile_id IS NOT NULL)) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER ledger_stays BEFORE DELETE OR UPDATE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER ledger_stays_whole BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();
CREATE TRIGGER profiles_routing AFTER UPDATE ON profiles FOR EACH ROW WHEN ((old.enabled <> new.enabled)) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER routes_routing AFTER INSERT OR UPDATE ON routes FOR EACH ROW EXECUTE FUNCTION routing_changed('route');
CREATE TRIGGER starts_moved_routing AFTER UPDATE ON starts FOR EACH ROW WHEN ((((((((old.ready_at IS DISTINCT FROM new.ready_at) OR (old.failed_at IS DISTINCT FROM new.failed_at)) OR (old.ended_at IS DISTINCT FROM new.ended_at)) OR (old.pod_uid IS DISTINCT FROM new.pod_uid)) OR (old.artifact_id IS DISTINCT FROM new.artifact_id)) OR (old.restore_checkpoint_path IS DISTINCT FROM new.restore_checkpoint_path)) OR (old.restore_failed_at IS DISTINCT FROM new.restore_failed_at))) EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER starts_routing AFTER INSERT ON starts FOR EACH ROW EXECUTE FUNCTION routing_changed('profile');
CREATE TRIGGER usage_added_up AFTER INSERT ON usage_records REFERENCING NEW TABLE AS told FOR EACH STATEMENT EXECUTE FUNCTION usage_added_up();
ALTER TABLE ONLY access_tokens ADD CONSTRAINT access_tokens_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY actions ADD CONSTRAINT actions_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY activation_phases ADD CONSTRAINT activation_phases_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY activations ADD CONSTRAINT activations_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY artifact_stays ADD CONSTRAINT artifact_stays_artifact_fkey FOREIGN KEY (org_id, artifact_id) REFERENCES artifacts(org_id, artifact_id) ON DELETE CASCADE;
ALTER TABLE ONLY artifacts ADD CONSTRAINT artifacts_parent_fkey FOREIGN KEY (org_id, parent_artifact_id) REFERENCES artifacts(org_id, artifact_id);
ALTER TABLE ONLY artifacts ADD CONSTRAINT artifacts_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY authorizations ADD CONSTRAINT authorizations_key_fkey FOREIGN KEY (org_id, key_id) REFERENCES inference_keys(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY capacity_asks ADD CONSTRAINT capacity_asks_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY capacity_intents ADD CONSTRAINT capacity_intents_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY checkpoint_requests ADD CONSTRAINT checkpoint_requests_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY checkpoints ADD CONSTRAINT checkpoints_action_fkey FOREIGN KEY (org_id, action_id) REFERENCES actions(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY checkpoints ADD CONSTRAINT checkpoints_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY clusters ADD CONSTRAINT clusters_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY cost_rates ADD CONSTRAINT cost_rates_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY engine_graph_deployments ADD CONSTRAINT engine_graph_deployments_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY engine_services ADD CONSTRAINT engine_services_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY experiments ADD CONSTRAINT experiments_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY experiments ADD CONSTRAINT experiments_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY fleet_profiles ADD CONSTRAINT fleet_profiles_fleet_fkey FOREIGN KEY (org_id, fleet_id) REFERENCES fleets(org_id, fleet_id) ON DELETE CASCADE;
ALTER TABLE ONLY fleet_profiles ADD CONSTRAINT fleet_profiles_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY fleets ADD CONSTRAINT fleets_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY hosts ADD CONSTRAINT hosts_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY inference_keys ADD CONSTRAINT inference_keys_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY instance_type_prices ADD CONSTRAINT instance_type_prices_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY instances ADD CONSTRAINT instances_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY jobs ADD CONSTRAINT jobs_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY ledger_entries ADD CONSTRAINT ledger_entries_key_fkey FOREIGN KEY (org_id, key_id) REFERENCES inference_keys(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY legacy_job_checkpoints ADD CONSTRAINT legacy_job_checkpoints_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY legacy_jobs ADD CONSTRAINT legacy_jobs_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY lifecycle_events ADD CONSTRAINT lifecycle_events_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY lifecycle_events ADD CONSTRAINT lifecycle_events_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY maintenance_windows ADD CONSTRAINT maintenance_windows_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY nodes ADD CONSTRAINT nodes_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY observations ADD CONSTRAINT observations_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY operation_stages ADD CONSTRAINT operation_stages_fact_fkey FOREIGN KEY (org_id, operation_id) REFERENCES operation_facts(org_id, operation_id) ON DELETE CASCADE;
ALTER TABLE ONLY plugin_objects ADD CONSTRAINT plugin_objects_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY pods ADD CONSTRAINT pods_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY policies ADD CONSTRAINT policies_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY profiles ADD CONSTRAINT profiles_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY queued_workloads ADD CONSTRAINT queued_workloads_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY restore_events ADD CONSTRAINT restore_events_restore_fkey FOREIGN KEY (org_id, restore_id) REFERENCES restores(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY restores ADD CONSTRAINT restores_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY retention_policies ADD CONSTRAINT retention_policies_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY retention_runs ADD CONSTRAINT retention_runs_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY route_targets ADD CONSTRAINT route_targets_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY route_targets ADD CONSTRAINT route_targets_route_fkey FOREIGN KEY (org_id, logical_model) REFERENCES routes(org_id, logical_model) ON DELETE CASCADE;
ALTER TABLE ONLY router_samples ADD CONSTRAINT router_samples_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY routes ADD CONSTRAINT routes_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY savings_refreshes ADD CONSTRAINT savings_refreshes_org_fkey FOREIGN KEY (org_id) REFERENCES organisations(id) ON DELETE CASCADE;
ALTER TABLE ONLY slurm_clusters ADD CONSTRAINT slurm_clusters_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY slurm_jobs ADD CONSTRAINT slurm_jobs_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY slurm_nodes ADD CONSTRAINT slurm_nodes_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY slurm_partitions ADD CONSTRAINT slurm_partitions_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY start_credits ADD CONSTRAINT start_credits_start_fkey FOREIGN KEY (org_id, start_id) REFERENCES starts(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY starts ADD CONSTRAINT starts_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE ONLY uncounted_checkpoints ADD CONSTRAINT uncounted_checkpoints_cluster_fkey FOREIGN KEY (org_id, cluster_id) REFERENCES clusters(org_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY worker_endpoints ADD CONSTRAINT worker_endpoints_profile_fkey FOREIGN KEY (org_id, profile_id) REFERENCES profiles(org_id, profile_id) ON DELETE CASCADE;
ALTER TABLE access_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE actions ENABLE ROW LEVEL SECURITY;
ALTER TABLE activation_phases ENABLE ROW LEVEL SECURITY;
ALTER TABLE activations ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact_stays ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifacts ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE authorizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE busy_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE busy_minutes ENABLE ROW LEVEL SECURITY;
ALTER TABLE capacity_asks ENABLE ROW LEVEL SECURITY;
ALTER TABLE capacity_intents ENABLE ROW LEVEL SECURITY;
ALTER TABLE checkpoint_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE clusters ENABLE ROW LEVEL SECURITY;
ALTER TABLE cost_rates ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine_graph_deployments ENABLE ROW LEVEL SECURITY;
ALTER TABLE engine_services ENABLE ROW LEVEL SECURITY;
ALTER TABLE experiments ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleet_profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE fleets ENABLE ROW LEVEL SECURITY;
ALTER TABLE hosts ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE inference_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE instance_type_prices ENABLE ROW LEVEL SECURITY;
ALTER TABLE instances ENABLE ROW LEVEL SECURITY;
ALTER TABLE jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE legacy_job_checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE legacy_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE lifecycle_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE maintenance_windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE metric_kinds ENABLE ROW LEVEL SECURITY;
ALTER TABLE metric_pods ENABLE ROW LEVEL SECURITY;
ALTER TABLE metric_samples ENABLE ROW LEVEL SECURITY;
ALTER TABLE metric_series ENABLE ROW LEVEL SECURITY;
ALTER TABLE nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE observations ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation_facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation_failure_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation_stage_totals ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation_stages ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation_totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY organisation ON access_tokens USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON actions USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON activation_phases USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON activations USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON artifact_stays USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON artifacts USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON audit_entries USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON authorizations USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON busy_hours USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON busy_minutes USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON capacity_asks USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON capacity_intents USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON checkpoint_requests USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON checkpoints USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON clusters USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON cost_rates USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON engine_graph_deployments USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON engine_services USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON experiments USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON fleet_profiles USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON fleets USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON hosts USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON idempotency_keys USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON inference_keys USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON instance_type_prices USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON instances USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON jobs USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON ledger_entries USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON legacy_job_checkpoints USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON legacy_jobs USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON lifecycle_events USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON maintenance_windows USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON metric_kinds USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON metric_pods USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON metric_samples USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON metric_series USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON nodes USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON observations USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON operation_facts USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON operation_failure_totals USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON operation_stage_totals USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON operation_stages USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON operation_totals USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON outbox_consumers USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON outbox_events USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON outbox_heads USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON plugin_objects USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON pod_savings USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON pods USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON policies USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON profiles USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON queued_workloads USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON restore_events USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON restores USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON retention_policies USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON retention_runs USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON route_targets USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON router_samples USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON routes USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON savings_refreshes USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON slurm_clusters USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON slurm_jobs USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON slurm_nodes USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON slurm_partitions USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON start_credits USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON starts USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON uncounted_checkpoints USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON usage_records USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON usage_rollups USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON warm_waits USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
CREATE POLICY organisation ON worker_endpoints USING (((org_id = ( SELECT (NULLIF(current_setting('app.org'::text, true), ''::text))::uuid AS "nullif")) OR ( SELECT (current_setting('app.system'::text, true) = 'on'::text))));
ALTER TABLE outbox_consumers ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE plugin_objects ENABLE ROW LEVEL SECURITY;
ALTER TABLE pod_savings ENABLE ROW LEVEL SECURITY;
ALTER TABLE pods ENABLE ROW LEVEL SECURITY;
ALTER TABLE policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE provider_accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE queued_workloads ENABLE ROW LEVEL SECURITY;
ALTER TABLE restore_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE restores ENABLE ROW LEVEL SECURITY;
ALTER TABLE retention_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE retention_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE route_targets ENABLE ROW LEVEL SECURITY;
ALTER TABLE router_samples ENABLE ROW LEVEL SECURITY;
ALTER TABLE routes ENABLE ROW LEVEL SECURITY;
ALTER TABLE savings_refreshes ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON provider_accounts USING (( SELECT (current_setting('app.system'::text, true) = 'on'::text)));
ALTER TABLE slurm_clusters ENABLE ROW LEVEL SECURITY;
ALTER TABLE slurm_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE slurm_nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE slurm_partitions ENABLE ROW LEVEL SECURITY;
ALTER TABLE start_credits ENABLE ROW LEVEL SECURITY;
ALTER TABLE starts ENABLE ROW LEVEL SECURITY;
ALTER TABLE uncounted_checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_rollups ENABLE ROW LEVEL SECURITY;
ALTER TABLE warm_waits ENABLE ROW LEVEL SECURITY;
ALTER TABLE worker_endpoints ENABLE ROW LEVEL SECURITY;
