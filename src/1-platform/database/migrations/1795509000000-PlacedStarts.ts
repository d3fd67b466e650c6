import type { MigrationInterface, QueryRunner } from 'typeorm';
import { underLocks } from '../schema/under-locks';

/** Starts name the cluster of their worker, so that they end with it whatever became of events and pods. */
export class PlacedStarts1795509000000 implements MigrationInterface {
  name = 'PlacedStarts1795509000000';
  // Each of its locks is given back at once.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "starts" ADD COLUMN IF NOT EXISTS "cluster_id" uuid'),
    );
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "starts" DROP COLUMN "cluster_id"');
  }
}
