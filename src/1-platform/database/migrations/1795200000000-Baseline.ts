import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/** Tables with `org_id`. */
const TABLES_OF_ORGANISATIONS = [
  'access_tokens',
  'actions',
  'audit_entries',
  'checkpoints',
  'clusters',
  'engine_graph_deployments',
  'engine_services',
  'idempotency_keys',
  'jobs',
  'nodes',
  'operation_facts',
  'operation_failure_totals',
  'operation_stage_totals',
  'operation_stages',
  'operation_totals',
  'outbox_events',
  'pods',
  'restore_events',
  'restores',
];

export class Baseline1795200000000 implements MigrationInterface {
  name = 'Baseline1795200000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
            CREATE TABLE "audit_entries" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "actor_id" text NOT NULL,
                "actor_role" text NOT NULL,
                "action" text NOT NULL,
                "resource_type" text NOT NULL,
                "resource_id" text,
                "request_id" text NOT NULL,
                "details" jsonb,
                CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "audit_entries_newest_idx" ON "audit_entries" ("org_id", "occurred_at", "id")
        `);
    await queryRunner.query(`
            CREATE TABLE "organisations" (
                "id" uuid NOT NULL,
                "name" text NOT NULL,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                CONSTRAINT "organisations_name_key" UNIQUE ("name"),
                CONSTRAINT "organisations_pkey" PRIMARY KEY ("id")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "clusters" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "name" text NOT NULL,
                "kind" text NOT NULL,
                "last_sync" TIMESTAMP(3) WITH TIME ZONE,
                "metadata" jsonb,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "clusters_name_key" UNIQUE ("org_id", "name"),
                CONSTRAINT "clusters_kind_check" CHECK (kind in ('kubernetes', 'slurm')),
                CONSTRAINT "clusters_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "actions" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "cluster_id" uuid NOT NULL,
                "type" text NOT NULL,
                "status" text NOT NULL,
                "error" text,
                "reason" text NOT NULL,
                "kind" text NOT NULL,
                "platform" text NOT NULL,
                "checkpoint_id" uuid NOT NULL,
                "pod_id" uuid,
                "pod_uid" text NOT NULL,
                "pod_name" text NOT NULL,
                "namespace" text NOT NULL,
                "node_name" text NOT NULL,
                "workload_kind" text,
                "checkpoint_name" text,
                "details" jsonb NOT NULL,
                "pod_metadata" jsonb,
                "pod_spec" jsonb,
                "persistent_volume_claim" jsonb,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "answer_by" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "ended_at" TIMESTAMP(3) WITH TIME ZONE,
                CONSTRAINT "actions_status_check" CHECK (
                    status in (
                        'initialized',
                        'processing',
                        'checkpoint_created',
                        'ready',
                        'error'
                    )
                ),
                CONSTRAINT "actions_type_check" CHECK (
                    type in ('checkpoint_pod', 'restore_pod', 'heartbeat')
                ),
                CONSTRAINT "actions_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "actions_unanswered_idx" ON "actions" ("answer_by")
            WHERE status = 'initialized'
        `);
    await queryRunner.query(`
            CREATE INDEX "actions_by_cluster_idx" ON "actions" ("org_id", "cluster_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "actions_by_pod_idx" ON "actions" ("org_id", "pod_uid", "created_at")
        `);
    await queryRunner.query(`
            CREATE INDEX "actions_newest_idx" ON "actions" ("org_id", "created_at", "id")
        `);
    await queryRunner.query(`
            CREATE TABLE "checkpoints" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "cluster_id" uuid,
                "action_id" uuid,
                "container_name" text,
                "name" text,
                "status" text NOT NULL,
                "claimed" boolean NOT NULL,
                "error" text,
                "gpu" text NOT NULL,
                "platform" text NOT NULL,
                "delta" boolean NOT NULL,
                "parent_checkpoint_id" uuid,
                "checksum" text,
                "info" jsonb,
                "restore_path" text,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "uploaded_at" TIMESTAMP(3) WITH TIME ZONE,
                CONSTRAINT "checkpoints_status_check" CHECK (
                    status in (
                        'initializing',
                        'updated_info',
                        'possibly_uploaded',
                        'ready',
                        'deprecated'
                    )
                ),
                CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "checkpoints_restorable_idx" ON "checkpoints" ("org_id", "name", "uploaded_at")
            WHERE status = 'ready'
        `);
    await queryRunner.query(`
            CREATE INDEX "checkpoints_awaiting_upload_idx" ON "checkpoints" ("org_id", "action_id")
            WHERE status = 'updated_info'
        `);
    await queryRunner.query(`
            CREATE UNIQUE INDEX "checkpoints_container_key" ON "checkpoints" ("org_id", "action_id", "container_name")
            WHERE action_id is not null
                and container_name is not null
        `);
    await queryRunner.query(`
            CREATE INDEX "checkpoints_by_cluster_idx" ON "checkpoints" ("org_id", "cluster_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "checkpoints_by_action_idx" ON "checkpoints" ("org_id", "action_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "checkpoints_newest_idx" ON "checkpoints" ("org_id", "created_at", "id")
        `);
    await queryRunner.query(`
            CREATE TABLE "engine_graph_deployments" (
                "cluster_id" uuid NOT NULL,
                "namespace" text NOT NULL,
                "name" text NOT NULL,
                "uid" text NOT NULL,
                "labels" jsonb NOT NULL,
                "resource_version" numeric(20, 0),
                "deleted" boolean NOT NULL,
                "object" jsonb NOT NULL,
                "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                CONSTRAINT "engine_graph_deployments_name_key" UNIQUE ("org_id", "cluster_id", "namespace", "name"),
                CONSTRAINT "engine_graph_deployments_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "engine_services" (
                "cluster_id" uuid NOT NULL,
                "namespace" text NOT NULL,
                "name" text NOT NULL,
                "uid" text NOT NULL,
                "labels" jsonb NOT NULL,
                "resource_version" numeric(20, 0),
                "deleted" boolean NOT NULL,
                "object" jsonb NOT NULL,
                "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                CONSTRAINT "engine_services_name_key" UNIQUE ("org_id", "cluster_id", "namespace", "name"),
                CONSTRAINT "engine_services_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "idempotency_keys" (
                "org_id" uuid NOT NULL,
                "actor_id" text NOT NULL,
                "operation" text NOT NULL,
                "key_digest" bytea NOT NULL,
                "request_digest" text NOT NULL,
                "answer" bytea,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("org_id", "actor_id", "operation", "key_digest")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "idempotency_keys_created_idx" ON "idempotency_keys" ("created_at")
        `);
    await queryRunner.query(`
            CREATE TABLE "jobs" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "cluster_id" uuid NOT NULL,
                "uid" text NOT NULL,
                "name" text NOT NULL,
                "namespace" text NOT NULL,
                "status" text NOT NULL,
                "completions" integer NOT NULL,
                "succeeded" integer NOT NULL,
                "priority" integer,
                "checkpoint_name" text,
                "labels" jsonb NOT NULL,
                "started_at" TIMESTAMP(3) WITH TIME ZONE,
                "finished_at" TIMESTAMP(3) WITH TIME ZONE,
                "object_created_at" TIMESTAMP(3) WITH TIME ZONE,
                "resource_version" numeric(20, 0),
                "deleted" boolean NOT NULL,
                "object" jsonb NOT NULL,
                "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "jobs_uid_key" UNIQUE ("org_id", "cluster_id", "uid"),
                CONSTRAINT "jobs_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "jobs_by_name_idx" ON "jobs" ("org_id", "namespace", "name")
            WHERE not deleted
        `);
    await queryRunner.query(`
            CREATE TABLE "nodes" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "cluster_id" uuid NOT NULL,
                "name" text NOT NULL,
                "uid" text NOT NULL,
                "status" text NOT NULL,
                "compute_type" text NOT NULL,
                "instance_type" text NOT NULL,
                "region" text NOT NULL,
                "capacity_type" text NOT NULL,
                "boot_id" text NOT NULL,
                "gpu_model" text NOT NULL,
                "labels" jsonb NOT NULL,
                "resource_version" numeric(20, 0),
                "deleted" boolean NOT NULL,
                "object" jsonb NOT NULL,
                "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "nodes_name_key" UNIQUE ("org_id", "cluster_id", "name"),
                CONSTRAINT "nodes_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "operation_facts" (
                "org_id" uuid NOT NULL,
                "operation_id" uuid NOT NULL,
                "op_type" text NOT NULL,
                "result" text NOT NULL,
                "action_id" uuid,
                "checkpoint_id" uuid,
                "cluster_id" uuid,
                "name" text NOT NULL,
                "namespace" text NOT NULL,
                "node_name" text NOT NULL,
                "pod_uid" text NOT NULL,
                "checkpoint_name" text NOT NULL,
                "kind" text NOT NULL,
                "platform" text NOT NULL,
                "gpu_model" text NOT NULL,
                "reason" text NOT NULL,
                "source" text NOT NULL,
                "storage_tier" text NOT NULL,
                "workload_type" text NOT NULL,
                "failure_reason" text NOT NULL,
                "failure_stage" text NOT NULL,
                "failure_reason_label" text NOT NULL,
                "failure_stage_label" text NOT NULL,
                "duration_ns" bigint NOT NULL,
                "pause_ns" bigint NOT NULL,
                "logical_bytes" bigint NOT NULL,
                "physical_bytes" bigint NOT NULL,
                "started_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "completed_at" TIMESTAMP(3) WITH TIME ZONE,
                "pod_scheduled_at" TIMESTAMP(3) WITH TIME ZONE,
                "pod_ready_at" TIMESTAMP(3) WITH TIME ZONE,
                CONSTRAINT "operation_facts_type_check" CHECK (op_type in ('checkpoint', 'restore')),
                CONSTRAINT "operation_facts_result_check" CHECK (
                    result in ('running', 'succeeded', 'failed', 'fallback')
                ),
                CONSTRAINT "operation_facts_pkey" PRIMARY KEY ("org_id", "operation_id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_awaiting_asking_pod_idx" ON "operation_facts" (
                "org_id",
                "checkpoint_name",
                "node_name",
                "started_at"
            )
            WHERE op_type = 'restore'
                and pod_ready_at is null
                and pod_uid = ''
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_recent_restores_idx" ON "operation_facts" ("started_at")
            WHERE op_type = 'restore'
                and pod_ready_at is null
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_awaiting_pod_idx" ON "operation_facts" ("org_id", "pod_uid")
            WHERE op_type = 'restore'
                and pod_ready_at is null
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_by_cluster_idx" ON "operation_facts" ("org_id", "cluster_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_by_action_idx" ON "operation_facts" ("org_id", "action_id")
            WHERE action_id is not null
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_by_checkpoint_idx" ON "operation_facts" ("org_id", "checkpoint_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_running_idx" ON "operation_facts" ("org_id", "op_type")
            WHERE result = 'running'
        `);
    await queryRunner.query(`
            CREATE INDEX "operation_facts_window_idx" ON "operation_facts" ("org_id", "started_at")
        `);
    await queryRunner.query(`
            CREATE TABLE "operation_stages" (
                "org_id" uuid NOT NULL,
                "operation_id" uuid NOT NULL,
                "seq" integer NOT NULL,
                "stage" text NOT NULL,
                "bytes_in" bigint NOT NULL,
                "bytes_out" bigint NOT NULL,
                "duration_ns" bigint NOT NULL,
                "reason" text NOT NULL,
                "result" text NOT NULL,
                CONSTRAINT "operation_stages_pkey" PRIMARY KEY ("org_id", "operation_id", "seq")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "operation_totals" (
                "org_id" uuid NOT NULL,
                "op_type" text NOT NULL,
                "succeeded" bigint NOT NULL DEFAULT '0',
                "failed" bigint NOT NULL DEFAULT '0',
                "fallbacks" bigint NOT NULL DEFAULT '0',
                "duration_sum_ns" numeric(38, 0) NOT NULL DEFAULT '0',
                "duration_buckets" bigint array NOT NULL,
                "size_sum_bytes" numeric(38, 0) NOT NULL DEFAULT '0',
                "size_buckets" bigint array NOT NULL,
                CONSTRAINT "operation_totals_pkey" PRIMARY KEY ("org_id", "op_type")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "operation_stage_totals" (
                "org_id" uuid NOT NULL,
                "op_type" text NOT NULL,
                "stage" text NOT NULL,
                "count" bigint NOT NULL,
                "sum_ns" numeric(38, 0) NOT NULL DEFAULT '0',
                CONSTRAINT "operation_stage_totals_pkey" PRIMARY KEY ("org_id", "op_type", "stage")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "operation_failure_totals" (
                "org_id" uuid NOT NULL,
                "op_type" text NOT NULL,
                "stage" text NOT NULL,
                "reason" text NOT NULL,
                "count" bigint NOT NULL,
                CONSTRAINT "operation_failure_totals_pkey" PRIMARY KEY ("org_id", "op_type", "stage", "reason")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "outbox_events" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "position" BIGSERIAL NOT NULL,
                "event_id" bigint,
                "event_type" text NOT NULL,
                "aggregate_type" text NOT NULL,
                "aggregate_id" text NOT NULL,
                "cluster_id" uuid,
                "payload" jsonb NOT NULL,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "outbox_events_aggregate_idx" ON "outbox_events" ("org_id", "aggregate_type", "aggregate_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "outbox_events_unnumbered_idx" ON "outbox_events" ("org_id", "position")
            WHERE event_id is null
        `);
    await queryRunner.query(`
            CREATE UNIQUE INDEX "outbox_events_event_id_key" ON "outbox_events" ("org_id", "event_id")
            WHERE event_id is not null
        `);
    await queryRunner.query(`
            CREATE TABLE "pods" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "cluster_id" uuid NOT NULL,
                "uid" text NOT NULL,
                "name" text NOT NULL,
                "namespace" text NOT NULL,
                "node_name" text NOT NULL,
                "phase" text NOT NULL,
                "reason" text,
                "ready_containers" integer NOT NULL,
                "total_containers" integer NOT NULL,
                "restarts" integer NOT NULL,
                "priority" integer,
                "owner_kind" text,
                "owner_name" text,
                "owner_uid" text,
                "workload_kind" text,
                "checkpoint_name" text,
                "labels" jsonb NOT NULL,
                "scheduled_at" TIMESTAMP(3) WITH TIME ZONE,
                "ready_at" TIMESTAMP(3) WITH TIME ZONE,
                "started_at" TIMESTAMP(3) WITH TIME ZONE,
                "object_created_at" TIMESTAMP(3) WITH TIME ZONE,
                "resource_version" numeric(20, 0),
                "deleted" boolean NOT NULL,
                "object" jsonb NOT NULL,
                "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "pods_uid_key" UNIQUE ("org_id", "cluster_id", "uid"),
                CONSTRAINT "pods_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "pods_by_checkpoint_idx" ON "pods" ("org_id", "checkpoint_name", "node_name")
            WHERE checkpoint_name is not null
        `);
    await queryRunner.query(`
            CREATE INDEX "pods_by_owner_idx" ON "pods" ("org_id", "owner_uid")
            WHERE owner_uid is not null
        `);
    await queryRunner.query(`
            CREATE INDEX "pods_by_node_idx" ON "pods" ("org_id", "cluster_id", "node_name")
        `);
    await queryRunner.query(`
            CREATE INDEX "pods_by_name_idx" ON "pods" ("org_id", "namespace", "name")
            WHERE not deleted
        `);
    await queryRunner.query(`
            CREATE INDEX "pods_by_uid_idx" ON "pods" ("org_id", "uid")
        `);
    await queryRunner.query(`
            CREATE TABLE "restores" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "restore_uuid" uuid NOT NULL,
                "status" text NOT NULL,
                "members" jsonb NOT NULL,
                "action_id" uuid,
                "checkpoint_id" uuid,
                "cluster_id" uuid,
                "profile" jsonb,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                CONSTRAINT "restores_restore_uuid_key" UNIQUE ("org_id", "restore_uuid"),
                CONSTRAINT "restores_status_check" CHECK (status in ('started', 'succeeded', 'failed')),
                CONSTRAINT "restores_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            CREATE INDEX "restores_by_home_cluster_idx" ON "restores" ("org_id", "cluster_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "restores_by_action_idx" ON "restores" ("org_id", "action_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "restores_by_checkpoint_idx" ON "restores" ("org_id", "checkpoint_id")
        `);
    await queryRunner.query(`
            CREATE INDEX "restores_newest_idx" ON "restores" ("org_id", "created_at", "id")
        `);
    await queryRunner.query(`
            CREATE TABLE "restore_events" (
                "org_id" uuid NOT NULL,
                "restore_id" uuid NOT NULL,
                "kind" text NOT NULL,
                "position" BIGSERIAL NOT NULL,
                "body" jsonb NOT NULL,
                "received_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
                CONSTRAINT "restore_events_kind_check" CHECK (
                    kind in (
                        'restore_start',
                        'restore_success',
                        'restore_error'
                    )
                ),
                CONSTRAINT "restore_events_pkey" PRIMARY KEY ("org_id", "restore_id", "kind")
            )
        `);
    await queryRunner.query(`
            CREATE TABLE "access_tokens" (
                "org_id" uuid NOT NULL,
                "id" uuid NOT NULL,
                "name" text NOT NULL,
                "role" text NOT NULL,
                "digest" bytea NOT NULL,
                "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
                "expires_at" TIMESTAMP(3) WITH TIME ZONE,
                "last_used_at" TIMESTAMP(3) WITH TIME ZONE,
                "revoked_at" TIMESTAMP(3) WITH TIME ZONE,
                CONSTRAINT "access_tokens_digest_key" UNIQUE ("digest"),
                CONSTRAINT "access_tokens_role_check" CHECK (
                    role in ('admin', 'operator', 'viewer', 'controller')
                ),
                CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("org_id", "id")
            )
        `);
    await queryRunner.query(`
            ALTER TABLE "clusters"
            ADD CONSTRAINT "clusters_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "actions"
            ADD CONSTRAINT "actions_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "checkpoints"
            ADD CONSTRAINT "checkpoints_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "checkpoints"
            ADD CONSTRAINT "checkpoints_action_fkey" FOREIGN KEY ("org_id", "action_id") REFERENCES "actions"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "engine_graph_deployments"
            ADD CONSTRAINT "engine_graph_deployments_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "engine_services"
            ADD CONSTRAINT "engine_services_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "jobs"
            ADD CONSTRAINT "jobs_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "nodes"
            ADD CONSTRAINT "nodes_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "operation_facts"
            ADD CONSTRAINT "operation_facts_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "operation_stages"
            ADD CONSTRAINT "operation_stages_fact_fkey" FOREIGN KEY ("org_id", "operation_id") REFERENCES "operation_facts"("org_id", "operation_id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "pods"
            ADD CONSTRAINT "pods_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "restores"
            ADD CONSTRAINT "restores_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "restore_events"
            ADD CONSTRAINT "restore_events_restore_fkey" FOREIGN KEY ("org_id", "restore_id") REFERENCES "restores"("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    await queryRunner.query(`
            ALTER TABLE "access_tokens"
            ADD CONSTRAINT "access_tokens_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION
        `);
    for (const table of TABLES_OF_ORGANISATIONS) await protectRows(queryRunner, table);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
            ALTER TABLE "access_tokens" DROP CONSTRAINT "access_tokens_org_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "restore_events" DROP CONSTRAINT "restore_events_restore_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "restores" DROP CONSTRAINT "restores_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "pods" DROP CONSTRAINT "pods_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "operation_stages" DROP CONSTRAINT "operation_stages_fact_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "operation_facts" DROP CONSTRAINT "operation_facts_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "nodes" DROP CONSTRAINT "nodes_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "jobs" DROP CONSTRAINT "jobs_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "engine_services" DROP CONSTRAINT "engine_services_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "engine_graph_deployments" DROP CONSTRAINT "engine_graph_deployments_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "checkpoints" DROP CONSTRAINT "checkpoints_action_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "checkpoints" DROP CONSTRAINT "checkpoints_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "actions" DROP CONSTRAINT "actions_cluster_fkey"
        `);
    await queryRunner.query(`
            ALTER TABLE "clusters" DROP CONSTRAINT "clusters_org_fkey"
        `);
    await queryRunner.query(`
            DROP TABLE "access_tokens"
        `);
    await queryRunner.query(`
            DROP TABLE "restore_events"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."restores_newest_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."restores_by_checkpoint_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."restores_by_action_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."restores_by_home_cluster_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "restores"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."pods_by_uid_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."pods_by_name_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."pods_by_node_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."pods_by_owner_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."pods_by_checkpoint_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "pods"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."outbox_events_event_id_key"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."outbox_events_unnumbered_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."outbox_events_aggregate_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "outbox_events"
        `);
    await queryRunner.query(`
            DROP TABLE "operation_failure_totals"
        `);
    await queryRunner.query(`
            DROP TABLE "operation_stage_totals"
        `);
    await queryRunner.query(`
            DROP TABLE "operation_totals"
        `);
    await queryRunner.query(`
            DROP TABLE "operation_stages"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_window_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_running_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_by_checkpoint_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_by_action_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_by_cluster_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_recent_restores_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_awaiting_pod_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."operation_facts_awaiting_asking_pod_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "operation_facts"
        `);
    await queryRunner.query(`
            DROP TABLE "nodes"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."jobs_by_name_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "jobs"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."idempotency_keys_created_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "idempotency_keys"
        `);
    await queryRunner.query(`
            DROP TABLE "engine_services"
        `);
    await queryRunner.query(`
            DROP TABLE "engine_graph_deployments"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."checkpoints_newest_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."checkpoints_by_action_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."checkpoints_by_cluster_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."checkpoints_container_key"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."checkpoints_awaiting_upload_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."checkpoints_restorable_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "checkpoints"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."actions_newest_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."actions_by_pod_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."actions_by_cluster_idx"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."actions_unanswered_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "actions"
        `);
    await queryRunner.query(`
            DROP TABLE "clusters"
        `);
    await queryRunner.query(`
            DROP TABLE "organisations"
        `);
    await queryRunner.query(`
            DROP INDEX "public"."audit_entries_newest_idx"
        `);
    await queryRunner.query(`
            DROP TABLE "audit_entries"
        `);
  }
}
