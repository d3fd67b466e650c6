import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const TABLES_OF_ORGANISATIONS = ['hosts', 'legacy_job_checkpoints', 'legacy_jobs'];

export class HostsAndLegacyJobs1795300000000 implements MigrationInterface {
  name = 'HostsAndLegacyJobs1795300000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
            CREATE TABLE "hosts" (
                "org_id" uuid NOT NULL,
                "id" text NOT NULL,
                "object" json NOT NULL,
                "object_bytes" integer NOT NULL,
                CONSTRAINT "hosts_pkey" PRIMARY KEY ("org_id", "id"),
                CONSTRAINT "hosts_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations" ("id") ON DELETE CASCADE
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "legacy_jobs" (
                "org_id" uuid NOT NULL,
                "id" text NOT NULL,
                "host_id" text NOT NULL,
                "object" json NOT NULL,
                "object_bytes" integer NOT NULL,
                CONSTRAINT "legacy_jobs_pkey" PRIMARY KEY ("org_id", "id"),
                CONSTRAINT "legacy_jobs_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations" ("id") ON DELETE CASCADE
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "legacy_jobs_by_host_idx" ON "legacy_jobs" ("org_id", "host_id")
        `);
    await queryRunner.query(`
            CREATE TABLE "legacy_job_checkpoints" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "jid" text NOT NULL,
                "time" bigint NOT NULL,
                "object" json NOT NULL,
                "object_bytes" integer NOT NULL,
                CONSTRAINT "legacy_job_checkpoints_pkey" PRIMARY KEY ("org_id", "id"),
                CONSTRAINT "legacy_job_checkpoints_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations" ("id") ON DELETE CASCADE
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "legacy_job_checkpoints_newest_idx" ON "legacy_job_checkpoints" ("org_id", "time", "id")
        `);
    await queryRunner.query(`
            CREATE INDEX "legacy_job_checkpoints_by_job_idx" ON "legacy_job_checkpoints" ("org_id", "jid")
        `);
    for (const table of TABLES_OF_ORGANISATIONS) await protectRows(queryRunner, table);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    // With their indexes, keys and policies.
    await queryRunner.query('DROP TABLE "legacy_job_checkpoints"');
    await queryRunner.query('DROP TABLE "legacy_jobs"');
    await queryRunner.query('DROP TABLE "hosts"');
  }
}
