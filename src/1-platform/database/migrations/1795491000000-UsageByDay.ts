import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inTransaction, SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

/** As the release of this migration defines them: later ones may read columns that do not exist yet. */
const ADD_UP = `
  create or replace function add_usage_rollups() returns trigger
  language plpgsql as $$
  begin
    insert into usage_rollups as r (org_id, step, bucket, series, logical_model, profile_id,
      meant_for_profile_id, requests, successes, refusals, fallbacks, deadline_misses, prompt_tokens,
      completion_tokens, cold_start_avoided_ms, backend_count, backend_ms, fallback_backend_ms,
      routing_count, routing_ms, ttft_count, ttft_ms, timed_tokens, timed_ms)
    select u.org_id, s.step,
      date_bin(make_interval(secs => s.step), u.occurred_at, 'epoch'::timestamptz) as bucket,
      md5(array[u.logical_model, u.profile_id, u.meant_for_profile_id]::text)::uuid as series,
      u.logical_model, u.profile_id, u.meant_for_profile_id,
      count(*),
      count(*) filter (where coalesce(u.status_code, 200) between 200 and 299),
      count(*) filter (where u.status_code >= 400 and u.status_code <> 499),
      count(*) filter (where u.fallback_used),
      count(*) filter (where u.deadline_missed),
      coalesce(sum(u.prompt_tokens), 0),
      coalesce(sum(u.completion_tokens), 0),
      coalesce(sum(u.cold_start_avoided_ms), 0),
      count(u.backend_ms),
      coalesce(sum(u.backend_ms), 0),
      coalesce(sum(u.backend_ms) filter (where u.fallback_used), 0),
      count(u.routing_ms),
      coalesce(sum(u.routing_ms), 0),
      count(u.ttft_ms),
      coalesce(sum(u.ttft_ms), 0),
      coalesce(sum(u.completion_tokens) filter (where u.backend_ms > 0), 0),
      coalesce(sum(u.backend_ms) filter (where u.completion_tokens is not null), 0)
    from added u cross join (values (60), (900), (3600), (86400), (864000)) s(step)
    group by u.org_id, s.step, bucket, u.logical_model, u.profile_id, u.meant_for_profile_id
    order by u.org_id, s.step, bucket, series
    on conflict (org_id, step, bucket, series) do update set
      requests = r.requests + excluded.requests,
      successes = r.successes + excluded.successes,
      refusals = r.refusals + excluded.refusals,
      fallbacks = r.fallbacks + excluded.fallbacks,
      deadline_misses = r.deadline_misses + excluded.deadline_misses,
      prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = r.completion_tokens + excluded.completion_tokens,
      cold_start_avoided_ms = r.cold_start_avoided_ms + excluded.cold_start_avoided_ms,
      backend_count = r.backend_count + excluded.backend_count,
      backend_ms = r.backend_ms + excluded.backend_ms,
      fallback_backend_ms = r.fallback_backend_ms + excluded.fallback_backend_ms,
      routing_count = r.routing_count + excluded.routing_count,
      routing_ms = r.routing_ms + excluded.routing_ms,
      ttft_count = r.ttft_count + excluded.ttft_count,
      ttft_ms = r.ttft_ms + excluded.ttft_ms,
      timed_tokens = r.timed_tokens + excluded.timed_tokens,
      timed_ms = r.timed_ms + excluded.timed_ms;
    return null;
  end $$`;
const TAKE_OUT = `
  create or replace function take_out_unreported_usage(orgs uuid[], requests text[])
  returns table (org_id uuid, request_id text, occurred_at timestamptz, cost_usd numeric, key_id uuid)
  language plpgsql
  set enable_seqscan = off
  as $$
  #variable_conflict use_column
  begin
    return query
    with removed as (
      delete from usage_records u using unnest(orgs, requests) as t(org_id, request_id)
      where u.org_id = t.org_id and u.request_id = t.request_id and u.unreported
      returning u.*
    ), less as materialized (
      select u.org_id, s.step,
        date_bin(make_interval(secs => s.step), u.occurred_at, 'epoch'::timestamptz) as bucket,
        md5(array[u.logical_model, u.profile_id, u.meant_for_profile_id]::text)::uuid as series,
        count(*) as requests
      from removed u cross join (values (60), (900), (3600), (86400), (864000)) s(step)
      group by u.org_id, s.step, bucket, series
    ), locked as materialized (
      select r.org_id, r.step, r.bucket, r.series, l.requests from less l
      join usage_rollups r
        on r.org_id = l.org_id and r.step = l.step and r.bucket = l.bucket and r.series = l.series
      order by r.org_id, r.step, r.bucket, r.series for no key update of r
    ), subtracted as (
      update usage_rollups r set requests = r.requests - l.requests, successes = r.successes - l.requests
      from locked l
      where r.org_id = l.org_id and r.step = l.step and r.bucket = l.bucket and r.series = l.series
    )
    select u.org_id, u.request_id, u.occurred_at, u.cost_usd, u.key_id from removed u;
  end $$`;
/** Whoever adds or takes out a request waits for it, and who did so before has ended. */
const LOCK = 'LOCK TABLE "usage_records" IN SHARE ROW EXCLUSIVE MODE';

