import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failed attempts are listed without a look at all the others. */
export class FailedOperations1795430400000 implements MigrationInterface {
  name = 'FailedOperations1795430400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "operation_facts_failed_idx" ON "operation_facts" ("org_id", "started_at") WHERE result = 'failed'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "operation_facts_failed_idx"');
  }
}
