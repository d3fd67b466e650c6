import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the workloads whose outcome nobody reads any more. */
export class QueuedWorkloadsToRemove1795800003000 implements MigrationInterface {
  name = 'QueuedWorkloadsToRemove1795800003000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "queued_workloads_to_remove_idx" ON "queued_workloads"  ("forget_at") WHERE manifest is null`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "public"."queued_workloads_to_remove_idx"`);
  }
}