/** Sums of `step` seconds, which are added up from those of `part` seconds. */
interface Span {
  readonly step: number;
  readonly part: number;
}
const DAY: Span = { step: 86_400, part: 3_600 };
const TEN_DAYS: Span = { step: 864_000, part: 86_400 };

/** Series that one transaction adds up. New requests wait for its end; then it pauses for as long. */
const AT_ONCE = 1_000;

const BUCKETS = `
  SELECT DISTINCT org_id, date_bin(make_interval(secs => $1), bucket, 'epoch'::timestamptz)::text AS bucket
  FROM usage_rollups WHERE step = $2::int ORDER BY 1, 2`;

/** Sums of $4 seconds in a bucket $3 of $1 seconds, of series behind $5. $2 is the organisation. */
const PARTS = `
  org_id = $2::uuid AND step = $4::int AND bucket >= $3::timestamptz
    AND bucket < $3::timestamptz + make_interval(secs => $1) AND ($5::uuid IS NULL OR series > $5::uuid)`;

const LAST = `
  SELECT series::text FROM (
    SELECT DISTINCT series FROM usage_rollups WHERE ${PARTS} ORDER BY series LIMIT $6
  ) next ORDER BY next.series DESC LIMIT 1`;

const SUM = `
  INSERT INTO usage_rollups AS r (org_id, step, bucket, series, logical_model, profile_id,
    meant_for_profile_id, requests, successes, refusals, fallbacks, deadline_misses, prompt_tokens,
    completion_tokens, cold_start_avoided_ms, backend_count, backend_ms, fallback_backend_ms,
    routing_count, routing_ms, ttft_count, ttft_ms, timed_tokens, timed_ms)
  SELECT org_id, $1::int, $3::timestamptz, series, logical_model, profile_id, meant_for_profile_id,
    sum(requests), sum(successes), sum(refusals), sum(fallbacks), sum(deadline_misses), sum(prompt_tokens),
    sum(completion_tokens), sum(cold_start_avoided_ms), sum(backend_count), sum(backend_ms),
    sum(fallback_backend_ms), sum(routing_count), sum(routing_ms), sum(ttft_count), sum(ttft_ms),
    sum(timed_tokens), sum(timed_ms)
  FROM usage_rollups WHERE ${PARTS} AND series <= $6::uuid
  GROUP BY org_id, series, logical_model, profile_id, meant_for_profile_id
  ON CONFLICT (org_id, step, bucket, series) DO UPDATE SET requests = excluded.requests,
    successes = excluded.successes, refusals = excluded.refusals, fallbacks = excluded.fallbacks,
    deadline_misses = excluded.deadline_misses, prompt_tokens = excluded.prompt_tokens,
    completion_tokens = excluded.completion_tokens,
    cold_start_avoided_ms = excluded.cold_start_avoided_ms, backend_count = excluded.backend_count,
    backend_ms = excluded.backend_ms, fallback_backend_ms = excluded.fallback_backend_ms,
    routing_count = excluded.routing_count, routing_ms = excluded.routing_ms,
    ttft_count = excluded.ttft_count, ttft_ms = excluded.ttft_ms, timed_tokens = excluded.timed_tokens,
    timed_ms = excluded.timed_ms`;

/** Reports of months read sums of days, and of ten days. */
export class UsageByDay1795491000000 implements MigrationInterface {
  name = 'UsageByDay1795491000000';
  // Requests are added to the sums meanwhile.
  transaction = false;

  /** It may be killed at any time, and begins again when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    // From here on, new requests are added to all sums. Those of before are not in the longer ones yet.
    await underLocks(queryRunner, async () => {
      for (const statement of [LOCK, ADD_UP, TAKE_OUT]) await queryRunner.query(statement);
    });
    for (const span of [DAY, TEN_DAYS]) await addUp(queryRunner, span);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // The build that starts next makes its own objects anew. Until then, they write rows that it ignores.
    // No replica of this release may run any more: it would miss the sums that are removed here.
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query('DELETE FROM "usage_rollups" WHERE "step" > 3600');
    await queryRunner.query("SELECT set_config('app.system', '', true)");
  }
}

interface Bucket {
  readonly org_id: string;
  readonly bucket: string;
}

async function addUp(runner: QueryRunner, { step, part }: Span): Promise<void> {
  const buckets = await seeingAllRows<Bucket>(runner, BUCKETS, [step, part]);
  for (const { org_id: orgId, bucket } of buckets) {
    const of = [step, orgId, bucket, part];
    let behind: string | null = null;
    for (;;) {
      const [last]: Last[] = await seeingAllRows<Last>(runner, LAST, [...of, behind, AT_ONCE]);
      if (!last) break;
      const began = await underLocks(runner, async () => {
        await runner.query(LOCK);
        const locked = performance.now();
        await runner.query(SEE_ALL_ROWS);
        await runner.query(SUM, [...of, behind, last.series]);
        return locked;
      });
      behind = last.series;
      // Requests that have waited come first.
      await sleep(performance.now() - began);
    }
  }
}

interface Last {
  readonly series: string;
}

const seeingAllRows = <R>(runner: QueryRunner, text: string, values: readonly unknown[]): Promise<R[]> =>
  inTransaction(runner, async () => {
    await runner.query(SEE_ALL_ROWS);
    return (await runner.query(text, [...values])) as R[];
  });
