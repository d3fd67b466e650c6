import type { MigrationInterface, QueryRunner } from 'typeorm';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

/**
 * What reports say of a start is kept apart from what events
 * say, which is folded anew when an event arrives late.
 */
export class StartHistory1795800000000 implements MigrationInterface {
  name = 'StartHistory1795800000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "lifecycle_events" ADD "restore_artifact_id" text`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "pod_taken_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "begun_by" uuid`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "reported_began_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "beginning_reported" boolean NOT NULL DEFAULT false`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "reported_ready_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "reported_failed_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "starts" ADD "reported_ended_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(SEE_ALL_ROWS);
    // Of the starts so far it is not known which moment came from where: all of them stand.
    await queryRunner.query(
      `UPDATE "starts" SET "reported_began_at" = "began_at", "beginning_reported" = "beginning_seen", "reported_ready_at" = "ready_at", "reported_failed_at" = "failed_at", "reported_ended_at" = "ended_at"`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "reported_ended_at"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "reported_failed_at"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "reported_ready_at"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "beginning_reported"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "reported_began_at"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "begun_by"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP COLUMN "pod_taken_at"`);
    await queryRunner.query(`ALTER TABLE "lifecycle_events" DROP COLUMN "restore_artifact_id"`);
  }
}
