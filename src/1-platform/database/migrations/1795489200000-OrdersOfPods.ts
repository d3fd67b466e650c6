import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';

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

/** The new indexes replace these. */
const EARLIER = ['pods_sorted_by_name_idx', 'pods_by_owner_idx'];

/** An entry of an index has at most 2,704 bytes. Kubernetes has no such phase, but nothing refused one. */
const SHORTEN = `UPDATE "pods" SET "phase" = left("phase", 64) WHERE length("phase") > 64`;
const seesAllRows = (value: 'on' | ''): string => `SELECT set_config('app.system', '${value}', false)`;

/** Lists of pods are read in the order of an index, and the pods of jobs are counted in one. */
export class OrdersOfPods1795489200000 implements MigrationInterface {
  name = 'OrdersOfPods1795489200000';
  // The indexes are built while pods are reported.
  transaction = false;

  /**
   * It may be killed at any time, and goes on when it is repeated. So it does if an index cannot be built
   * because a replica of the earlier release has stored a long phase meanwhile.
   */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(seesAllRows('on'));
    try {
      await queryRunner.query(SHORTEN);
    } finally {
      await queryRunner.query(seesAllRows(''));
    }
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
    for (const index of EARLIER) await dropBeside(queryRunner, index);
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE INDEX "pods_sorted_by_name_idx" ON "pods" ("org_id", "name", "id") WHERE not deleted',
    );
    await queryRunner.query(
      'CREATE INDEX "pods_by_owner_idx" ON "pods" ("org_id", "owner_uid") WHERE owner_uid is not null',
    );
    await queryRunner.query(
      `DROP INDEX "pods_listed_by_name_idx", "pods_listed_by_age_idx", "pods_listed_by_node_idx",
         "pods_listed_by_restarts_idx", "pods_of_owner_idx"`,
    );
  }
}
