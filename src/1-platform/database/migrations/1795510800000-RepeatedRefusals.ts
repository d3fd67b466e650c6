import type { MigrationInterface, QueryRunner } from 'typeorm';
import { underLocks } from '../schema/under-locks';

/** As the release before defined it. */
const ADD_UP_BEFORE = `
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

/** A usage record may stand for several requests that were refused alike. */
export class RepeatedRefusals1795510800000 implements MigrationInterface {
  name = 'RepeatedRefusals1795510800000';
  // Each of its locks is given back at once.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "usage_records" ADD COLUMN IF NOT EXISTS "repeated" integer NOT NULL DEFAULT 0'),
    );
  }

  /** Runs in a transaction. Sums keep all requests; a record counts as one from here on. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "usage_records" DROP COLUMN "repeated"');
    await queryRunner.query(ADD_UP_BEFORE);
    // The build that starts next makes its own objects anew. No replica of this release may run any more.
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
  }
}
