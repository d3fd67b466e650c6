import type { MigrationInterface, QueryRunner } from 'typeorm';
import { underLocks } from '../schema/under-locks';

/** A usage record may stand for several requests that were refused alike. */
export class RepeatedRefusals1795510800000 implements MigrationInterface {
  name = 'RepeatedRefusals1795510800000';
  // Each of its locks is given back at once.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "usage_records" ADD COLUMN IF NOT EXISTS "repeated" integer NOT NULL DEFAULT 0'),
    );
  }

  /** Runs in a transaction. Sums keep all requests; a record counts as one from here on. */
  async down(queryRunner: QueryRunner): Promise<void> {
    // The build that starts next makes its own functions anew. No replica of this release may run any more.
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('ALTER TABLE "usage_records" DROP COLUMN "repeated"');
  }
}
