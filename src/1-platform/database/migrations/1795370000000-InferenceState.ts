import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const TABLES = [
  'profiles',
  'activation_phases',
  'activations',
  'starts',
  'artifacts',
  'worker_endpoints',
  'capacity_intents',
  'checkpoint_requests',
  'lifecycle_events',
  'observations',
  'retention_policies',
  'retention_runs',
];

export class InferenceState1795370000000 implements MigrationInterface {
  name = 'InferenceState1795370000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "profiles" ("org_id" uuid NOT NULL, "profile_id" text NOT NULL, "logical_model" text NOT NULL, "exact_model" text NOT NULL, "profile_revision" text NOT NULL, "compatibility_key" text NOT NULL, "backend_url" text NOT NULL, "hosting_mode" text NOT NULL, "spec" json NOT NULL, "engine_template" json, "estimated_cold_start_ms" bigint NOT NULL, "min_replicas" integer NOT NULL, "max_replicas" integer NOT NULL, "target_concurrency" integer NOT NULL, "max_queue_depth" integer NOT NULL, "scale_down_idle_seconds" bigint NOT NULL, "checkpoints" boolean NOT NULL, "engine_flags" text, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "profiles_pkey" PRIMARY KEY ("org_id", "profile_id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "profiles_by_compatibility_idx" ON "profiles"  ("org_id", "compatibility_key") `,
    );
    await queryRunner.query(`CREATE INDEX "profiles_by_model_idx" ON "profiles"  ("org_id", "logical_model") `);
    await queryRunner.query(
      `CREATE TABLE "activation_phases" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "profile_id" text NOT NULL, "phase" text NOT NULL, "ready" boolean NOT NULL, "observed_generation" bigint NOT NULL, "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "activation_phases_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "activation_phases_by_time_idx" ON "activation_phases"  ("org_id", "occurred_at") `,
    );
    await queryRunner.query(
      `CREATE INDEX "activation_phases_by_profile_idx" ON "activation_phases"  ("org_id", "profile_id", "occurred_at") `,
    );
    await queryRunner.query(
      `CREATE TABLE "activations" ("org_id" uuid NOT NULL, "profile_id" text NOT NULL, "desired_state" text NOT NULL, "phase" text NOT NULL, "ready" boolean NOT NULL, "endpoint" text, "observed_generation" bigint NOT NULL, "start_id" uuid, "version" bigint NOT NULL, "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "activations_pkey" PRIMARY KEY ("org_id", "profile_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "starts" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "profile_id" text NOT NULL, "generation" bigint NOT NULL, "began_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "beginning_seen" boolean NOT NULL, "ready_at" TIMESTAMP(3) WITH TIME ZONE, "failed_at" TIMESTAMP(3) WITH TIME ZONE, "ended_at" TIMESTAMP(3) WITH TIME ZONE, "restore_checkpoint_path" text, "artifact_id" text, "told_at" TIMESTAMP(3) WITH TIME ZONE, "restore_failed_at" TIMESTAMP(3) WITH TIME ZONE, "pod_uid" uuid, CONSTRAINT "starts_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "starts_by_pod_idx" ON "starts"  ("org_id", "pod_uid") WHERE pod_uid is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "starts_by_artifact_idx" ON "starts"  ("org_id", "artifact_id", "ready_at") WHERE artifact_id is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "starts_open_idx" ON "starts"  ("org_id", "profile_id") WHERE ended_at is null`,
    );
    await queryRunner.query(`CREATE INDEX "starts_by_profile_idx" ON "starts"  ("org_id", "profile_id", "began_at") `);
    await queryRunner.query(`CREATE TABLE "artifacts" ("org_id" uuid NOT NULL, "artifact_id" text NOT NULL, "profile_id" text NOT NULL, "compatibility_key" text NOT NULL, "checkpoint_mode" text NOT NULL, "storage_tier" text NOT NULL, "uri" text NOT NULL, "source" text NOT NULL, "status" text NOT NULL, "checksum" text, "parent_artifact_id" text, "logical_bytes" bigint, "physical_bytes" bigint, "reused_bytes" bigint, "written_bytes" bigint, "metadata" json NOT NULL, "restore_count" bigint NOT NULL DEFAULT '0', "engine_flags" text, "cluster_id" uuid, "node_name" text, "node_uid" uuid, "node_boot_id" text, "promotion_from" text, "promotion_requested_at" TIMESTAMP(3) WITH TIME ZONE, "promotion_deadline" TIMESTAMP(3) WITH TIME ZONE, "promotion_state" text, "expiry_policy_id" text, "expiry_reason" text, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "artifacts_promotion_check" CHECK (promotion_state in ('pending', 'confirmed', 'failed') and (promotion_state is null) = (promotion_from is null)
    and (promotion_state is null) = (promotion_requested_at is null)), CONSTRAINT "artifacts_tier_check" CHECK (storage_tier in ('memory', 'local', 'shared', 'object')), CONSTRAINT "artifacts_status_check" CHECK (status in ('ready', 'golden', 'quarantined', 'expired', 'deleted')), CONSTRAINT "artifacts_pkey" PRIMARY KEY ("org_id", "artifact_id"))`);
    await queryRunner.query(
      `CREATE INDEX "artifacts_promotion_due_idx" ON "artifacts"  ("promotion_deadline") WHERE promotion_state = 'pending'`,
    );
    await queryRunner.query(
      `CREATE INDEX "artifacts_by_parent_idx" ON "artifacts"  ("org_id", "parent_artifact_id") WHERE parent_artifact_id is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "artifacts_by_compatibility_idx" ON "artifacts"  ("org_id", "compatibility_key") `,
    );
    await queryRunner.query(
      `CREATE INDEX "artifacts_by_mode_idx" ON "artifacts"  ("org_id", "checkpoint_mode", "created_at", "artifact_id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "artifacts_by_status_idx" ON "artifacts"  ("org_id", "status", "created_at", "artifact_id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "artifacts_by_profile_idx" ON "artifacts"  ("org_id", "profile_id", "created_at", "artifact_id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "artifacts_newest_idx" ON "artifacts"  ("org_id", "created_at", "artifact_id") `,
    );
    await queryRunner.query(
      `CREATE TABLE "worker_endpoints" ("org_id" uuid NOT NULL, "profile_id" text NOT NULL, "metrics_url" text NOT NULL, "pod_name" text, "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "worker_endpoints_pkey" PRIMARY KEY ("org_id", "profile_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "capacity_intents" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "profile_id" text NOT NULL, "desired_state" text NOT NULL, "desired_replicas" integer NOT NULL, "status" text NOT NULL, "generation" bigint NOT NULL, "deadline" TIMESTAMP(3) WITH TIME ZONE, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "requested_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "capacity_intents_ask_key" UNIQUE ("org_id", "profile_id", "desired_state", "desired_replicas"), CONSTRAINT "capacity_intents_replicas_check" CHECK (desired_replicas >= 0), CONSTRAINT "capacity_intents_status_check" CHECK (status in ('Pending', 'Fulfilled', 'Superseded', 'Expired', 'Failed')), CONSTRAINT "capacity_intents_state_check" CHECK (desired_state in ('Active', 'Suspended')), CONSTRAINT "capacity_intents_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "capacity_intents_updated_idx" ON "capacity_intents"  ("org_id", "updated_at", "id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "capacity_intents_newest_idx" ON "capacity_intents"  ("org_id", "profile_id", "requested_at") `,
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX "capacity_intents_pending_key" ON "capacity_intents"  ("org_id", "profile_id") WHERE status = 'Pending'`,
    );
    await queryRunner.query(
      `CREATE TABLE "checkpoint_requests" ("org_id" uuid NOT NULL, "request_id" uuid NOT NULL, "profile_id" text NOT NULL, "kind" text NOT NULL, "status" text NOT NULL, "replace_existing" boolean NOT NULL, "reason" text, "requested_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "started_at" TIMESTAMP(3) WITH TIME ZONE, "completed_at" TIMESTAMP(3) WITH TIME ZONE, "artifact_id" text, "error" text, CONSTRAINT "checkpoint_requests_times_check" CHECK ((status in ('succeeded', 'failed')) = (completed_at is not null) and (status = 'failed') = (error is not null)), CONSTRAINT "checkpoint_requests_status_check" CHECK (status in ('pending', 'running', 'succeeded', 'failed')), CONSTRAINT "checkpoint_requests_kind_check" CHECK (kind in ('checkpoint', 'restart')), CONSTRAINT "checkpoint_requests_pkey" PRIMARY KEY ("org_id", "request_id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "checkpoint_requests_unanswered_idx" ON "checkpoint_requests"  ("requested_at") WHERE status in ('pending', 'running')`,
    );
    await queryRunner.query(
      `CREATE INDEX "checkpoint_requests_newest_idx" ON "checkpoint_requests"  ("org_id", "profile_id", "requested_at") `,
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX "checkpoint_requests_open_key" ON "checkpoint_requests"  ("org_id", "profile_id") WHERE status in ('pending', 'running')`,
    );
    await queryRunner.query(
      `CREATE TABLE "lifecycle_events" ("org_id" uuid NOT NULL, "event_id" uuid NOT NULL, "kind" text NOT NULL, "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "received_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "cluster_id" uuid NOT NULL, "profile_id" text, "payload" json, "sequence" bigint, "generation" bigint, "action_id" uuid, "activation_id" uuid, "artifact_id" text, "node_uid" uuid, "boot_id" text, "workload_uid" uuid, CONSTRAINT "lifecycle_events_pkey" PRIMARY KEY ("org_id", "event_id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "lifecycle_events_by_workload_idx" ON "lifecycle_events"  ("org_id", "workload_uid") WHERE workload_uid is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "lifecycle_events_by_cluster_idx" ON "lifecycle_events"  ("org_id", "cluster_id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "lifecycle_events_of_artifact_idx" ON "lifecycle_events"  ("org_id", "artifact_id") WHERE kind = 'checkpoint.completed'`,
    );
    await queryRunner.query(
      `CREATE INDEX "lifecycle_events_by_profile_idx" ON "lifecycle_events"  ("org_id", "profile_id", "occurred_at", "event_id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "lifecycle_events_by_time_idx" ON "lifecycle_events"  ("org_id", "occurred_at", "event_id") `,
    );
    await queryRunner.query(
      `CREATE TABLE "observations" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "observation_key" text NOT NULL, "event_type" text NOT NULL, "evidence" text NOT NULL, "source" text NOT NULL, "started_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "completed_at" TIMESTAMP(3) WITH TIME ZONE, "experiment_id" uuid, "profile_id" text, "action_id" text, "checkpoint_id" text, "checkpoint_mode" text, "cluster_id" text, "deployment_id" text, "node_id" text, "request_id" text, "storage_tier" text, "duration_ms" bigint, "ttft_ms" bigint, "prompt_tokens" bigint, "completion_tokens" bigint, "logical_bytes" bigint, "physical_bytes" bigint, "reused_bytes" bigint, "written_bytes" bigint, "transferred_bytes" bigint, "success" boolean, "fallback_used" boolean, "deadline_missed" boolean, "dimensions" json, "metrics" json, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "observations_key_key" UNIQUE ("org_id", "observation_key"), CONSTRAINT "observations_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "observations_by_type_idx" ON "observations"  ("org_id", "event_type", "started_at", "id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "observations_by_experiment_idx" ON "observations"  ("org_id", "experiment_id", "started_at", "id") WHERE experiment_id is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "observations_by_profile_idx" ON "observations"  ("org_id", "profile_id", "started_at", "id") `,
    );
    await queryRunner.query(
      `CREATE INDEX "observations_newest_idx" ON "observations"  ("org_id", "started_at", "id") `,
    );
    await queryRunner.query(
      `CREATE TABLE "retention_policies" ("org_id" uuid NOT NULL, "policy_id" text NOT NULL, "name" text NOT NULL, "enabled" boolean NOT NULL, "max_age_days" integer, "max_count" integer, "min_tier" text, "profile_id" text, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "retention_policies_limits_check" CHECK (max_age_days >= 0 and max_count >= 0), CONSTRAINT "retention_policies_tier_check" CHECK (min_tier in ('memory', 'local', 'shared', 'object')), CONSTRAINT "retention_policies_pkey" PRIMARY KEY ("org_id", "policy_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "retention_runs" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "ran_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "considered" integer NOT NULL, "expired" json NOT NULL, CONSTRAINT "retention_runs_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(`CREATE INDEX "retention_runs_newest_idx" ON "retention_runs"  ("org_id", "ran_at") `);
    await queryRunner.query(`ALTER TABLE "idempotency_keys" ADD "status" integer`);
    await queryRunner.query(`CREATE INDEX "nodes_by_name_idx" ON "nodes"  ("org_id", "name") `);
    await queryRunner.query(
      `ALTER TABLE "profiles" ADD CONSTRAINT "profiles_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "activation_phases" ADD CONSTRAINT "activation_phases_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "activations" ADD CONSTRAINT "activations_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "starts" ADD CONSTRAINT "starts_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_parent_fkey" FOREIGN KEY ("org_id", "parent_artifact_id") REFERENCES "artifacts"("org_id","artifact_id") ON DELETE NO ACTION ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "worker_endpoints" ADD CONSTRAINT "worker_endpoints_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "capacity_intents" ADD CONSTRAINT "capacity_intents_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "checkpoint_requests" ADD CONSTRAINT "checkpoint_requests_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "lifecycle_events" ADD CONSTRAINT "lifecycle_events_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id","id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "lifecycle_events" ADD CONSTRAINT "lifecycle_events_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "observations" ADD CONSTRAINT "observations_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "retention_policies" ADD CONSTRAINT "retention_policies_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "retention_runs" ADD CONSTRAINT "retention_runs_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    for (const table of TABLES) await protectRows(queryRunner, table);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "retention_runs" DROP CONSTRAINT "retention_runs_org_fkey"`);
    await queryRunner.query(`ALTER TABLE "retention_policies" DROP CONSTRAINT "retention_policies_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "observations" DROP CONSTRAINT "observations_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "lifecycle_events" DROP CONSTRAINT "lifecycle_events_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "lifecycle_events" DROP CONSTRAINT "lifecycle_events_cluster_fkey"`);
    await queryRunner.query(`ALTER TABLE "checkpoint_requests" DROP CONSTRAINT "checkpoint_requests_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "capacity_intents" DROP CONSTRAINT "capacity_intents_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "worker_endpoints" DROP CONSTRAINT "worker_endpoints_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "artifacts" DROP CONSTRAINT "artifacts_parent_fkey"`);
    await queryRunner.query(`ALTER TABLE "artifacts" DROP CONSTRAINT "artifacts_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "starts" DROP CONSTRAINT "starts_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "activations" DROP CONSTRAINT "activations_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "activation_phases" DROP CONSTRAINT "activation_phases_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "profiles" DROP CONSTRAINT "profiles_org_fkey"`);
    await queryRunner.query(`DROP INDEX "public"."nodes_by_name_idx"`);
    await queryRunner.query(`ALTER TABLE "idempotency_keys" DROP COLUMN "status"`);
    await queryRunner.query(`DROP INDEX "public"."retention_runs_newest_idx"`);
    await queryRunner.query(`DROP TABLE "retention_runs"`);
    await queryRunner.query(`DROP TABLE "retention_policies"`);
    await queryRunner.query(`DROP INDEX "public"."observations_newest_idx"`);
    await queryRunner.query(`DROP INDEX "public"."observations_by_profile_idx"`);
    await queryRunner.query(`DROP INDEX "public"."observations_by_experiment_idx"`);
    await queryRunner.query(`DROP INDEX "public"."observations_by_type_idx"`);
    await queryRunner.query(`DROP TABLE "observations"`);
    await queryRunner.query(`DROP INDEX "public"."lifecycle_events_by_time_idx"`);
    await queryRunner.query(`DROP INDEX "public"."lifecycle_events_by_profile_idx"`);
    await queryRunner.query(`DROP INDEX "public"."lifecycle_events_of_artifact_idx"`);
    await queryRunner.query(`DROP INDEX "public"."lifecycle_events_by_workload_idx"`);
    await queryRunner.query(`DROP INDEX "public"."lifecycle_events_by_cluster_idx"`);
    await queryRunner.query(`DROP TABLE "lifecycle_events"`);
    await queryRunner.query(`DROP INDEX "public"."checkpoint_requests_open_key"`);
    await queryRunner.query(`DROP INDEX "public"."checkpoint_requests_newest_idx"`);
    await queryRunner.query(`DROP INDEX "public"."checkpoint_requests_unanswered_idx"`);
    await queryRunner.query(`DROP TABLE "checkpoint_requests"`);
    await queryRunner.query(`DROP INDEX "public"."capacity_intents_pending_key"`);
    await queryRunner.query(`DROP INDEX "public"."capacity_intents_updated_idx"`);
    await queryRunner.query(`DROP INDEX "public"."capacity_intents_newest_idx"`);
    await queryRunner.query(`DROP TABLE "capacity_intents"`);
    await queryRunner.query(`DROP TABLE "worker_endpoints"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_newest_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_by_profile_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_by_status_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_by_mode_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_by_compatibility_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_by_parent_idx"`);
    await queryRunner.query(`DROP INDEX "public"."artifacts_promotion_due_idx"`);
    await queryRunner.query(`DROP TABLE "artifacts"`);
    await queryRunner.query(`DROP INDEX "public"."starts_by_profile_idx"`);
    await queryRunner.query(`DROP INDEX "public"."starts_open_idx"`);
    await queryRunner.query(`DROP INDEX "public"."starts_by_artifact_idx"`);
    await queryRunner.query(`DROP INDEX "public"."starts_by_pod_idx"`);
    await queryRunner.query(`DROP TABLE "starts"`);
    await queryRunner.query(`DROP TABLE "activations"`);
    await queryRunner.query(`DROP INDEX "public"."activation_phases_by_time_idx"`);
    await queryRunner.query(`DROP INDEX "public"."activation_phases_by_profile_idx"`);
    await queryRunner.query(`DROP TABLE "activation_phases"`);
    await queryRunner.query(`DROP INDEX "public"."profiles_by_model_idx"`);
    await queryRunner.query(`DROP INDEX "public"."profiles_by_compatibility_idx"`);
    await queryRunner.query(`DROP TABLE "profiles"`);
  }
}
