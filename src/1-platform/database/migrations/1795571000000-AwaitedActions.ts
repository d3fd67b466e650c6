import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';
import { underLocks } from '../schema/under-locks';

/**
 * Actions that are in error by one checkpoint have a deadline for their others. Windows of paused policies
 * are found once they are over. A policy knows how many checkpoints may become ready before it counts all.
 */
export class AwaitedActions1795571000000 implements MigrationInterface {
  name = 'AwaitedActions1795571000000';
  // Its indexes are built while actions are reported.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "policies" ADD COLUMN IF NOT EXISTS "count_after" integer'),
    );
    await buildBeside(
      queryRunner,
      'actions_partly_failed_idx',
      `CREATE INDEX CONCURRENTLY "actions_partly_failed_idx" ON "actions" ("answer_by")
       WHERE status = 'error' and given_up_at is null and type <> 'restore_pod'`,
    );
    await buildBeside(
      queryRunner,
      'policies_awaited_idx',
      `CREATE INDEX CONCURRENTLY "policies_awaited_idx" ON "policies" ("next_at")
       WHERE status = 'active' or status = 'paused' and trigger = 'maintenance'`,
    );
    await dropBeside(queryRunner, 'policies_due_idx');
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE INDEX "policies_due_idx" ON "policies" ("next_at") WHERE status = 'active'`);
    await queryRunner.query('DROP INDEX "actions_partly_failed_idx", "policies_awaited_idx"');
    await queryRunner.query('ALTER TABLE "policies" DROP COLUMN "count_after"');
  }
}
