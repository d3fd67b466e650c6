import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const TABLES = ['operation_sums', 'operation_sketches', 'operation_changes'];

/** The sums that the summary of operations reads. A sweep adds the facts of before. */
export class OperationSums1795467600000 implements MigrationInterface {
  name = 'OperationSums1795467600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "operation_sums" (
        "org_id" uuid NOT NULL,
        "measure" text NOT NULL,
        "step" integer NOT NULL,
        "bucket" timestamptz(3) NOT NULL,
        "series" uuid NOT NULL,
        "op_type" text NOT NULL,
        "workload_type" text NOT NULL,
        "name" text NOT NULL,
        "reason" text NOT NULL,
        "attempts" bigint NOT NULL,
        "succeeded" bigint NOT NULL,
        "failed" bigint NOT NULL,
        "fallbacks" bigint NOT NULL,
        "amount" numeric(40,0) NOT NULL,
        CONSTRAINT "operation_sums_pkey" PRIMARY KEY ("org_id", "measure", "step", "bucket", "series")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "operation_sketches" (
        "org_id" uuid NOT NULL,
        "measure" text NOT NULL,
        "step" integer NOT NULL,
        "bucket" timestamptz(3) NOT NULL,
        "series" uuid NOT NULL,
        "octave" integer NOT NULL,
        "total" bigint NOT NULL,
        "places" integer array NOT NULL,
        "counts" bigint array NOT NULL,
        CONSTRAINT "operation_sketches_pkey"
          PRIMARY KEY ("org_id", "measure", "step", "bucket", "series", "octave")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "operation_changes" (
        "org_id" uuid NOT NULL,
        "started_at" timestamptz(3) NOT NULL,
        "id" uuid NOT NULL,
        "weight" integer NOT NULL,
        "attempt" boolean NOT NULL,
        "op_type" text NOT NULL,
        "workload_type" text NOT NULL,
        "result" text NOT NULL,
        "storage_tier" text NOT NULL,
        "failure_stage_label" text NOT NULL,
        "failure_reason_label" text NOT NULL,
        "duration_ns" bigint NOT NULL,
        "pause_ns" bigint NOT NULL,
        "physical_bytes" bigint NOT NULL,
        "pod_scheduled_at" timestamptz(3),
        "pod_ready_at" timestamptz(3),
        "stages" text array NOT NULL,
        "stage_ns" bigint array NOT NULL,
        CONSTRAINT "operation_changes_pkey" PRIMARY KEY ("org_id", "started_at", "id")
      )
    `);
    for (const table of TABLES) await protectRows(queryRunner, table);
    await queryRunner.query('ALTER TABLE "operation_facts" ADD "summed" boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // They write a table that goes. The build that starts next makes its own objects anew.
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_facts_1_summed" ON "operation_facts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_facts_2_added" ON "operation_facts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_facts_2_changed" ON "operation_facts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_facts_2_removed" ON "operation_facts"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_stages_added" ON "operation_stages"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_stages_changed" ON "operation_stages"');
    await queryRunner.query('DROP TRIGGER IF EXISTS "operation_stages_removed" ON "operation_stages"');
    // It takes a row of a table that earlier migrations take back.
    await queryRunner.query('DROP FUNCTION IF EXISTS "note_operation"');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('ALTER TABLE "operation_facts" DROP COLUMN "summed"');
    await queryRunner.query('DROP TABLE "operation_changes", "operation_sketches", "operation_sums"');
  }
}
