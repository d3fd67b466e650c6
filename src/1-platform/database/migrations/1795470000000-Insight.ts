import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

const ADDED_UP = ['busy_minutes', 'busy_hours', 'usage_rollups', 'warm_waits'];
const roomyPages = (table: string): string => `alter table ${table} set (fillfactor = 70)`;

const TABLES = ['artifact_stays', 'capacity_asks', ...ADDED_UP];

const MEASURES = {
  requests: 'count(*)',
  successes: 'count(*) filter (where coalesce(u.status_code, 200) between 200 and 299)',
  refusals: 'count(*) filter (where u.status_code >= 400 and u.status_code <> 499)',
  fallbacks: 'count(*) filter (where u.fallback_used)',
  deadline_misses: 'count(*) filter (where u.deadline_missed)',
  prompt_tokens: 'coalesce(sum(u.prompt_tokens), 0)',
  completion_tokens: 'coalesce(sum(u.completion_tokens), 0)',
  cold_start_avoided_ms: 'coalesce(sum(u.cold_start_avoided_ms), 0)',
  backend_count: 'count(u.backend_ms)',
  backend_ms: 'coalesce(sum(u.backend_ms), 0)',
  fallback_backend_ms: 'coalesce(sum(u.backend_ms) filter (where u.fallback_used), 0)',
  routing_count: 'count(u.routing_ms)',
  routing_ms: 'coalesce(sum(u.routing_ms), 0)',
  ttft_count: 'count(u.ttft_ms)',
  ttft_ms: 'coalesce(sum(u.ttft_ms), 0)',
  timed_tokens: 'coalesce(sum(u.completion_tokens) filter (where u.backend_ms > 0), 0)',
  timed_ms: 'coalesce(sum(u.backend_ms) filter (where u.completion_tokens is not null), 0)',
};
const NAMES = Object.keys(MEASURES);

/**
 * Adds records up. Rows are taken in the order of their keys, so that two who write at the same
 * time wait for each other in one direction only. A request that kept a worker busy for longer
 * than a day counts for a day: it is a row a minute. What of a profile overlaps is put together
 * before: many such requests at once are the same rows.
 *
 * @param records where they are read
 */
const rollUp = (records: string): string[] => [
  `insert into usage_rollups as r (org_id, step, bucket, series, logical_model, profile_id, meant_for_profile_id, ${NAMES.join(', ')})
   select u.org_id, s.step, date_bin(make_interval(secs => s.step), u.occurred_at, 'epoch'::timestamptz) as bucket,
     md5(array[u.logical_model, u.profile_id, u.meant_for_profile_id]::text)::uuid as series, u.logical_model, u.profile_id, u.meant_for_profile_id,
     ${Object.values(MEASURES).join(', ')}
   from ${records} u cross join (values (60), (900), (3600)) s(step)
   group by u.org_id, s.step, bucket, u.logical_model, u.profile_id, u.meant_for_profile_id order by u.org_id, s.step, bucket, series
   on conflict (org_id, step, bucket, series) do update set ${NAMES.map((name) => `${name} = r.${name} + excluded.${name}`).join(', ')}`,
  `insert into warm_waits as w (org_id, hour, profile_id, queue_ms, requests)
   select u.org_id, date_bin('1 hour', u.occurred_at, 'epoch'::timestamptz) as hour, u.profile_id, u.queue_ms, count(*)
   from ${records} u where u.activation_path = 'warm' and u.profile_id is not null and u.queue_ms is not null
   group by u.org_id, hour, u.profile_id, u.queue_ms order by u.org_id, hour, u.profile_id, u.queue_ms
   on conflict (org_id, hour, profile_id, queue_ms) do update set requests = w.requests + excluded.requests`,
  // An hour grows by what its minutes did. Minutes are held before hours, and each of them in their order.
  `with grown as (
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
             from ${records} where profile_id is not null and backend_ms > 0
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
   on conflict (org_id, hour, profile_id) do update set busy_ms = h.busy_ms + excluded.busy_ms`,
];

const USAGE_ADDED_UP = `
  create function usage_added_up() returns trigger language plpgsql as $f$
  begin
    ${rollUp('told').join(';\n    ')};
    return null;
  end $f$`;

