import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

const RESTORED = `((restore_checkpoint_path is not null or artifact_id is not null)
  and (restore_failed_at is null or restore_failed_at < told_at))`;

/** The last cold starts of a profile are found, however many restores followed them, and vice versa. */
export class StartsOfEachKind1795541000000 implements MigrationInterface {
  name = 'StartsOfEachKind1795541000000';
  // Its indexes are built while workers start.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [index, kind] of [
      ['starts_cold_idx', `${RESTORED} is not true`],
      ['starts_restored_idx', RESTORED],
    ] as const)
      await buildBeside(
        queryRunner,
        index,
        `CREATE INDEX CONCURRENTLY "${index}" ON "starts" ("org_id", "profile_id", "began_at")
         WHERE ready_at is not null and beginning_seen and ${kind}`,
      );
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "starts_cold_idx", "starts_restored_idx"');
  }
}
