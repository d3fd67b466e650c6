import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';

/** Actions that are in error by one checkpoint have a deadline for their others. */
export class AwaitedActions1795571000000 implements MigrationInterface {
  name = 'AwaitedActions1795571000000';
  // Its index is built while actions are reported.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(
      queryRunner,
      'actions_awaited_idx',
      `CREATE INDEX CONCURRENTLY "actions_awaited_idx" ON "actions" ("answer_by")
       WHERE status in ('initialized', 'processing', 'checkpoint_created')
         or status = 'error' and given_up_at is null and type <> 'restore_pod'`,
    );
    await dropBeside(queryRunner, 'actions_open_idx');
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "actions_open_idx" ON "actions" ("answer_by")
       WHERE status in ('initialized', 'processing', 'checkpoint_created')`,
    );
    await queryRunner.query('DROP INDEX "actions_awaited_idx"');
  }
}
