import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

/** A report over many profiles reads the sums of a span at once, and not with a look for each profile. */
export class WorkerSumsByBucket1795550000000 implements MigrationInterface {
  name = 'WorkerSumsByBucket1795550000000';
  // Its index is built while sums are written.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(
      queryRunner,
      'worker_sums_by_bucket_idx',
      `CREATE INDEX CONCURRENTLY "worker_sums_by_bucket_idx"
       ON "worker_sums" ("org_id", "step", "bucket", "profile_id")`,
    );
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "worker_sums_by_bucket_idx"');
  }
}
