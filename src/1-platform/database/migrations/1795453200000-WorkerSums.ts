import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const TABLES = ['worker_sums', 'worker_sum_spans', 'worker_changes'];
/** The sums that cost reports read. A sweep computes them; until then reports read single starts. */
export class WorkerSums1795453200000 implements MigrationInterface {
  name = 'WorkerSums1795453200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "worker_sums" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "step" integer NOT NULL,
        "bucket" timestamptz(3) NOT NULL,
        "starts" bigint NOT NULL,
        "ms" numeric(40,0) NOT NULL,
        "starting_ms" numeric(40,0) NOT NULL,
        "release_ms" numeric(40,0) NOT NULL,
        "releases" bigint NOT NULL,
        "release_latency_ms" numeric(40,0) NOT NULL,
        "oldest" timestamptz(3) NOT NULL,
        CONSTRAINT "worker_sums_pkey" PRIMARY KEY ("org_id", "profile_id", "step", "bucket")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "worker_sum_spans" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "since" timestamptz(3) NOT NULL,
        "until" timestamptz(3) NOT NULL,
        CONSTRAINT "worker_sum_spans_pkey" PRIMARY KEY ("org_id", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "worker_changes" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "since" timestamptz(3) NOT NULL,
        "request" boolean NOT NULL,
        CONSTRAINT "worker_changes_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(
      'CREATE INDEX "worker_changes_by_profile_idx" ON "worker_changes" ("org_id", "profile_id")',
    );
    await queryRunner.query(`
      CREATE INDEX "starts_by_profile_ended_idx" ON "starts" ("org_id", "profile_id", "ended_at")
      WHERE ended_at is not null
    `);
    // A profile that is deleted takes its sums along.
    await queryRunner.query(`
      ALTER TABLE "worker_sums" ADD CONSTRAINT "worker_sums_profile_fkey" FOREIGN KEY ("org_id", "profile_id")
        REFERENCES "profiles" ("org_id", "profile_id") ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "worker_sum_spans" ADD CONSTRAINT "worker_sum_spans_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles" ("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    for (const table of TABLES) await protectRows(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // They write a table that goes. The build that starts next makes its own objects anew.
    await queryRunner.query('DROP TRIGGER IF EXISTS "starts_worker_added" ON "starts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "starts_worker_changed" ON "starts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "starts_worker_removed" ON "starts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "capacity_asks_workers" ON "capacity_asks"');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('DROP INDEX "starts_by_profile_ended_idx"');
    await queryRunner.query('DROP TABLE "worker_changes", "worker_sum_spans", "worker_sums"');
  }
}
