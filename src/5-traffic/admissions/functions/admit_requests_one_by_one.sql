-- Admits requests of one key one after the other: called by admit_requests_of_keys where the key's rate or
-- budget does not allow all of them, or where their ids are known already. `asked` is an array of objects.
--
-- Outcomes: `authorized`; `rate` (too many a second; the next one is admitted in `wait_ms`); `budget`;
-- `revoked`; `taken` (the id belongs to another request); `expired` (the id's authorization has expired
-- unused, and is still open or locked by others). A request that repeats an earlier one gets the earlier
-- authorization. An id whose authorization expired unused and is closed gets a new one, unless its use was
-- reported later. An id whose authorization was forgotten is taken as long as its record is kept.
--
-- It waits for no authorization that others have locked, because they may wait for the key, which is locked
-- here. The caller therefore closes an expired authorization, or waits for it, and asks again.
create or replace function admit_requests_one_by_one(org uuid, asking_key uuid, asked json) returns table (
  place int, outcome text, id uuid, route_generation bigint, expires_at timestamptz, wait_ms float8
)
language plpgsql
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  k inference_keys;
  r record;
  z authorizations;
  at timestamptz;
  known boolean;
  unused boolean;
  renewable boolean;
  granted int := 0;
begin
  select * into k from inference_keys where org_id = org and id = asking_key for no key update;
  at := clock_timestamp();
  if k.rate_limit_rps is not null then
    k.bucket_tokens := least(k.rate_limit_rps,
      k.bucket_tokens + greatest(extract(epoch from at - k.bucket_at), 0) * k.rate_limit_rps);
  end if;
  for r in
    select * from json_to_recordset(asked) as a(place int, id uuid, request_id text, logical_model text,
      route_generation bigint, reserved_usd numeric(24, 12), lives_ms float8, held_ms float8, profile_id text,
      prompt_tokens bigint)
    order by a.request_id, a.place
  loop
    place := r.place;
    wait_ms := null;
    select * into z from authorizations where org_id = org and request_id = r.request_id;
    known := found;
    unused := known and z.resolved_at is null and z.expires_at <= at
      and (z.settled_at is null or z.released);
    renewable := false;
    if unused and z.settled_at is not null then
      -- Whoever reports its use writes the record first, and then locks the authorization. So if no record is
      -- seen after this lock, a writer that has not committed will find the new authorization.
      perform from authorizations where org_id = org and id = z.id for no key update skip locked;
      renewable := found;
    end if;
    if (unused or (not known and r.profile_id is null)) and exists (
      select from usage_records u where u.org_id = org and u.request_id = r.request_id
    ) then
      -- It was used after all: an id has one record.
      outcome := 'taken';
    elsif unused and not renewable then
      outcome := 'expired';
    elsif known and not unused then
      outcome := case
        when z.key_id = asking_key and z.logical_model = r.logical_model
          and z.prompt_tokens is not distinct from r.prompt_tokens
        then 'authorized' else 'taken' end;
    elsif k.id is null or k.revoked_at is not null then
      outcome := 'revoked';
    elsif k.rate_limit_rps is not null and k.bucket_tokens < 1 then
      outcome := 'rate';
      wait_ms := (1 - k.bucket_tokens) * 1000 / k.rate_limit_rps;
    elsif k.budget_usd is not null
      and k.spent_usd + k.overrun_usd + k.reserved_usd + r.reserved_usd > k.budget_usd then
      outcome := 'budget';
    else
      if unused then
        update authorizations set id = r.id, renewed_from = z.id, key_id = asking_key,
          logical_model = r.logical_model, prompt_tokens = r.prompt_tokens,
          route_generation = r.route_generation,
          reserved_usd = r.reserved_usd, created_at = at,
          expires_at = at + make_interval(secs => r.lives_ms / 1000), profile_id = r.profile_id,
          resolved_at = case when r.profile_id is not null then at end,
          held_until = at + make_interval(secs => r.held_ms / 1000), settled_at = null,
          released = false
        where org_id = org and id = z.id
        returning * into z;
      else
        insert into authorizations (org_id, id, key_id, request_id, logical_model, prompt_tokens,
          route_generation, reserved_usd, created_at, expires_at, resolved_at, profile_id, held_until)
        values (org, r.id, asking_key, r.request_id, r.logical_model, r.prompt_tokens, r.route_generation,
          r.reserved_usd, at, at + make_interval(secs => r.lives_ms / 1000),
          case when r.profile_id is not null then at end, r.profile_id,
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
        insert into ledger_entries (org_id, key_id, authorization_id, kind, reserved_usd, spent_usd,
          overrun_usd, occurred_at)
        values (org, asking_key, r.id, 'reserve', r.reserved_usd, 0, 0, at);
      end if;
    end if;
    id := case when outcome = 'authorized' then z.id end;
    route_generation := case when outcome = 'authorized' then z.route_generation end;
    expires_at := case when outcome = 'authorized' then z.expires_at end;
    return next;
  end loop;
  if granted > 0 then
    update inference_keys set reserved_usd = k.reserved_usd, bucket_tokens = k.bucket_tokens, bucket_at = at
    where org_id = org and id = asking_key;
  elsif k.rate_limit_rps is not null and k.bucket_at > at then
    -- The clock was set back. The bucket keeps its tokens, and fills again from now on.
    update inference_keys set bucket_at = at where org_id = org and id = asking_key;
  end if;
end $$;
