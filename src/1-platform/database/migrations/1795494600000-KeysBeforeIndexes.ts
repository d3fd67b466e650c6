import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside, dropBeside } from '../schema/build-beside';
import { underLocks } from '../schema/under-locks';

/** Indexes that serve only statements which compare a column, by name. Every row meets most conditions. */
const INDEXES: Readonly<Record<string, string>> = {
  slurm_jobs_id_idx: `
    CREATE UNIQUE INDEX CONCURRENTLY "slurm_jobs_id_idx"
      ON "slurm_jobs" ("org_id", "id") WHERE id is not null`,
  slurm_jobs_of_cluster_idx: `
    CREATE INDEX CONCURRENTLY "slurm_jobs_of_cluster_idx"
      ON "slurm_jobs" ("org_id", "cluster_id", "id") WHERE cluster_id is not null and id is not null`,
  slurm_jobs_named_idx: `
    CREATE INDEX CONCURRENTLY "slurm_jobs_named_idx"
      ON "slurm_jobs" ("org_id", "cluster_id", left("name", 256), "id") WHERE name is not null`,
  starts_of_profile_idx: `
    CREATE INDEX CONCURRENTLY "starts_of_profile_idx"
      ON "starts" ("org_id", "profile_id", "began_at") WHERE profile_id is not null`,
  operation_facts_timed_idx: `
    CREATE INDEX CONCURRENTLY "operation_facts_timed_idx"
      ON "operation_facts" ("org_id", "started_at") WHERE started_at is not null`,
  operation_facts_of_checkpoint_idx: `
    CREATE INDEX CONCURRENTLY "operation_facts_of_checkpoint_idx"
      ON "operation_facts" ("org_id", "checkpoint_id") WHERE checkpoint_id is not null`,
  checkpoints_timed_idx: `
    CREATE INDEX CONCURRENTLY "checkpoints_timed_idx"
      ON "checkpoints" ("org_id", "created_at", "id") WHERE created_at is not null`,
  checkpoints_of_type_idx: `
    CREATE INDEX CONCURRENTLY "checkpoints_of_type_idx"
      ON "checkpoints" ("org_id", "workload_type", "created_at", "id") WHERE workload_type is not null`,
  checkpoints_of_action_idx: `
    CREATE INDEX CONCURRENTLY "checkpoints_of_action_idx"
      ON "checkpoints" ("org_id", "action_id") WHERE action_id is not null`,
  checkpoints_of_cluster_idx: `
    CREATE INDEX CONCURRENTLY "checkpoints_of_cluster_idx"
      ON "checkpoints" ("org_id", "cluster_id") WHERE cluster_id is not null`,
  actions_timed_idx: `
    CREATE INDEX CONCURRENTLY "actions_timed_idx"
      ON "actions" ("org_id", "created_at", "id") WHERE created_at is not null`,
  actions_of_pod_idx: `
    CREATE INDEX CONCURRENTLY "actions_of_pod_idx"
      ON "actions" ("org_id", "pod_uid", "created_at") WHERE pod_uid is not null`,
  actions_of_cluster_idx: `
    CREATE INDEX CONCURRENTLY "actions_of_cluster_idx"
      ON "actions" ("org_id", "cluster_id") WHERE cluster_id is not null`,
  artifacts_timed_idx: `
    CREATE INDEX CONCURRENTLY "artifacts_timed_idx"
      ON "artifacts" ("org_id", "created_at", "artifact_id") WHERE created_at is not null`,
  artifacts_of_profile_idx: `
    CREATE INDEX CONCURRENTLY "artifacts_of_profile_idx"
      ON "artifacts" ("org_id", "profile_id", "created_at", "artifact_id") WHERE profile_id is not null`,
  artifacts_of_status_idx: `
    CREATE INDEX CONCURRENTLY "artifacts_of_status_idx"
      ON "artifacts" ("org_id", "status", "created_at", "artifact_id") WHERE status is not null`,
  artifacts_of_mode_idx: `
    CREATE INDEX CONCURRENTLY "artifacts_of_mode_idx"
      ON "artifacts" ("org_id", "checkpoint_mode", "created_at", "artifact_id")
      WHERE checkpoint_mode is not null`,
  artifacts_compatible_idx: `
    CREATE INDEX CONCURRENTLY "artifacts_compatible_idx"
      ON "artifacts" ("org_id", "compatibility_key") WHERE compatibility_key is not null`,
  checkpoint_requests_of_profile_idx: `
    CREATE INDEX CONCURRENTLY "checkpoint_requests_of_profile_idx"
      ON "checkpoint_requests" ("org_id", "profile_id", "requested_at") WHERE profile_id is not null`,
};

