import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';

const TIMED = `
  CREATE INDEX CONCURRENTLY "usage_records_timed_idx"
    ON "usage_records" ("org_id", "occurred_at") WHERE occurred_at is not null`;

/**
 * Until PostgreSQL has analysed a table, an index that begins like a key looks as good as the key. A look-up
 * of one request then read all requests of its organisation.
 *
 * The new index of requests has a condition that every row meets. PostgreSQL uses it only for a statement
 * that compares the time, so a look-up by the key cannot take it.
 */
export class IndexesBesideKeys1795492800000 implements MigrationInterface {
  name = 'IndexesBesideKeys1795492800000';
  // The index is built while requests are stored.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(queryRunner, 'usage_records_timed_idx', TIMED);
    await dropBeside(queryRunner, 'usage_records_by_time_idx');
    // No statement uses it.
    await dropBeside(queryRunner, 'pods_by_node_idx');
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX "usage_records_by_time_idx" ON "usage_records" ("org_id", "occurred_at")');
    await queryRunner.query('DROP INDEX "usage_records_timed_idx"');
    await queryRunner.query('CREATE INDEX "pods_by_node_idx" ON "pods" ("org_id", "cluster_id", "node_name")');
  }
}
