import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inTransaction, SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

/** Artifacts know where the original of their copy is, which outlives the node of the copy. */
export class OriginalsOfCopies1795540000000 implements MigrationInterface {
  name = 'OriginalsOfCopies1795540000000';
  // Each of its locks is given back at once.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "artifacts" ADD COLUMN IF NOT EXISTS "original_tier" text'),
    );
    await underLocks(queryRunner, async () => {
      await queryRunner.query('ALTER TABLE "artifacts" DROP CONSTRAINT IF EXISTS "artifacts_original_check"');
      // Whatever breaks it came after the column, which only builds with the constraint write.
      await queryRunner.query(`ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_original_check"
        CHECK (original_tier in ('shared', 'object')) NOT VALID`);
    });
    await queryRunner.query('ALTER TABLE "artifacts" VALIDATE CONSTRAINT "artifacts_original_check"');
    await inTransaction(queryRunner, async () => {
      await queryRunner.query(SEE_ALL_ROWS);
      await queryRunner.query(COPIES_OF_AGENTS);
    });
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "artifacts" DROP COLUMN "original_tier"');
  }
}

// Agents register in the object storage what has such a location, and promote it by a copy.
const COPIES_OF_AGENTS = `
  update artifacts set original_tier = 'object'
  where original_tier is null and status not in ('deleted', 'expired') and node_name is not null
    and promotion_state is not null
    and case when promotion_state = 'pending' then promotion_from else storage_tier end in ('memory', 'local')
    and uri ~ '^service:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;