/** The new indexes replace these. No statement uses the last two, so nothing replaces them. */
const EARLIER: Readonly<Record<string, string>> = {
  slurm_jobs_by_cluster_idx: `
    CREATE INDEX "slurm_jobs_by_cluster_idx"
      ON "slurm_jobs" ("org_id", "cluster_id", "id")`,
  slurm_jobs_by_name_idx: `
    CREATE INDEX "slurm_jobs_by_name_idx"
      ON "slurm_jobs" ("org_id", "cluster_id", left("name", 256), "id")`,
  starts_by_profile_idx: `
    CREATE INDEX "starts_by_profile_idx"
      ON "starts" ("org_id", "profile_id", "began_at")`,
  operation_facts_window_idx: `
    CREATE INDEX "operation_facts_window_idx"
      ON "operation_facts" ("org_id", "started_at")`,
  operation_facts_by_checkpoint_idx: `
    CREATE INDEX "operation_facts_by_checkpoint_idx"
      ON "operation_facts" ("org_id", "checkpoint_id")`,
  checkpoints_newest_idx: `
    CREATE INDEX "checkpoints_newest_idx"
      ON "checkpoints" ("org_id", "created_at", "id")`,
  checkpoints_newest_of_type_idx: `
    CREATE INDEX "checkpoints_newest_of_type_idx"
      ON "checkpoints" ("org_id", "workload_type", "created_at", "id")`,
  checkpoints_by_action_idx: `
    CREATE INDEX "checkpoints_by_action_idx"
      ON "checkpoints" ("org_id", "action_id")`,
  checkpoints_by_cluster_idx: `
    CREATE INDEX "checkpoints_by_cluster_idx"
      ON "checkpoints" ("org_id", "cluster_id")`,
  actions_newest_idx: 'CREATE INDEX "actions_newest_idx" ON "actions" ("org_id", "created_at", "id")',
  actions_by_pod_idx: 'CREATE INDEX "actions_by_pod_idx" ON "actions" ("org_id", "pod_uid", "created_at")',
  actions_by_cluster_idx: 'CREATE INDEX "actions_by_cluster_idx" ON "actions" ("org_id", "cluster_id")',
  artifacts_newest_idx: `
    CREATE INDEX "artifacts_newest_idx"
      ON "artifacts" ("org_id", "created_at", "artifact_id")`,
  artifacts_by_profile_idx: `
    CREATE INDEX "artifacts_by_profile_idx"
      ON "artifacts" ("org_id", "profile_id", "created_at", "artifact_id")`,
  artifacts_by_status_idx: `
    CREATE INDEX "artifacts_by_status_idx"
      ON "artifacts" ("org_id", "status", "created_at", "artifact_id")`,
  artifacts_by_mode_idx: `
    CREATE INDEX "artifacts_by_mode_idx"
      ON "artifacts" ("org_id", "checkpoint_mode", "created_at", "artifact_id")`,
  artifacts_by_compatibility_idx: `
    CREATE INDEX "artifacts_by_compatibility_idx"
      ON "artifacts" ("org_id", "compatibility_key")`,
  checkpoint_requests_newest_idx: `
    CREATE INDEX "checkpoint_requests_newest_idx"
      ON "checkpoint_requests" ("org_id", "profile_id", "requested_at")`,
  profiles_by_model_idx: 'CREATE INDEX "profiles_by_model_idx" ON "profiles" ("org_id", "logical_model")',
  profiles_by_compatibility_idx: `
    CREATE INDEX "profiles_by_compatibility_idx"
      ON "profiles" ("org_id", "compatibility_key")`,
};

const DROP = `
  DROP INDEX "slurm_jobs_id_idx", "slurm_jobs_of_cluster_idx", "slurm_jobs_named_idx",
    "starts_of_profile_idx", "operation_facts_timed_idx", "operation_facts_of_checkpoint_idx",
    "checkpoints_timed_idx", "checkpoints_of_type_idx", "checkpoints_of_action_idx",
    "checkpoints_of_cluster_idx", "actions_timed_idx", "actions_of_pod_idx",
    "actions_of_cluster_idx", "artifacts_timed_idx", "artifacts_of_profile_idx",
    "artifacts_of_status_idx", "artifacts_of_mode_idx", "artifacts_compatible_idx",
    "checkpoint_requests_of_profile_idx"`;

/** More look-ups by a key find one row, also before PostgreSQL has analysed the table. */
export class KeysBeforeIndexes1795494600000 implements MigrationInterface {
  name = 'KeysBeforeIndexes1795494600000';
  // The indexes are built while rows are written.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
    for (const index of Object.keys(EARLIER)) await dropBeside(queryRunner, index);
    // Its index has a condition now, which a constraint cannot have.
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "slurm_jobs" DROP CONSTRAINT IF EXISTS "slurm_jobs_id_key"'),
    );
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "slurm_jobs" ADD CONSTRAINT "slurm_jobs_id_key" UNIQUE ("org_id", "id")');
    for (const create of Object.values(EARLIER)) await queryRunner.query(create);
    await queryRunner.query(DROP);
  }
}
