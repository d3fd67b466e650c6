import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Row level security holds for the owner of a table too. */
const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

export class SlurmMended1795330000000 implements MigrationInterface {
  name = 'SlurmMended1795330000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(`ALTER TABLE "slurm_jobs" ADD "ranks" text NOT NULL DEFAULT ''`);
    // A name may be longer than what an index holds. The bound is INDEXED_NAME of `slurm-jobs.queries.ts`.
    await queryRunner.query(`DROP INDEX "public"."slurm_jobs_running_idx"`);
    await queryRunner.query(`DROP INDEX "public"."slurm_jobs_by_name_idx"`);
    await queryRunner.query(
      `CREATE INDEX "slurm_jobs_by_name_idx" ON "slurm_jobs"  ("org_id", "cluster_id", left("name", 256), "id")`,
    );
    await queryRunner.query(
      `CREATE INDEX "slurm_jobs_running_idx" ON "slurm_jobs"  ("org_id", "cluster_id", left("name", 256), "id") WHERE status = 'RUNNING'`,
    );
    await queryRunner.query(`ALTER TABLE "slurm_clusters" ALTER COLUMN "metadata" TYPE json USING "metadata"::json`);
    await queryRunner.query(`ALTER TABLE "maintenance_windows" ADD "told_start_time" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "maintenance_windows" ADD "told_end_time" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "maintenance_windows" ADD "superseded" boolean NOT NULL DEFAULT false`);
    await queryRunner.query(
      `UPDATE "maintenance_windows" SET "told_start_time" = "start_time", "told_end_time" = "end_time" WHERE "cluster_id" IS NOT NULL`,
    );
    await queryRunner.query(`ALTER TABLE "maintenance_windows" DROP CONSTRAINT "maintenance_windows_name_key"`);
    await queryRunner.query(
      `CREATE UNIQUE INDEX "maintenance_windows_name_key" ON "maintenance_windows"  ("org_id", "cluster_id", "name") WHERE not superseded`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(`DELETE FROM "maintenance_windows" WHERE "superseded"`);
    await queryRunner.query(`DROP INDEX "public"."maintenance_windows_name_key"`);
    await queryRunner.query(
      `ALTER TABLE "maintenance_windows" ADD CONSTRAINT "maintenance_windows_name_key" UNIQUE ("org_id", "cluster_id", "name")`,
    );
    await queryRunner.query(`ALTER TABLE "maintenance_windows" DROP COLUMN "superseded"`);
    await queryRunner.query(`ALTER TABLE "maintenance_windows" DROP COLUMN "told_end_time"`);
    await queryRunner.query(`ALTER TABLE "maintenance_windows" DROP COLUMN "told_start_time"`);
    await queryRunner.query(`ALTER TABLE "slurm_clusters" ALTER COLUMN "metadata" TYPE jsonb USING "metadata"::jsonb`);
    await queryRunner.query(`DROP INDEX "public"."slurm_jobs_running_idx"`);
    await queryRunner.query(`DROP INDEX "public"."slurm_jobs_by_name_idx"`);
    await queryRunner.query(
      `CREATE INDEX "slurm_jobs_by_name_idx" ON "slurm_jobs"  ("org_id", "cluster_id", "name", "id")`,
    );
    await queryRunner.query(
      `CREATE INDEX "slurm_jobs_running_idx" ON "slurm_jobs"  ("org_id", "cluster_id", "name", "id") WHERE status = 'RUNNING'`,
    );
    await queryRunner.query(`ALTER TABLE "slurm_jobs" DROP COLUMN "ranks"`);
  }
}
