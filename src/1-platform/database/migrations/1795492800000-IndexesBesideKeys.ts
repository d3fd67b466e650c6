import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';

const TIMED = `
  CREATE INDEX CONCURRENTLY "usage_records_timed_idx"
    ON "usage_records" ("org_id", "occurred_at") WHERE occurred_at is not null`;

/**
 * An index that begins like a key cannot take its place any more. For a table of which PostgreSQL knows
 * nothing yet, both look as good, and a look-up of one row went through all of the organisation.
 *
 * The condition is true for every row. A statement implies it if it compares the last column, so one that
 * names a key alone cannot use the index.
 */
export class IndexesBesideKeys1795492800000 implements MigrationInterface {
  name = 'IndexesBesideKeys1795492800000';
  // The indexes are built while requests and pods are stored.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(queryRunner, 'usage_records_timed_idx', TIMED);
    await dropBeside(queryRunner, 'usage_records_by_time_idx');
    // No statement needs it.
    await dropBeside(queryRunner, 'pods_by_node_idx');
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX "usage_records_by_time_idx" ON "usage_records" ("org_id", "occurred_at")');
    await queryRunner.query('DROP INDEX "usage_records_timed_idx"');
    await queryRunner.query('CREATE INDEX "pods_by_node_idx" ON "pods" ("org_id", "cluster_id", "node_name")');
  }
}
