import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/*
 * Numbers events that are committed, in the order in which they were written; one caller at a time, on any
 * replica. In a function, because each statement must see what was committed while the one before it waited:
 * the lock of the head in the same statement would number by a picture that is old by then. Rows that go
 * while it waits for them (their cluster is deleted) get no number, so none is missing.
 *
 * The planner is left one way only: its plan is of the first calls, when the table is
 * empty and every index as good as the next one, and a plan that looks at all events
 * of the organisation takes longer with every event.
 */
export const NUMBERING = `
  create function outbox_sequence(org uuid, lim int) returns int language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_sort = off as $f$
  declare
    h bigint;
    n int;
  begin
    select head into h from outbox_heads where org_id = org for update;
    if not found then
      insert into outbox_heads (org_id, head) values (org, 0) on conflict do nothing;
      select head into h from outbox_heads where org_id = org for update;
    end if;
    with waiting as (
      select ctid as place, position from outbox_events where org_id = org and event_id is null order by position limit lim for update
    ), numbered as (
      select place, row_number() over (order by position) as nth from waiting
    )
    update outbox_events e set event_id = h + numbered.nth from numbered where e.ctid = numbered.place;
    get diagnostics n = row_count;
    if n > 0 then
      update outbox_heads set head = h + n where org_id = org;
    end if;
    return n;
  end $f$`;

export class OutboxDelivery1795360000000 implements MigrationInterface {
  name = 'OutboxDelivery1795360000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "outbox_heads" (
        "org_id" uuid NOT NULL,
        "head" bigint NOT NULL,
        CONSTRAINT "outbox_heads_pkey" PRIMARY KEY ("org_id")
      )`);
    await queryRunner.query(`
      CREATE TABLE "outbox_consumers" (
        "org_id" uuid NOT NULL,
        "id" text NOT NULL,
        "acked" bigint NOT NULL,
        "seen_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "outbox_consumers_pkey" PRIMARY KEY ("org_id", "id")
      )`);
    for (const table of ['outbox_heads', 'outbox_consumers']) await protectRows(queryRunner, table);
    await queryRunner.query(NUMBERING);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop function outbox_sequence(uuid, int)');
    await queryRunner.query('drop table "outbox_consumers"');
    await queryRunner.query('drop table "outbox_heads"');
  }
}
