import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

/** Checked after it is there, so that nobody waits while the rows are read. */
const COLUMNS: readonly string[] = [
  'ALTER TABLE "checkpoints" ADD COLUMN IF NOT EXISTS "bytes_removed_at" timestamptz(3)',
  `ALTER TABLE "checkpoints" DROP CONSTRAINT IF EXISTS "checkpoints_removed_check",
     ADD CONSTRAINT "checkpoints_removed_check"
       CHECK (bytes_removed_at is null or status = 'deprecated') NOT VALID`,
  'ALTER TABLE "checkpoints" VALIDATE CONSTRAINT "checkpoints_removed_check"',
  'ALTER TABLE "artifacts" ADD COLUMN IF NOT EXISTS "bytes_removed_at" timestamptz(3)',
  `ALTER TABLE "artifacts" DROP CONSTRAINT IF EXISTS "artifacts_removed_check",
     ADD CONSTRAINT "artifacts_removed_check"
       CHECK (bytes_removed_at is null or status in ('deleted', 'expired')) NOT VALID`,
  'ALTER TABLE "artifacts" VALIDATE CONSTRAINT "artifacts_removed_check"',
];

/** They find what nobody has confirmed. */
const INDEXES: Readonly<Record<string, string>> = {
  checkpoints_awaiting_removal_idx: `CREATE INDEX CONCURRENTLY "checkpoints_awaiting_removal_idx"
    ON "checkpoints" ("org_id", "cluster_id", "created_at", "id")
    WHERE status = 'deprecated' and restore_path is not null and bytes_removed_at is null`,
  artifacts_awaiting_removal_idx: `CREATE INDEX CONCURRENTLY "artifacts_awaiting_removal_idx"
    ON "artifacts" ("org_id", "cluster_id", "created_at", "artifact_id")
    WHERE status in ('deleted', 'expired') and bytes_removed_at is null`,
};

/** Controllers confirm that the bytes of checkpoints and artifacts are gone. */
export class RemovedBytes1795482000000 implements MigrationInterface {
  name = 'RemovedBytes1795482000000';
  // Rows are checked, and the indexes built, while others are written.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of COLUMNS) await queryRunner.query(statement);
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // It writes a column that goes. The build that starts next makes its own objects anew.
    await queryRunner.query('DROP TRIGGER IF EXISTS "artifact_bytes_returned" ON "artifacts"');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query(
      'DROP INDEX IF EXISTS "artifacts_awaiting_removal_idx", "checkpoints_awaiting_removal_idx"',
    );
    await queryRunner.query(
      'ALTER TABLE "artifacts" DROP CONSTRAINT "artifacts_removed_check", DROP COLUMN "bytes_removed_at"',
    );
    await queryRunner.query(
      'ALTER TABLE "checkpoints" DROP CONSTRAINT "checkpoints_removed_check", DROP COLUMN "bytes_removed_at"',
    );
  }
}
