import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';
import { underLocks } from '../schema/under-locks';

const COLUMNS: readonly string[] = [
  'ALTER TABLE "actions" ADD COLUMN IF NOT EXISTS "retired_at" timestamptz(3)',
  `ALTER TABLE "policies" ADD COLUMN IF NOT EXISTS "keep_last" integer,
     ADD COLUMN IF NOT EXISTS "trim_after" text, ADD COLUMN IF NOT EXISTS "paused_at" timestamptz(3)`,
];

/** There are few policies, so they are checked at once. */
const CHECKS: Readonly<Record<string, string>> = {
  policies_status_check: "status in ('active', 'paused', 'disabled')",
  policies_next_check: "(status <> 'disabled') = (next_at is not null)",
  policies_paused_check: "(status = 'paused') = (paused_at is not null)",
  policies_keep_check: 'keep_last between 1 and 1000',
  policies_trim_check: 'trim_after is null or keep_last is not null',
};

const INDEXES: Readonly<Record<string, string>> = {
  policies_trimming_idx: `CREATE INDEX CONCURRENTLY "policies_trimming_idx" ON "policies" ("org_id", "id")
    WHERE trim_after is not null`,
  actions_kept_idx: `CREATE INDEX CONCURRENTLY "actions_kept_idx"
    ON "actions" ("org_id", "policy_id", "pod_id", "slurm_job_id", "beat_at", "id", "status")
    WHERE policy_id is not null and status in ('ready', 'error') and retired_at is null`,
  actions_open_restores_idx: `CREATE INDEX CONCURRENTLY "actions_open_restores_idx"
    ON "actions" ("org_id", "checkpoint_id")
    WHERE type = 'restore_pod' and status in ('initialized', 'processing', 'checkpoint_created')`,
  checkpoints_deltas_idx: `CREATE INDEX CONCURRENTLY "checkpoints_deltas_idx"
    ON "checkpoints" ("org_id") WHERE delta or parent_checkpoint_id is not null`,
};

/** Policies keep the newest checkpoints of each workload, and can be paused. */
export class KeptCheckpoints1795520000000 implements MigrationInterface {
  name = 'KeptCheckpoints1795520000000';
  // Its indexes are built while rows are written.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of COLUMNS) await underLocks(queryRunner, () => queryRunner.query(statement));
    await underLocks(queryRunner, () => queryRunner.query(checked(CHECKS)));
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
  }

  /** Runs in a transaction. What is paused is active again, and acts once for the beats of its pause. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP INDEX "policies_trimming_idx", "actions_kept_idx", "actions_open_restores_idx", "checkpoints_deltas_idx"',
    );
    await queryRunner.query(`ALTER TABLE "policies" DROP CONSTRAINT "policies_paused_check"`);
    await queryRunner.query(`UPDATE "policies" SET "status" = 'active' WHERE "status" = 'paused'`);
    await queryRunner.query('ALTER TABLE "policies" DROP CONSTRAINT "policies_trim_check"');
    await queryRunner.query('ALTER TABLE "policies" DROP CONSTRAINT "policies_keep_check"');
    await queryRunner.query(
      checked({
        policies_status_check: "status in ('active', 'disabled')",
        policies_next_check: "(status = 'active') = (next_at is not null)",
      }),
    );
    await queryRunner.query(
      'ALTER TABLE "policies" DROP COLUMN "paused_at", DROP COLUMN "trim_after", DROP COLUMN "keep_last"',
    );
    await queryRunner.query('ALTER TABLE "actions" DROP COLUMN "retired_at"');
  }
}

const checked = (checks: Readonly<Record<string, string>>): string =>
  `ALTER TABLE "policies" ${Object.entries(checks)
    .map(([name, condition]) => `DROP CONSTRAINT IF EXISTS "${name}", ADD CONSTRAINT "${name}" CHECK (${condition})`)
    .join(', ')}`;
