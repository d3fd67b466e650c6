import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

/** The types of metrics stand once for each metric, and not in each of its series. */
export class MetricKinds1795800002000 implements MigrationInterface {
  name = 'MetricKinds1795800002000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "metric_kinds" ("org_id" uuid NOT NULL, "family" text NOT NULL, "metric" text NOT NULL, "kind" text NOT NULL, CONSTRAINT "metric_kinds_pkey" PRIMARY KEY ("org_id", "family", "metric"))`,
    );
    await protectRows(queryRunner, 'metric_kinds');
    await queryRunner.query(SEE_ALL_ROWS);
    // Series made before had the type that was said of their metric.
    await queryRunner.query(
      `INSERT INTO "metric_kinds" ("org_id", "family", "metric", "kind") SELECT DISTINCT ON ("org_id", "family", "metric") "org_id", "family", "metric", "kind" FROM "metric_series" ORDER BY "org_id", "family", "metric", "last_sampled_on" DESC`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "metric_kinds"`);
  }
}
