import type { MigrationInterface, QueryRunner } from 'typeorm';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

// Until now only the deadline of a first answer was kept: what is under way gets the time of one report.
const GRACE = `
  update actions set answer_by = clock_timestamp() + interval '15 minutes' where status in ('processing', 'checkpoint_created')`;

export class CheckpointProgress1795670000000 implements MigrationInterface {
  name = 'CheckpointProgress1795670000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "public"."actions_unanswered_idx"`);
    await queryRunner.query(`ALTER TABLE "actions" ADD "containers" text array`);
    await queryRunner.query(`ALTER TABLE "actions" ADD "leave_running" boolean NOT NULL DEFAULT true`);
    await queryRunner.query(`ALTER TABLE "checkpoints" ADD "progress_stage" text`);
    await queryRunner.query(`ALTER TABLE "checkpoints" ADD "bytes_done" bigint`);
    await queryRunner.query(`ALTER TABLE "checkpoints" ADD "bytes_total" bigint`);
    await queryRunner.query(`ALTER TABLE "checkpoints" ADD "progressed_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(
      `CREATE INDEX "actions_open_idx" ON "actions"  ("answer_by") WHERE status in ('initialized', 'processing', 'checkpoint_created')`,
    );
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(GRACE);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "public"."actions_open_idx"`);
    await queryRunner.query(`ALTER TABLE "checkpoints" DROP COLUMN "progressed_at"`);
    await queryRunner.query(`ALTER TABLE "checkpoints" DROP COLUMN "bytes_total"`);
    await queryRunner.query(`ALTER TABLE "checkpoints" DROP COLUMN "bytes_done"`);
    await queryRunner.query(`ALTER TABLE "checkpoints" DROP COLUMN "progress_stage"`);
    await queryRunner.query(`ALTER TABLE "actions" DROP COLUMN "leave_running"`);
    await queryRunner.query(`ALTER TABLE "actions" DROP COLUMN "containers"`);
    await queryRunner.query(
      `CREATE INDEX "actions_unanswered_idx" ON "actions"  ("answer_by") WHERE (status = 'initialized'::text)`,
    );
  }
}
