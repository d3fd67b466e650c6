import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents run the workers of profiles and report each of them; the service scales profiles. */
export class WorkersOfProfiles1795420800000 implements MigrationInterface {
  name = 'WorkersOfProfiles1795420800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "profiles" ADD "autoscale" boolean NOT NULL DEFAULT false');
    await queryRunner.query('ALTER TABLE "activations" ADD "cluster_id" uuid, ADD "workers" jsonb, ADD "message" text');
    await queryRunner.query(
      'CREATE INDEX "profiles_scaled_idx" ON "profiles" ("org_id", "profile_id") WHERE autoscale',
    );
    await queryRunner.query('ALTER TABLE "capacity_intents" ADD "reason" text');
    await queryRunner.query(
      'CREATE INDEX "capacity_intents_generation_idx" ON "capacity_intents" ("org_id", "profile_id", "generation")',
    );
    await queryRunner.query('ALTER TABLE "capacity_asks" ADD "reason" text');
    await queryRunner.query(
      'ALTER TABLE "artifacts" ADD "restore_failed_at" timestamptz(3), ADD "restore_failure" text',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // It reads a column that goes. The build that starts next makes its own objects anew.
    await queryRunner.query('DROP TRIGGER IF EXISTS "activations_moved_routing" ON "activations"');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('ALTER TABLE "artifacts" DROP COLUMN "restore_failed_at", DROP COLUMN "restore_failure"');
    await queryRunner.query('ALTER TABLE "capacity_asks" DROP COLUMN "reason"');
    await queryRunner.query('DROP INDEX "capacity_intents_generation_idx"');
    await queryRunner.query('ALTER TABLE "capacity_intents" DROP COLUMN "reason"');
    await queryRunner.query('DROP INDEX "profiles_scaled_idx"');
    await queryRunner.query(
      'ALTER TABLE "activations" DROP COLUMN "cluster_id", DROP COLUMN "workers", DROP COLUMN "message"',
    );
    await queryRunner.query('ALTER TABLE "profiles" DROP COLUMN "autoscale"');
  }
}
