import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';
import { inTransaction, SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

/** As the release of this migration defines it: later ones may write columns that do not exist yet. */
const ADD_UP = `
  create or replace function add_busy_time() returns trigger
  language plpgsql as $$
  begin
    with grown as (
      insert into busy_minutes as b (org_id, profile_id, minute, busy, busy_ms, added_ms)
      select org_id, profile_id, minute, busy, multirange_length(busy), multirange_length(busy) from (
        select u.org_id, u.profile_id, m.minute, range_agg(int4range(
          greatest(round(extract(epoch from u.began - m.minute) * 1000), 0)::int,
          least(round(extract(epoch from u.ended - m.minute) * 1000), 60000)::int
        )) as busy
        from (
          select org_id, profile_id, lower(span) as began, upper(span) as ended from (
            select org_id, profile_id, range_agg(
              tstzrange(ended - make_interval(secs => least(backend_ms, 86400000) / 1000.0), ended)
            ) as spans
            from (
              select org_id, profile_id, backend_ms, occurred_at + make_interval(
                secs => greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) / 1000.0
              ) as ended
              from added where profile_id is not null and backend_ms > 0
            ) served group by org_id, profile_id
          ) merged cross join lateral unnest(spans) span
        ) u
        cross join lateral
          generate_series(date_bin('1 minute', u.began, 'epoch'::timestamptz), u.ended, '1 minute') m(minute)
        where m.minute < u.ended
        group by u.org_id, u.profile_id, m.minute
      ) minutes
      order by org_id, minute, profile_id
      on conflict (org_id, minute, profile_id) do update set
        busy = b.busy + excluded.busy,
        (busy_ms, added_ms) = (
          select b.busy_ms + a.ms, a.ms
          from (select excluded.busy_ms - multirange_length(b.busy * excluded.busy) as ms) a
        )
      returning org_id, profile_id, minute, added_ms
    ), hours as (
      insert into busy_hours as h (org_id, profile_id, hour, busy_ms)
      select org_id, profile_id, date_bin('1 hour', minute, 'epoch'::timestamptz) as hour, sum(added_ms)
      from grown group by org_id, hour, profile_id having sum(added_ms) > 0
      order by org_id, hour, profile_id
      on conflict (org_id, hour, profile_id) do update set busy_ms = h.busy_ms + excluded.busy_ms
      returning 1
    )
    insert into busy_spans as b (org_id, profile_id, step, bucket, busy_ms)
    select g.org_id, g.profile_id, s.step,
      date_bin(make_interval(secs => s.step), g.minute, 'epoch'::timestamptz) as bucket, sum(g.added_ms)
    from grown g cross join (values (86400), (864000)) s(step) cross join (select count(*) from hours) before
    group by g.org_id, s.step, bucket, g.profile_id having sum(g.added_ms) > 0
    order by g.org_id, s.step, bucket, g.profile_id
    on conflict (org_id, step, bucket, profile_id) do update set busy_ms = b.busy_ms + excluded.busy_ms;
    return null;
  end $$`;
/** As the release before defined it. */
const ADD_UP_BEFORE = `
  create or replace function add_busy_time() returns trigger
  language plpgsql as $$
  begin
    with grown as (
      insert into busy_minutes as b (org_id, profile_id, minute, busy, busy_ms, added_ms)
      select org_id, profile_id, minute, busy, multirange_length(busy), multirange_length(busy) from (
        select u.org_id, u.profile_id, m.minute, range_agg(int4range(
          greatest(round(extract(epoch from u.began - m.minute) * 1000), 0)::int,
          least(round(extract(epoch from u.ended - m.minute) * 1000), 60000)::int
        )) as busy
        from (
          select org_id, profile_id, lower(span) as began, upper(span) as ended from (
            select org_id, profile_id, range_agg(
              tstzrange(ended - make_interval(secs => least(backend_ms, 86400000) / 1000.0), ended)
            ) as spans
            from (
              select org_id, profile_id, backend_ms, occurred_at + make_interval(
                secs => greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) / 1000.0
              ) as ended
              from added where profile_id is not null and backend_ms > 0
            ) served group by org_id, profile_id
          ) merged cross join lateral unnest(spans) span
        ) u
        cross join lateral
          generate_series(date_bin('1 minute', u.began, 'epoch'::timestamptz), u.ended, '1 minute') m(minute)
        where m.minute < u.ended
        group by u.org_id, u.profile_id, m.minute
      ) minutes
      order by org_id, minute, profile_id
      on conflict (org_id, minute, profile_id) do update set
        busy = b.busy + excluded.busy,
        (busy_ms, added_ms) = (
          select b.busy_ms + a.ms, a.ms
          from (select excluded.busy_ms - multirange_length(b.busy * excluded.busy) as ms) a
        )
      returning org_id, profile_id, minute, added_ms
    )
    insert into busy_hours as h (org_id, profile_id, hour, busy_ms)
    select org_id, profile_id, date_bin('1 hour', minute, 'epoch'::timestamptz) as hour, sum(added_ms)
    from grown group by org_id, hour, profile_id having sum(added_ms) > 0
    order by org_id, hour, profile_id
    on conflict (org_id, hour, profile_id) do update set busy_ms = h.busy_ms + excluded.busy_ms;
    return null;
  end $$`;
/** Whoever adds a request waits for it, and who did so before has ended. */
const LOCK = 'LOCK TABLE "usage_records" IN SHARE ROW EXCLUSIVE MODE';

const SPANS = `
  CREATE TABLE IF NOT EXISTS "busy_spans" (
    "org_id" uuid NOT NULL,
    "step" integer NOT NULL,
    "bucket" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
    "profile_id" text NOT NULL,
    "busy_ms" integer NOT NULL,
    CONSTRAINT "busy_spans_pkey" PRIMARY KEY ("org_id", "step", "bucket", "profile_id")
  ) WITH (fillfactor = 70)`;
const ARE_PROTECTED = `SELECT relrowsecurity AS protected FROM pg_class WHERE oid = 'busy_spans'::regclass`;

/** Sums of `step` seconds, and the shorter sums that they are added up from. */
interface Span {
  readonly step: number;
  /** With the columns `org_id`, `profile_id`, `bucket` and `busy_ms`. */
  readonly parts: string;
}
const DAY: Span = { step: 86_400, parts: 'SELECT org_id, profile_id, hour AS bucket, busy_ms FROM busy_hours' };
const TEN_DAYS: Span = {
  step: 864_000,
  parts: 'SELECT org_id, profile_id, bucket, busy_ms FROM busy_spans WHERE step = 86400',
};

/** Profiles that one transaction adds up. New requests wait for its end; then it pauses for as long. */
const AT_ONCE = 1_000;

const bucketsOf = ({ parts }: Span): string => `
  SELECT DISTINCT org_id, date_bin(make_interval(secs => $1), bucket, 'epoch'::timestamptz)::text AS bucket
  FROM (${parts}) parts ORDER BY 1, 2`;

/** In a bucket $3 of $1 seconds, of profiles behind $4. $2 is the organisation. */
const within = ({ parts }: Span): string => `
  (${parts}) parts WHERE org_id = $2::uuid AND bucket >= $3::timestamptz
    AND bucket < $3::timestamptz + make_interval(secs => $1) AND ($4::text IS NULL OR profile_id > $4::text)`;

const lastOf = (span: Span): string => `
  SELECT max(profile_id) AS profile_id FROM (
    SELECT DISTINCT profile_id FROM ${within(span)} ORDER BY profile_id LIMIT $5
  ) next`;

const sumOf = (span: Span): string => `
  INSERT INTO busy_spans AS b (org_id, step, bucket, profile_id, busy_ms)
  SELECT org_id, $1::int, $3::timestamptz, profile_id, sum(busy_ms)
  FROM ${within(span)} AND profile_id <= $5::text GROUP BY org_id, profile_id ORDER BY profile_id
  ON CONFLICT (org_id, step, bucket, profile_id) DO UPDATE SET busy_ms = excluded.busy_ms`;

/** Cost reports read sums of longer spans. */
export class LongerSums1795498200000 implements MigrationInterface {
  name = 'LongerSums1795498200000';
  // Requests are added to the sums meanwhile.
  transaction = false;

  /** It may be killed at any time, and begins again when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    // From here on, new requests are added to all sums. Those of before are not in the longer ones yet.
    await underLocks(queryRunner, async () => {
      await queryRunner.query(LOCK);
      await queryRunner.query(SPANS);
      const [table] = (await queryRunner.query(ARE_PROTECTED)) as { protected: boolean }[];
      if (table?.protected !== true) await protectRows(queryRunner, 'busy_spans');
      await queryRunner.query(ADD_UP);
    });
    for (const span of [DAY, TEN_DAYS]) await addUp(queryRunner, span);
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    // Nobody is within the function while its table goes.
    await queryRunner.query(LOCK);
    // The build that starts next makes its own objects anew. No replica of this release may run any more.
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query(ADD_UP_BEFORE);
    await queryRunner.query('DROP TABLE "busy_spans"');
  }
}

interface Bucket {
  readonly org_id: string;
  readonly bucket: string;
}

async function addUp(runner: QueryRunner, span: Span): Promise<void> {
  const buckets = await seeingAllRows<Bucket>(runner, bucketsOf(span), [span.step]);
  const [last, sum] = [lastOf(span), sumOf(span)];
  for (const { org_id: orgId, bucket } of buckets) {
    const of = [span.step, orgId, bucket];
    let behind: string | null = null;
    for (;;) {
      const [reached]: Last[] = await seeingAllRows<Last>(runner, last, [...of, behind, AT_ONCE]);
      const until: string | null = reached?.profile_id ?? null;
      if (until === null) break;
      const began = await underLocks(runner, async () => {
        await runner.query(LOCK);
        const locked = performance.now();
        await runner.query(SEE_ALL_ROWS);
        await runner.query(sum, [...of, behind, until]);
        return locked;
      });
      behind = until;
      // Requests that have waited come first.
      await sleep(performance.now() - began);
    }
  }
}

interface Last {
  readonly profile_id: string | null;
}

const seeingAllRows = <R>(runner: QueryRunner, text: string, values: readonly unknown[]): Promise<R[]> =>
  inTransaction(runner, async () => {
    await runner.query(SEE_ALL_ROWS);
    return (await runner.query(text, [...values])) as R[];
  });
