import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/** Agents learn which bytes in their store are of checkpoints that went with their cluster. */
export class ForgottenCheckpoints1795485600000 implements MigrationInterface {
  name = 'ForgottenCheckpoints1795485600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "forgotten_checkpoints" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid,
        "restore_path" text,
        "forgotten_at" timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "forgotten_checkpoints_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(
      'CREATE INDEX "forgotten_checkpoints_newest_idx" ON "forgotten_checkpoints" ("org_id", "forgotten_at", "id")',
    );
    await protectRows(queryRunner, 'forgotten_checkpoints');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // It writes a table that goes. The build that starts next makes its own objects anew.
    await queryRunner.query('DROP TRIGGER IF EXISTS "checkpoint_forgotten" ON "checkpoints"');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('DROP TABLE "forgotten_checkpoints"');
  }
}
