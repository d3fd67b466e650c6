import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

export class SlurmCheckpointsAndPolicies1795320000000 implements MigrationInterface {
  name = 'SlurmCheckpointsAndPolicies1795320000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "policies" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "cluster_id" uuid NOT NULL, "name" text, "status" text NOT NULL, "trigger" text NOT NULL, "interval_seconds" integer, "max_checkpoints" integer, "starts_at" TIMESTAMP(3) WITH TIME ZONE, "ends_at" TIMESTAMP(3) WITH TIME ZONE, "resource" text NOT NULL, "namespace" text, "pod_ids" uuid array, "slurm_job_ids" bigint array, "priority" integer, "kind" text NOT NULL, "runc_root" text, "next_at" TIMESTAMP(3) WITH TIME ZONE, "last_beat_at" TIMESTAMP(3) WITH TIME ZONE, "matched_at" TIMESTAMP(3) WITH TIME ZONE, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "policies_next_check" CHECK ((status = 'active') = (next_at is not null)), CONSTRAINT "policies_resource_check" CHECK (resource in ('namespace', 'pods', 'jobs', 'slurm_jobs')), CONSTRAINT "policies_trigger_check" CHECK (case trigger when 'heartbeat' then interval_seconds >= 10 and starts_at is null and ends_at is null
    when 'maintenance' then interval_seconds is null and max_checkpoints is null and ends_at > starts_at else false end), CONSTRAINT "policies_status_check" CHECK (status in ('active', 'disabled')), CONSTRAINT "policies_pkey" PRIMARY KEY ("org_id", "id"))`);
    await queryRunner.query(`CREATE INDEX "policies_due_idx" ON "policies"  ("next_at") WHERE status = 'active'`);
    await queryRunner.query(`CREATE INDEX "policies_by_cluster_idx" ON "policies"  ("org_id", "cluster_id") `);
    await queryRunner.query(`CREATE INDEX "policies_newest_idx" ON "policies"  ("org_id", "created_at", "id") `);
    await queryRunner.query(`ALTER TABLE "actions" ADD "slurm_job_id" bigint`);
    await queryRunner.query(`ALTER TABLE "actions" ADD "policy_id" uuid`);
    await queryRunner.query(`ALTER TABLE "actions" ADD "beat_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(`ALTER TABLE "checkpoints" ADD "workload_type" text NOT NULL DEFAULT 'kubernetes'`);
    await queryRunner.query(
      `CREATE UNIQUE INDEX "actions_slurm_job_beat_key" ON "actions"  ("org_id", "policy_id", "beat_at", "slurm_job_id") WHERE policy_id is not null and slurm_job_id is not null`,
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX "actions_pod_beat_key" ON "actions"  ("org_id", "policy_id", "beat_at", "pod_id") WHERE policy_id is not null and pod_id is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "actions_by_policy_idx" ON "actions"  ("org_id", "policy_id", "created_at", "id") WHERE policy_id is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "actions_by_slurm_job_idx" ON "actions"  ("org_id", "slurm_job_id", "created_at") WHERE slurm_job_id is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "checkpoints_newest_of_type_idx" ON "checkpoints"  ("org_id", "workload_type", "created_at", "id") `,
    );
    await queryRunner.query(
      `ALTER TABLE "checkpoints" ADD CONSTRAINT "checkpoints_workload_type_check" CHECK (workload_type in ('kubernetes', 'slurm'))`,
    );
    await queryRunner.query(
      `ALTER TABLE "policies" ADD CONSTRAINT "policies_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id","id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await protectRows(queryRunner, 'policies');
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "policies" DROP CONSTRAINT "policies_cluster_fkey"`);
    await queryRunner.query(`ALTER TABLE "checkpoints" DROP CONSTRAINT "checkpoints_workload_type_check"`);
    await queryRunner.query(`DROP INDEX "public"."checkpoints_newest_of_type_idx"`);
    await queryRunner.query(`DROP INDEX "public"."actions_by_slurm_job_idx"`);
    await queryRunner.query(`DROP INDEX "public"."actions_by_policy_idx"`);
    await queryRunner.query(`DROP INDEX "public"."actions_pod_beat_key"`);
    await queryRunner.query(`DROP INDEX "public"."actions_slurm_job_beat_key"`);
    await queryRunner.query(`ALTER TABLE "checkpoints" DROP COLUMN "workload_type"`);
    await queryRunner.query(`ALTER TABLE "actions" DROP COLUMN "beat_at"`);
    await queryRunner.query(`ALTER TABLE "actions" DROP COLUMN "policy_id"`);
    await queryRunner.query(`ALTER TABLE "actions" DROP COLUMN "slurm_job_id"`);
    await queryRunner.query(`DROP INDEX "public"."policies_newest_idx"`);
    await queryRunner.query(`DROP INDEX "public"."policies_by_cluster_idx"`);
    await queryRunner.query(`DROP INDEX "public"."policies_due_idx"`);
    await queryRunner.query(`DROP TABLE "policies"`);
  }
}