/** The tier that holds the bytes; null where none does any more. */
const heldOn = (row: string): string =>
  `case when ${row}.status in ('deleted', 'expired') then null when ${row}.promotion_state = 'pending' then ${row}.promotion_from else ${row}.storage_tier end`;

const STAYS_FUNCTION = `
  create function artifact_stays_followed() returns trigger language plpgsql as $f$
  declare
    was text := case when tg_op = 'UPDATE' then ${heldOn('old')} end;
    is_on text := ${heldOn('new')};
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
  end $f$`;

const STAYS_TRIGGERS = [
  `create trigger artifact_stays_begun after insert on artifacts for each row execute function artifact_stays_followed()`,
  `create trigger artifact_stays_moved after update on artifacts for each row
   when ((old.status, old.storage_tier, old.promotion_state, old.promotion_from)
     is distinct from (new.status, new.storage_tier, new.promotion_state, new.promotion_from))
   execute function artifact_stays_followed()`,
];

// Of what there is already, it is known when it came and when it was last touched.
const STAYS_BACKFILL = `
  insert into artifact_stays (org_id, artifact_id, stay, tier, moved, since, until)
  select a.org_id, a.artifact_id, 1, coalesce(${heldOn('a')}, a.storage_tier), false, a.created_at,
    case when ${heldOn('a')} is null then greatest(a.created_at, a.updated_at) end
  from artifacts a`;

