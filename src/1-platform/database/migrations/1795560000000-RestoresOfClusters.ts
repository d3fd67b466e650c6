import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';

/**
 * The newest restores of a cluster are found without a look at those of all others, also those of a cluster
 * that the service does not know.
 */
export class RestoresOfClusters1795560000000 implements MigrationInterface {
  name = 'RestoresOfClusters1795560000000';
  // Its indexes are built while restores are reported.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(
      queryRunner,
      'restores_of_cluster_idx',
      `CREATE INDEX CONCURRENTLY "restores_of_cluster_idx"
       ON "restores" ("org_id", "cluster_id", "created_at", "id") WHERE cluster_id is not null`,
    );
    await buildBeside(
      queryRunner,
      'restores_of_unknown_cluster_idx',
      `CREATE INDEX CONCURRENTLY "restores_of_unknown_cluster_idx" ON "restores" ("org_id", "created_at", "id")
       WHERE lower(nullif(members ->> 'cluster_id', '')) <> coalesce(cluster_id::text, '')`,
    );
    await dropBeside(queryRunner, 'restores_by_home_cluster_idx');
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX "restores_by_home_cluster_idx" ON "restores" ("org_id", "cluster_id")');
    await queryRunner.query('DROP INDEX "restores_of_cluster_idx", "restores_of_unknown_cluster_idx"');
  }
}
