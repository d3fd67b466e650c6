import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

/** By name. */
const INDEXES: Readonly<Record<string, string>> = {
  pods_listed_by_name_idx: `
    CREATE INDEX CONCURRENTLY "pods_listed_by_name_idx"
      ON "pods" ("org_id", "name", "id", "cluster_id", "namespace", "phase", "node_name") WHERE not deleted`,
  pods_listed_by_age_idx: `
    CREATE INDEX CONCURRENTLY "pods_listed_by_age_idx"
      ON "pods" ("org_id", (
        case when "object_created_at" is null then "created_at" else "object_created_at" end
      ), "id") WHERE not deleted`,
  pods_listed_by_node_idx: `
    CREATE INDEX CONCURRENTLY "pods_listed_by_node_idx" ON "pods" ("org_id", "node_name", "id") WHERE not deleted`,
  pods_listed_by_restarts_idx: `
    CREATE INDEX CONCURRENTLY "pods_listed_by_restarts_idx"
      ON "pods" ("org_id", "restarts", "id") WHERE not deleted`,
  pods_of_owner_idx: `
    CREATE INDEX CONCURRENTLY "pods_of_owner_idx"
      ON "pods" ("org_id", "owner_uid", "cluster_id", "phase", "node_name", "deleted")
      WHERE owner_uid is not null`,
};

/** Lists of pods are read in the order of an index, and the pods of jobs are counted in one. */
export class OrdersOfPods1795489200000 implements MigrationInterface {
  name = 'OrdersOfPods1795489200000';
  // The indexes are built while pods are reported.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS "pods_sorted_by_name_idx"');
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS "pods_by_owner_idx"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE INDEX "pods_sorted_by_name_idx" ON "pods" ("org_id", "name", "id") WHERE not deleted',
    );
    await queryRunner.query(
      'CREATE INDEX "pods_by_owner_idx" ON "pods" ("org_id", "owner_uid") WHERE owner_uid is not null',
    );
    await queryRunner.query('DROP INDEX "pods_listed_by_name_idx"');
    await queryRunner.query('DROP INDEX "pods_listed_by_age_idx"');
    await queryRunner.query('DROP INDEX "pods_listed_by_node_idx"');
    await queryRunner.query('DROP INDEX "pods_listed_by_restarts_idx"');
    await queryRunner.query('DROP INDEX "pods_of_owner_idx"');
  }
}
