import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inTransaction, SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

/** Starts that one transaction looks at. */
const AT_ONCE = 2_000;
const PAUSE_MS = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** As the release of this migration defines them: replicas of the release before end starts meanwhile. */
const FUNCTION = `
  create or replace function start_ended_when_failed() returns trigger
  language plpgsql as $$
  begin
    if new.ready_at > new.failed_at then
      new.failed_at := null;
    end if;
    if new.ready_at > new.reported_failed_at then
      new.reported_failed_at := null;
    end if;
    if new.ended_at > new.failed_at then
      new.ended_at := greatest(new.began_at, new.failed_at);
    end if;
    return new;
  end $$`;
const TRIGGER = `
  create or replace trigger starts_ended_when_failed before insert or update on starts
  for each row when (
    new.ended_at > new.failed_at or new.ready_at > new.failed_at or new.ready_at > new.reported_failed_at
  )
  execute function start_ended_when_failed()`;

// The trigger corrects whatever is written, and `starts_worker_changed` notes each end that it moves, so that
// its sums are computed anew. A locked start is left for the next pass: whoever holds it may hold others too.
const CORRECT_NEXT = `
  WITH next AS MATERIALIZED (
    SELECT org_id, id, ready_at > failed_at OR (ended_at > failed_at AND ended_at > began_at) AS wrong FROM starts
    WHERE (org_id, id) > ($1::uuid, $2::uuid) ORDER BY org_id, id LIMIT ${AT_ONCE}
  ), free AS MATERIALIZED (
    SELECT s.org_id, s.id FROM starts s JOIN next n ON n.org_id = s.org_id AND n.id = s.id
    WHERE n.wrong ORDER BY s.org_id, s.id FOR NO KEY UPDATE OF s SKIP LOCKED
  ), corrected AS (
    UPDATE starts s SET failed_at = s.failed_at FROM free f WHERE s.org_id = f.org_id AND s.id = f.id
  )
  SELECT org_id, id, (SELECT count(*) FROM next WHERE wrong) > (SELECT count(*) FROM free) AS skipped
  FROM next ORDER BY org_id DESC, id DESC LIMIT 1`;

interface Reached {
  readonly org_id: string;
  readonly id: string;
  readonly skipped: boolean;
}

/**
 * A worker that failed ended when it failed: that is what reports counted before its end was reported. One
 * that was ready later had not failed: the release before kept what serves again in the failed start.
 */
export class EndsOfFailedStarts1795570000000 implements MigrationInterface {
  name = 'EndsOfFailedStarts1795570000000';
  // Starts are written meanwhile.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    // Whoever wrote starts before the trigger has ended then.
    await underLocks(queryRunner, async () => {
      await queryRunner.query(FUNCTION);
      await queryRunner.query(TRIGGER);
    });
    while (!(await correctAll(queryRunner))) await sleep(PAUSE_MS);
  }

  /**
   * Runs in a transaction. The release before reads such starts as well as its own, so they stay: where no
   * report but an event gave the end, only its event still has it.
   */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop trigger if exists starts_ended_when_failed on starts');
    await queryRunner.query('drop function if exists start_ended_when_failed()');
    await queryRunner.query(`update schema_objects set checksum = '', revision = 0`);
  }
}

/** @returns false if starts were left, because others held them */
async function correctAll(runner: QueryRunner): Promise<boolean> {
  let complete = true;
  let behind: readonly string[] = [BEFORE_ALL, BEFORE_ALL];
  for (;;) {
    const [reached]: Reached[] = await inTransaction(runner, async () => {
      await runner.query(SEE_ALL_ROWS);
      return (await runner.query(CORRECT_NEXT, [...behind])) as Reached[];
    });
    if (reached === undefined) return complete;
    complete &&= !reached.skipped;
    behind = [reached.org_id, reached.id];
  }
}