export class Insight1795470000000 implements MigrationInterface {
  name = 'Insight1795470000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "artifact_stays" ("org_id" uuid NOT NULL, "artifact_id" text NOT NULL, "stay" integer NOT NULL, "tier" text NOT NULL, "moved" boolean NOT NULL, "since" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "until" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "artifact_stays_pkey" PRIMARY KEY ("org_id", "artifact_id", "stay"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "artifact_stays_ended_idx" ON "artifact_stays"  ("org_id", "until") WHERE until is not null`,
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX "artifact_stays_open_idx" ON "artifact_stays"  ("org_id", "artifact_id") WHERE until is null`,
    );
    await queryRunner.query(
      `CREATE TABLE "capacity_asks" ("org_id" uuid NOT NULL, "profile_id" text NOT NULL, "generation" bigint NOT NULL, "desired_state" text NOT NULL, "desired_replicas" integer NOT NULL, "requested_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "capacity_asks_pkey" PRIMARY KEY ("org_id", "profile_id", "generation"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "capacity_asks_in_force_idx" ON "capacity_asks"  ("org_id", "profile_id", "requested_at", "generation", "desired_replicas") `,
    );
    await queryRunner.query(
      `CREATE INDEX "capacity_asks_many_idx" ON "capacity_asks"  ("org_id", "profile_id") WHERE desired_replicas > 1`,
    );
    await queryRunner.query(`CREATE INDEX "capacity_asks_by_time_idx" ON "capacity_asks"  ("org_id", "requested_at") `);
    await queryRunner.query(
      `CREATE TABLE "busy_minutes" ("org_id" uuid NOT NULL, "minute" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "profile_id" text NOT NULL, "busy" int4multirange NOT NULL, "busy_ms" integer NOT NULL, "added_ms" integer NOT NULL, CONSTRAINT "busy_minutes_pkey" PRIMARY KEY ("org_id", "minute", "profile_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "busy_hours" ("org_id" uuid NOT NULL, "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "profile_id" text NOT NULL, "busy_ms" integer NOT NULL, CONSTRAINT "busy_hours_pkey" PRIMARY KEY ("org_id", "hour", "profile_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "usage_rollups" ("org_id" uuid NOT NULL, "step" integer NOT NULL, "bucket" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "series" uuid NOT NULL, "logical_model" text NOT NULL, "profile_id" text, "meant_for_profile_id" text, "requests" bigint NOT NULL, "successes" bigint NOT NULL, "refusals" bigint NOT NULL, "fallbacks" bigint NOT NULL, "deadline_misses" bigint NOT NULL, "prompt_tokens" numeric(40,0) NOT NULL, "completion_tokens" numeric(40,0) NOT NULL, "cold_start_avoided_ms" numeric(40,0) NOT NULL, "backend_count" bigint NOT NULL, "backend_ms" numeric(40,0) NOT NULL, "fallback_backend_ms" numeric(40,0) NOT NULL, "routing_count" bigint NOT NULL, "routing_ms" numeric(40,0) NOT NULL, "ttft_count" bigint NOT NULL, "ttft_ms" numeric(40,0) NOT NULL, "timed_tokens" numeric(40,0) NOT NULL, "timed_ms" numeric(40,0) NOT NULL, CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("org_id", "step", "bucket", "series"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "warm_waits" ("org_id" uuid NOT NULL, "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "profile_id" text NOT NULL, "queue_ms" bigint NOT NULL, "requests" bigint NOT NULL, CONSTRAINT "warm_waits_pkey" PRIMARY KEY ("org_id", "hour", "profile_id", "queue_ms"))`,
    );
    await queryRunner.query(`ALTER TABLE "usage_records" ADD "meant_for_profile_id" text`);
    await queryRunner.query(
      `CREATE INDEX "starts_ended_idx" ON "starts"  ("org_id", "ended_at") WHERE ended_at is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "starts_measured_idx" ON "starts"  ("org_id", "ready_at") WHERE ready_at is not null and beginning_seen`,
    );
    await queryRunner.query(
      `ALTER TABLE "artifact_stays" ADD CONSTRAINT "artifact_stays_artifact_fkey" FOREIGN KEY ("org_id", "artifact_id") REFERENCES "artifacts"("org_id","artifact_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "capacity_asks" ADD CONSTRAINT "capacity_asks_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    for (const table of TABLES) await protectRows(queryRunner, table);
    // Their rows change with every batch of requests: room for the
    // next version on the same page spares their indexes.
    for (const table of ADDED_UP) await queryRunner.query(roomyPages(table));
    await queryRunner.query(SEE_ALL_ROWS);
    await this.addUp(queryRunner);
    await this.follow(queryRunner);
  }

  private async addUp(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create function multirange_length(of int4multirange) returns int language sql immutable strict
      return (select coalesce(sum(upper(r) - lower(r)), 0)::int from unnest(of) r)`);
    for (const statement of rollUp('usage_records')) await queryRunner.query(statement);
    await queryRunner.query(USAGE_ADDED_UP);
    await queryRunner.query(
      'create trigger usage_added_up after insert on usage_records referencing new table as told for each statement execute function usage_added_up()',
    );
  }

  private async follow(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(STAYS_FUNCTION);
    await queryRunner.query(STAYS_BACKFILL);
    for (const trigger of STAYS_TRIGGERS) await queryRunner.query(trigger);
    await queryRunner.query(
      'insert into capacity_asks select org_id, profile_id, generation, desired_state, desired_replicas, requested_at from capacity_intents',
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    // With the triggers that call them.
    await queryRunner.query('drop function artifact_stays_followed() cascade');
    await queryRunner.query('drop function usage_added_up() cascade');
    await queryRunner.query('drop function multirange_length(int4multirange)');
    await queryRunner.query(`ALTER TABLE "capacity_asks" DROP CONSTRAINT "capacity_asks_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "artifact_stays" DROP CONSTRAINT "artifact_stays_artifact_fkey"`);
    await queryRunner.query(`DROP INDEX "public"."starts_measured_idx"`);
    await queryRunner.query(`DROP INDEX "public"."starts_ended_idx"`);
    await queryRunner.query(`ALTER TABLE "usage_records" DROP COLUMN "meant_for_profile_id"`);
    await queryRunner.query(`DROP TABLE "warm_waits"`);
    await queryRunner.query(`DROP TABLE "usage_rollups"`);
    await queryRunner.query(`DROP TABLE "busy_hours"`);
    await queryRunner.query(`DROP TABLE "busy_minutes"`);
    await queryRunner.query(`DROP INDEX "public"."capacity_asks_many_idx"`);
    await queryRunner.query(`DROP INDEX "public"."capacity_asks_by_time_idx"`);
    await queryRunner.query(`DROP INDEX "public"."capacity_asks_in_force_idx"`);
    await queryRunner.query(`DROP TABLE "capacity_asks"`);
    await queryRunner.query(`DROP INDEX "public"."artifact_stays_open_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifact_stays_ended_idx"`);
    await queryRunner.query(`DROP TABLE "artifact_stays"`);
  }
}
