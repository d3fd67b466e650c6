import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protection } from '../rows/row-level-security';
import { buildBeside } from '../schema/build-beside';

/** They find old rows. */
const INDEXES: Readonly<Record<string, string>> = {
  pods_gone_idx: 'CREATE INDEX CONCURRENTLY "pods_gone_idx" ON "pods" ("org_id", "synced_at", "id") WHERE deleted',
  jobs_gone_idx: 'CREATE INDEX CONCURRENTLY "jobs_gone_idx" ON "jobs" ("org_id", "synced_at", "id") WHERE deleted',
  checkpoint_requests_ended_idx: `CREATE INDEX CONCURRENTLY "checkpoint_requests_ended_idx"
    ON "checkpoint_requests" ("org_id", "completed_at") WHERE completed_at is not null`,
};

/** What stays counted of the rows that are removed. */
const COUNTS: readonly string[] = [
  `CREATE TABLE "past_actions" (
     "org_id" uuid NOT NULL,
     "policy_id" uuid NOT NULL,
     "asked" bigint NOT NULL,
     "ready" bigint NOT NULL,
     "failed" bigint NOT NULL,
     "last_asked_at" timestamptz(3) NOT NULL,
     CONSTRAINT "past_actions_pkey" PRIMARY KEY ("org_id", "policy_id")
   )`,
  `CREATE TABLE "past_starts" (
     "org_id" uuid NOT NULL,
     "artifact_id" text NOT NULL,
     "attempts" bigint NOT NULL,
     "restores" bigint NOT NULL,
     "last_restored_at" timestamptz(3),
     CONSTRAINT "past_starts_pkey" PRIMARY KEY ("org_id", "artifact_id")
   )`,
  ...protection('past_actions'),
  ...protection('past_starts'),
];
const DROP_COUNTS = 'DROP TABLE IF EXISTS "past_actions", "past_starts"';

/** Rows that are too old are removed, table by table. */
export class OldRows1795474800000 implements MigrationInterface {
  name = 'OldRows1795474800000';
  // The indexes are built while rows are written.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.startTransaction();
    try {
      await queryRunner.query(DROP_COUNTS);
      for (const statement of COUNTS) await queryRunner.query(statement);
      await queryRunner.commitTransaction();
    } catch (error) {
      await queryRunner.rollbackTransaction();
      throw error;
    }
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX IF EXISTS "checkpoint_requests_ended_idx", "jobs_gone_idx", "pods_gone_idx"');
    await queryRunner.query(DROP_COUNTS);
  }
}
