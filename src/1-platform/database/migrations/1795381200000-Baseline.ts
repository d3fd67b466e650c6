import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/** Tables whose rows belong to an organisation. */
const TABLES_OF_ORGANISATIONS = [
  'access_tokens',
  'actions',
  'activation_phases',
  'activations',
  'artifact_stays',
  'artifacts',
  'audit_entries',
  'authorizations',
  'busy_hours',
  'busy_minutes',
  'capacity_asks',
  'capacity_intents',
  'checkpoint_requests',
  'checkpoints',
  'clusters',
  'cost_rates',
  'engine_graph_deployments',
  'engine_services',
  'experiments',
  'fleet_profiles',
  'fleets',
  'hosts',
  'idempotency_keys',
  'inference_keys',
  'instance_type_prices',
  'instances',
  'jobs',
  'ledger_entries',
  'legacy_job_checkpoints',
  'legacy_jobs',
  'lifecycle_events',
  'maintenance_windows',
  'metric_kinds',
  'metric_pods',
  'metric_samples',
  'metric_series',
  'nodes',
  'observations',
  'operation_facts',
  'operation_failure_totals',
  'operation_stage_totals',
  'operation_stages',
  'operation_totals',
  'outbox_consumers',
  'outbox_events',
  'outbox_heads',
  'plugin_objects',
  'pod_savings',
  'pods',
  'policies',
  'profiles',
  'queued_workloads',
  'restore_events',
  'restores',
  'retention_policies',
  'retention_runs',
  'route_targets',
  'router_samples',
  'routes',
  'savings_refreshes',
  'slurm_clusters',
  'slurm_jobs',
  'slurm_nodes',
  'slurm_partitions',
  'start_credits',
  'starts',
  'uncounted_checkpoints',
  'usage_records',
  'usage_rollups',
  'warm_waits',
  'worker_endpoints',
];

const TABLES_OF_THE_INSTALLATION = ['organisations', 'provider_accounts', 'schema_objects'];

/** The account at the cloud provider belongs to the service: its orphans may be of several organisations. */
const PROTECT_ACCOUNTS = [
  'ALTER TABLE provider_accounts ENABLE ROW LEVEL SECURITY',
  'ALTER TABLE provider_accounts FORCE ROW LEVEL SECURITY',
  "CREATE POLICY service ON provider_accounts USING ((SELECT current_setting('app.system', true) = 'on'))",
];

/** The functions, views and triggers that `applySchemaObjects` wrote, each with the checksum of its file. */
export const CREATE_SCHEMA_OBJECTS = `
  CREATE TABLE "schema_objects" (
    "kind" text NOT NULL,
    "name" text NOT NULL,
    "checksum" text NOT NULL,
    "revision" integer NOT NULL,
    CONSTRAINT "schema_objects_kind_check" CHECK (kind in ('function', 'view', 'trigger')),
    CONSTRAINT "schema_objects_pkey" PRIMARY KEY ("kind", "name")
  )
`;

const DROP_FUNCTIONS = `
  DO $$
  DECLARE
    made regprocedure;
  BEGIN
    FOR made IN
      SELECT p.oid FROM pg_proc p JOIN schema_objects o ON o.kind = 'function' AND o.name = p.proname
      WHERE p.pronamespace = current_schema()::regnamespace
    LOOP
      EXECUTE format('DROP FUNCTION %s CASCADE', made);
    END LOOP;
  END $$
`;

// With their indexes, constraints, triggers and the views on them.
const TABLES = [...TABLES_OF_ORGANISATIONS, ...TABLES_OF_THE_INSTALLATION];
const DROP_TABLES = `DROP TABLE ${TABLES.join(', ')} CASCADE`;

/** All tables. `npm run migration:generate` wrote it, except for what the comments explain. */
export class Baseline1795381200000 implements MigrationInterface {
  name = 'Baseline1795381200000';

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
        "details" json,
        CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "audit_entries_newest_idx" ON "audit_entries" ("org_id", "occurred_at", "id")
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
        "status" integer,
        CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("org_id", "actor_id", "operation", "key_digest")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "idempotency_keys_created_idx" ON "idempotency_keys" ("created_at")
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
      CREATE TABLE "outbox_events" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "position" BIGSERIAL NOT NULL,
        "event_id" bigint,
        "event_type" text NOT NULL,
        "aggregate_type" text NOT NULL,
        "aggregate_id" text NOT NULL,
        "cluster_id" uuid,
        "payload" json NOT NULL,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "outbox_events_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "outbox_events_aggregate_idx"
        ON "outbox_events" ("org_id", "aggregate_type", "aggregate_id")
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
      CREATE TABLE "outbox_consumers" (
        "org_id" uuid NOT NULL,
        "id" text NOT NULL,
        "acked" bigint NOT NULL,
        "seen_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "outbox_consumers_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "outbox_heads" (
        "org_id" uuid NOT NULL,
        "head" bigint NOT NULL,
        CONSTRAINT "outbox_heads_pkey" PRIMARY KEY ("org_id")
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
        "scope" text NOT NULL DEFAULT 'organisation',
        CONSTRAINT "access_tokens_digest_key" UNIQUE ("digest"),
        CONSTRAINT "access_tokens_scope_check" CHECK (
          scope = 'organisation'
          or (
            scope = 'platform'
            and role = 'admin'
          )
        ),
        CONSTRAINT "access_tokens_role_check" CHECK (
          role in ('admin', 'operator', 'viewer', 'controller')
        ),
        CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "clusters" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "name" text NOT NULL,
        "kind" text NOT NULL,
        "last_sync" TIMESTAMP(3) WITH TIME ZONE,
        "metadata" json,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "clusters_name_key" UNIQUE ("org_id", "name"),
        CONSTRAINT "clusters_kind_check" CHECK (kind in ('kubernetes', 'slurm')),
        CONSTRAINT "clusters_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "queued_workloads" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "kind" text NOT NULL,
        "status" text NOT NULL,
        "manifest" json,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "taken_at" TIMESTAMP(3) WITH TIME ZONE,
        "taken_by" text,
        "error" text,
        "forget_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        CONSTRAINT "queued_workloads_taken_check" CHECK ((status = 'queued') = (taken_at is null)),
        CONSTRAINT "queued_workloads_status_check" CHECK (status in ('queued', 'applied', 'refused')),
        CONSTRAINT "queued_workloads_kind_check" CHECK (kind in ('deployment', 'job', 'pod')),
        CONSTRAINT "queued_workloads_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "queued_workloads_to_remove_idx" ON "queued_workloads" ("forget_at")
      WHERE manifest is null
    `);
    await queryRunner.query(`
      CREATE INDEX "queued_workloads_to_forget_idx" ON "queued_workloads" ("forget_at")
      WHERE manifest is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "queued_workloads_by_cluster_idx" ON "queued_workloads" ("org_id", "cluster_id")
    `);
    await queryRunner.query(`
      CREATE TABLE "hosts" (
        "org_id" uuid NOT NULL,
        "id" text NOT NULL,
        "object" json NOT NULL,
        "object_bytes" integer NOT NULL,
        CONSTRAINT "hosts_pkey" PRIMARY KEY ("org_id", "id")
      )
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
        "object" json NOT NULL,
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
      CREATE TABLE "legacy_job_checkpoints" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "jid" text NOT NULL,
        "time" bigint NOT NULL,
        "object" json NOT NULL,
        "object_bytes" integer NOT NULL,
        CONSTRAINT "legacy_job_checkpoints_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "legacy_job_checkpoints_by_job_idx" ON "legacy_job_checkpoints" ("org_id", "jid")
    `);
    await queryRunner.query(`
      CREATE INDEX "legacy_job_checkpoints_newest_idx" ON "legacy_job_checkpoints" ("org_id", "time", "id")
    `);
    await queryRunner.query(`
      CREATE TABLE "legacy_jobs" (
        "org_id" uuid NOT NULL,
        "id" text NOT NULL,
        "host_id" text NOT NULL,
        "object" json NOT NULL,
        "object_bytes" integer NOT NULL,
        CONSTRAINT "legacy_jobs_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "legacy_jobs_by_host_idx" ON "legacy_jobs" ("org_id", "host_id")
    `);
    await queryRunner.query(`
      CREATE TABLE "maintenance_windows" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid,
        "name" text,
        "reason" text,
        "start_time" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "end_time" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "nodes" jsonb,
        "partitions" jsonb,
        "cancelled" boolean NOT NULL DEFAULT false,
        "ended" boolean NOT NULL DEFAULT false,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "told_start_time" TIMESTAMP(3) WITH TIME ZONE,
        "told_end_time" TIMESTAMP(3) WITH TIME ZONE,
        "superseded" boolean NOT NULL DEFAULT false,
        CONSTRAINT "maintenance_windows_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "maintenance_windows_by_start_idx" ON "maintenance_windows" ("org_id", "start_time", "id")
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "maintenance_windows_name_key"
        ON "maintenance_windows" ("org_id", "cluster_id", "name")
      WHERE not superseded
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
        "object" json NOT NULL,
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
      CREATE TABLE "slurm_jobs" (
        "org_id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "job_id" bigint NOT NULL,
        "id" bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
        "name" text NOT NULL,
        "nodes" text NOT NULL,
        "priority" bigint NOT NULL,
        "status" text NOT NULL,
        "start_time" bigint NOT NULL,
        "submit_time" bigint NOT NULL,
        "account" text,
        "partition" text,
        "work_dir" text,
        "num_cpus" bigint,
        "num_nodes" bigint,
        "exit_code" integer,
        "derived_ec" bigint,
        "derived_es" text,
        "end_time" bigint,
        "failed_node" text,
        "kill_requid" bigint,
        "state_reason_prev" bigint,
        "time_suspended" bigint,
        "event_time" bigint,
        "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "ranks" text NOT NULL,
        CONSTRAINT "slurm_jobs_id_key" UNIQUE ("org_id", "id"),
        CONSTRAINT "slurm_jobs_pkey" PRIMARY KEY ("org_id", "cluster_id", "job_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "slurm_jobs_events_idx" ON "slurm_jobs" ("org_id", "event_time", "id")
      WHERE event_time is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "slurm_jobs_events_by_status_idx" ON "slurm_jobs" ("org_id", "status", "event_time", "id")
      WHERE event_time is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "slurm_jobs_by_cluster_idx" ON "slurm_jobs" ("org_id", "cluster_id", "id")
    `);
    // TypeORM has no index on an expression. Names are cut, because an index entry has a size limit.
    await queryRunner.query(`
      CREATE INDEX "slurm_jobs_by_name_idx" ON "slurm_jobs" ("org_id", "cluster_id", left("name", 256), "id")
    `);
    await queryRunner.query(`
      CREATE INDEX "slurm_jobs_running_idx" ON "slurm_jobs" ("org_id", "cluster_id", left("name", 256), "id")
      WHERE status = 'RUNNING'
    `);
    await queryRunner.query(`
      CREATE TABLE "slurm_clusters" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "name" text NOT NULL,
        "status" text NOT NULL,
        "metadata" json,
        "stale" boolean NOT NULL DEFAULT false,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "slurm_clusters_name_key" UNIQUE ("org_id", "cluster_id", "name"),
        CONSTRAINT "slurm_clusters_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "slurm_nodes" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "name" text NOT NULL,
        "status" text,
        "cpus" integer,
        "memory" bigint,
        "stale" boolean NOT NULL DEFAULT false,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "slurm_nodes_name_key" UNIQUE ("org_id", "cluster_id", "name"),
        CONSTRAINT "slurm_nodes_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "slurm_partitions" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "name" text NOT NULL,
        "state" text NOT NULL,
        "nodes" text NOT NULL,
        "total_nodes" integer NOT NULL,
        "total_cpus" integer NOT NULL,
        "priority_tier" integer NOT NULL,
        "max_time" bigint NOT NULL,
        "default_time" bigint NOT NULL,
        "is_default" boolean NOT NULL,
        "stale" boolean NOT NULL DEFAULT false,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "slurm_partitions_name_key" UNIQUE ("org_id", "cluster_id", "name"),
        CONSTRAINT "slurm_partitions_pkey" PRIMARY KEY ("org_id", "id")
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
        "details" json NOT NULL,
        "pod_metadata" json,
        "pod_spec" json,
        "persistent_volume_claim" json,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "answer_by" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "ended_at" TIMESTAMP(3) WITH TIME ZONE,
        "slurm_job_id" bigint,
        "policy_id" uuid,
        "beat_at" TIMESTAMP(3) WITH TIME ZONE,
        "node_region" text,
        "instance_type" text,
        "capacity_type" text,
        "node_gpu" text,
        "containers" text array,
        "leave_running" boolean NOT NULL DEFAULT true,
        "given_up_at" TIMESTAMP(3) WITH TIME ZONE,
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
      CREATE INDEX "actions_open_idx" ON "actions" ("answer_by")
      WHERE status in (
          'initialized',
          'processing',
          'checkpoint_created'
        )
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "actions_slurm_job_beat_key"
        ON "actions" ("org_id", "policy_id", "beat_at", "slurm_job_id")
      WHERE policy_id is not null
        and slurm_job_id is not null
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "actions_pod_beat_key" ON "actions" ("org_id", "policy_id", "beat_at", "pod_id")
      WHERE policy_id is not null
        and pod_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "actions_by_policy_idx" ON "actions" ("org_id", "policy_id", "created_at", "id")
      WHERE policy_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "actions_by_slurm_job_idx" ON "actions" ("org_id", "slurm_job_id", "created_at")
      WHERE slurm_job_id is not null
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
        "info" json,
        "restore_path" text,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "uploaded_at" TIMESTAMP(3) WITH TIME ZONE,
        "workload_type" text NOT NULL DEFAULT 'kubernetes',
        "progress_stage" text,
        "bytes_done" bigint,
        "bytes_total" bigint,
        "progressed_at" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "checkpoints_status_check" CHECK (
          status in (
            'initializing',
            'updated_info',
            'possibly_uploaded',
            'ready',
            'deprecated'
          )
        ),
        CONSTRAINT "checkpoints_workload_type_check" CHECK (workload_type in ('kubernetes', 'slurm')),
        CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "checkpoints_restorable_idx" ON "checkpoints" (
        "org_id",
        "workload_type",
        "name",
        "uploaded_at",
        "id"
      )
      WHERE status = 'ready'
        and restore_path is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "checkpoints_awaiting_upload_idx" ON "checkpoints" ("org_id", "action_id")
      WHERE status = 'updated_info'
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "checkpoints_container_key"
        ON "checkpoints" ("org_id", "action_id", "container_name")
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
      CREATE INDEX "checkpoints_newest_of_type_idx"
        ON "checkpoints" ("org_id", "workload_type", "created_at", "id")
    `);
    await queryRunner.query(`
      CREATE INDEX "checkpoints_newest_idx" ON "checkpoints" ("org_id", "created_at", "id")
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
        "object" json NOT NULL,
        "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "nodes_name_key" UNIQUE ("org_id", "cluster_id", "name"),
        CONSTRAINT "nodes_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "nodes_by_name_idx" ON "nodes" ("org_id", "name")
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
      CREATE INDEX "operation_facts_recent_restores_idx" ON "operation_facts" ("started_at")
      WHERE op_type = 'restore'
        and pod_ready_at is null
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
      CREATE INDEX "operation_facts_awaiting_pod_idx" ON "operation_facts" ("org_id", "pod_uid")
      WHERE op_type = 'restore'
        and pod_ready_at is null
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
      CREATE TABLE "policies" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "name" text,
        "status" text NOT NULL,
        "trigger" text NOT NULL,
        "interval_seconds" integer,
        "max_checkpoints" integer,
        "starts_at" TIMESTAMP(3) WITH TIME ZONE,
        "ends_at" TIMESTAMP(3) WITH TIME ZONE,
        "resource" text NOT NULL,
        "namespace" text,
        "pod_ids" uuid array,
        "slurm_job_ids" bigint array,
        "priority" integer,
        "kind" text NOT NULL,
        "runc_root" text,
        "next_at" TIMESTAMP(3) WITH TIME ZONE,
        "last_beat_at" TIMESTAMP(3) WITH TIME ZONE,
        "matched_at" TIMESTAMP(3) WITH TIME ZONE,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "retry_at" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "policies_next_check" CHECK ((status = 'active') = (next_at is not null)),
        CONSTRAINT "policies_resource_check" CHECK (
          resource in ('namespace', 'pods', 'jobs', 'slurm_jobs')
        ),
        CONSTRAINT "policies_trigger_check" CHECK (
          case
            trigger
            when 'heartbeat' then interval_seconds >= 10
            and starts_at is null
            and ends_at is null
            when 'maintenance' then interval_seconds is null
            and max_checkpoints is null
            and ends_at > starts_at
            else false
          end
        ),
        CONSTRAINT "policies_status_check" CHECK (status in ('active', 'disabled')),
        CONSTRAINT "policies_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "policies_due_idx" ON "policies" ("next_at")
      WHERE status = 'active'
    `);
    await queryRunner.query(`
      CREATE INDEX "policies_by_cluster_idx" ON "policies" ("org_id", "cluster_id")
    `);
    await queryRunner.query(`
      CREATE INDEX "policies_newest_idx" ON "policies" ("org_id", "created_at", "id")
    `);
    await queryRunner.query(`
      CREATE TABLE "restores" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "restore_uuid" uuid NOT NULL,
        "status" text NOT NULL,
        "members" json NOT NULL,
        "action_id" uuid,
        "checkpoint_id" uuid,
        "cluster_id" uuid,
        "profile" json,
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
        "body" json NOT NULL,
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
      CREATE TABLE "profiles" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "logical_model" text NOT NULL,
        "exact_model" text NOT NULL,
        "profile_revision" text NOT NULL,
        "compatibility_key" text NOT NULL,
        "backend_url" text NOT NULL,
        "hosting_mode" text NOT NULL,
        "spec" json NOT NULL,
        "engine_template" json,
        "estimated_cold_start_ms" bigint NOT NULL,
        "min_replicas" integer NOT NULL,
        "max_replicas" integer NOT NULL,
        "target_concurrency" integer NOT NULL,
        "max_queue_depth" integer NOT NULL,
        "scale_down_idle_seconds" bigint NOT NULL,
        "checkpoints" boolean NOT NULL,
        "engine_flags" text,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "enabled" boolean NOT NULL DEFAULT true,
        CONSTRAINT "profiles_pkey" PRIMARY KEY ("org_id", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "profiles_by_compatibility_idx" ON "profiles" ("org_id", "compatibility_key")
    `);
    await queryRunner.query(`
      CREATE INDEX "profiles_by_model_idx" ON "profiles" ("org_id", "logical_model")
    `);
    await queryRunner.query(`
      CREATE TABLE "activation_phases" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "phase" text NOT NULL,
        "ready" boolean NOT NULL,
        "observed_generation" bigint NOT NULL,
        "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "activation_phases_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "activation_phases_by_profile_idx"
        ON "activation_phases" ("org_id", "profile_id", "occurred_at")
    `);
    await queryRunner.query(`
      CREATE INDEX "activation_phases_by_time_idx" ON "activation_phases" ("org_id", "occurred_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "worker_endpoints" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "metrics_url" text NOT NULL,
        "pod_name" text,
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "worker_endpoints_pkey" PRIMARY KEY ("org_id", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "activations" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "desired_state" text NOT NULL,
        "phase" text NOT NULL,
        "ready" boolean NOT NULL,
        "endpoint" text,
        "observed_generation" bigint NOT NULL,
        "start_id" uuid,
        "version" bigint NOT NULL,
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "activations_pkey" PRIMARY KEY ("org_id", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "artifacts" (
        "org_id" uuid NOT NULL,
        "artifact_id" text NOT NULL,
        "profile_id" text NOT NULL,
        "compatibility_key" text NOT NULL,
        "checkpoint_mode" text NOT NULL,
        "storage_tier" text NOT NULL,
        "uri" text NOT NULL,
        "source" text NOT NULL,
        "status" text NOT NULL,
        "checksum" text,
        "parent_artifact_id" text,
        "logical_bytes" bigint,
        "physical_bytes" bigint,
        "reused_bytes" bigint,
        "written_bytes" bigint,
        "metadata" json NOT NULL,
        "restore_count" bigint NOT NULL DEFAULT '0',
        "engine_flags" text,
        "cluster_id" uuid,
        "node_name" text,
        "node_uid" uuid,
        "node_boot_id" text,
        "promotion_from" text,
        "promotion_requested_at" TIMESTAMP(3) WITH TIME ZONE,
        "promotion_deadline" TIMESTAMP(3) WITH TIME ZONE,
        "promotion_state" text,
        "expiry_policy_id" text,
        "expiry_reason" text,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "expired_from" text,
        CONSTRAINT "artifacts_promotion_check" CHECK (
          promotion_state in ('pending', 'confirmed', 'failed')
          and (promotion_state is null) = (promotion_from is null)
          and (promotion_state is null) = (promotion_requested_at is null)
        ),
        CONSTRAINT "artifacts_expired_from_check" CHECK (expired_from in ('golden', 'quarantined')),
        CONSTRAINT "artifacts_tier_check" CHECK (
          storage_tier in ('memory', 'local', 'shared', 'object')
        ),
        CONSTRAINT "artifacts_status_check" CHECK (
          status in (
            'ready',
            'golden',
            'quarantined',
            'expired',
            'deleted'
          )
        ),
        CONSTRAINT "artifacts_pkey" PRIMARY KEY ("org_id", "artifact_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_promotion_due_idx" ON "artifacts" ("promotion_deadline")
      WHERE promotion_state = 'pending'
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_by_parent_idx" ON "artifacts" ("org_id", "parent_artifact_id")
      WHERE parent_artifact_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_by_compatibility_idx" ON "artifacts" ("org_id", "compatibility_key")
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_by_mode_idx" ON "artifacts" (
        "org_id",
        "checkpoint_mode",
        "created_at",
        "artifact_id"
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_by_status_idx" ON "artifacts" ("org_id", "status", "created_at", "artifact_id")
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_by_profile_idx" ON "artifacts" (
        "org_id",
        "profile_id",
        "created_at",
        "artifact_id"
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "artifacts_newest_idx" ON "artifacts" ("org_id", "created_at", "artifact_id")
    `);
    await queryRunner.query(`
      CREATE TABLE "artifact_stays" (
        "org_id" uuid NOT NULL,
        "artifact_id" text NOT NULL,
        "stay" integer NOT NULL,
        "tier" text NOT NULL,
        "moved" boolean NOT NULL,
        "since" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "until" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "artifact_stays_pkey" PRIMARY KEY ("org_id", "artifact_id", "stay")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "artifact_stays_ended_idx" ON "artifact_stays" ("org_id", "until")
      WHERE until is not null
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "artifact_stays_open_idx" ON "artifact_stays" ("org_id", "artifact_id")
      WHERE until is null
    `);
    await queryRunner.query(`
      CREATE TABLE "capacity_asks" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "generation" bigint NOT NULL,
        "desired_state" text NOT NULL,
        "desired_replicas" integer NOT NULL,
        "requested_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        CONSTRAINT "capacity_asks_pkey" PRIMARY KEY ("org_id", "profile_id", "generation")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "capacity_asks_many_idx" ON "capacity_asks" ("org_id", "profile_id")
      WHERE desired_replicas > 1
    `);
    await queryRunner.query(`
      CREATE INDEX "capacity_asks_in_force_idx" ON "capacity_asks" (
        "org_id",
        "profile_id",
        "requested_at",
        "generation",
        "desired_replicas"
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "capacity_asks_by_time_idx" ON "capacity_asks" ("org_id", "requested_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "capacity_intents" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "desired_state" text NOT NULL,
        "desired_replicas" integer NOT NULL,
        "status" text NOT NULL,
        "generation" bigint NOT NULL,
        "deadline" TIMESTAMP(3) WITH TIME ZONE,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "requested_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "capacity_intents_ask_key" UNIQUE (
          "org_id",
          "profile_id",
          "desired_state",
          "desired_replicas"
        ),
        CONSTRAINT "capacity_intents_replicas_check" CHECK (desired_replicas >= 0),
        CONSTRAINT "capacity_intents_status_check" CHECK (
          status in (
            'Pending',
            'Fulfilled',
            'Superseded',
            'Expired',
            'Failed'
          )
        ),
        CONSTRAINT "capacity_intents_state_check" CHECK (desired_state in ('Active', 'Suspended')),
        CONSTRAINT "capacity_intents_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "capacity_intents_newest_idx"
        ON "capacity_intents" ("org_id", "profile_id", "requested_at")
    `);
    await queryRunner.query(`
      CREATE INDEX "capacity_intents_updated_idx" ON "capacity_intents" ("org_id", "updated_at", "id")
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "capacity_intents_pending_key" ON "capacity_intents" ("org_id", "profile_id")
      WHERE status = 'Pending'
    `);
    await queryRunner.query(`
      CREATE TABLE "experiments" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "name" text NOT NULL,
        "scenario" text NOT NULL,
        "status" text NOT NULL,
        "parameters" json NOT NULL,
        "profile_id" text,
        "started_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "completed_at" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "experiments_completed_check" CHECK ((status = 'running') = (completed_at is null)),
        CONSTRAINT "experiments_status_check" CHECK (status in ('running', 'completed', 'cancelled')),
        CONSTRAINT "experiments_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "experiments_running_idx" ON "experiments" ("org_id", "profile_id", "started_at", "id")
      WHERE status = 'running'
        and profile_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "experiments_newest_idx" ON "experiments" ("org_id", "started_at", "id")
    `);
    await queryRunner.query(`
      CREATE TABLE "lifecycle_events" (
        "org_id" uuid NOT NULL,
        "event_id" uuid NOT NULL,
        "kind" text NOT NULL,
        "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "received_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "cluster_id" uuid NOT NULL,
        "profile_id" text,
        "payload" json,
        "sequence" bigint,
        "generation" bigint,
        "action_id" uuid,
        "activation_id" uuid,
        "artifact_id" text,
        "node_uid" uuid,
        "boot_id" text,
        "workload_uid" uuid,
        "restore_artifact_id" text,
        CONSTRAINT "lifecycle_events_pkey" PRIMARY KEY ("org_id", "event_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "lifecycle_events_by_cluster_idx" ON "lifecycle_events" ("org_id", "cluster_id")
    `);
    await queryRunner.query(`
      CREATE INDEX "lifecycle_events_by_workload_idx" ON "lifecycle_events" ("org_id", "workload_uid")
      WHERE workload_uid is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "lifecycle_events_of_artifact_idx" ON "lifecycle_events" ("org_id", "artifact_id")
      WHERE kind = 'checkpoint.completed'
    `);
    await queryRunner.query(`
      CREATE INDEX "lifecycle_events_by_profile_idx" ON "lifecycle_events" (
        "org_id",
        "profile_id",
        "occurred_at",
        "event_id"
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "lifecycle_events_by_time_idx" ON "lifecycle_events" ("org_id", "occurred_at", "event_id")
    `);
    await queryRunner.query(`
      CREATE TABLE "checkpoint_requests" (
        "org_id" uuid NOT NULL,
        "request_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "kind" text NOT NULL,
        "status" text NOT NULL,
        "replace_existing" boolean NOT NULL,
        "reason" text,
        "requested_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "started_at" TIMESTAMP(3) WITH TIME ZONE,
        "completed_at" TIMESTAMP(3) WITH TIME ZONE,
        "artifact_id" text,
        "error" text,
        CONSTRAINT "checkpoint_requests_times_check" CHECK (
          (status in ('succeeded', 'failed')) = (completed_at is not null)
          and (status = 'failed') = (error is not null)
        ),
        CONSTRAINT "checkpoint_requests_status_check" CHECK (
          status in ('pending', 'running', 'succeeded', 'failed')
        ),
        CONSTRAINT "checkpoint_requests_kind_check" CHECK (kind in ('checkpoint', 'restart')),
        CONSTRAINT "checkpoint_requests_pkey" PRIMARY KEY ("org_id", "request_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "checkpoint_requests_unanswered_idx" ON "checkpoint_requests" ("requested_at")
      WHERE status in ('pending', 'running')
    `);
    await queryRunner.query(`
      CREATE INDEX "checkpoint_requests_newest_idx"
        ON "checkpoint_requests" ("org_id", "profile_id", "requested_at")
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "checkpoint_requests_open_key" ON "checkpoint_requests" ("org_id", "profile_id")
      WHERE status in ('pending', 'running')
    `);
    await queryRunner.query(`
      CREATE TABLE "observations" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "observation_key" text NOT NULL,
        "event_type" text NOT NULL,
        "evidence" text NOT NULL,
        "source" text NOT NULL,
        "started_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "completed_at" TIMESTAMP(3) WITH TIME ZONE,
        "experiment_id" uuid,
        "profile_id" text,
        "action_id" text,
        "checkpoint_id" text,
        "checkpoint_mode" text,
        "cluster_id" text,
        "deployment_id" text,
        "node_id" text,
        "request_id" text,
        "storage_tier" text,
        "duration_ms" bigint,
        "ttft_ms" bigint,
        "prompt_tokens" bigint,
        "completion_tokens" bigint,
        "logical_bytes" bigint,
        "physical_bytes" bigint,
        "reused_bytes" bigint,
        "written_bytes" bigint,
        "transferred_bytes" bigint,
        "success" boolean,
        "fallback_used" boolean,
        "deadline_missed" boolean,
        "dimensions" json,
        "metrics" json,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "observations_key_key" UNIQUE ("org_id", "observation_key"),
        CONSTRAINT "observations_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "observations_by_type_idx" ON "observations" ("org_id", "event_type", "started_at", "id")
    `);
    await queryRunner.query(`
      CREATE INDEX "observations_by_experiment_idx"
        ON "observations" ("org_id", "experiment_id", "started_at", "id")
      WHERE experiment_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "observations_by_profile_idx"
        ON "observations" ("org_id", "profile_id", "started_at", "id")
    `);
    await queryRunner.query(`
      CREATE INDEX "observations_newest_idx" ON "observations" ("org_id", "started_at", "id")
    `);
    await queryRunner.query(`
      CREATE TABLE "retention_policies" (
        "org_id" uuid NOT NULL,
        "policy_id" text NOT NULL,
        "name" text NOT NULL,
        "enabled" boolean NOT NULL,
        "max_age_days" integer,
        "max_count" integer,
        "min_tier" text,
        "profile_id" text,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "retention_policies_limits_check" CHECK (
          max_age_days >= 0
          and max_count >= 0
        ),
        CONSTRAINT "retention_policies_tier_check" CHECK (
          min_tier in ('memory', 'local', 'shared', 'object')
        ),
        CONSTRAINT "retention_policies_pkey" PRIMARY KEY ("org_id", "policy_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "retention_runs" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "ran_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "considered" integer NOT NULL,
        "expired" json NOT NULL,
        CONSTRAINT "retention_runs_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "retention_runs_newest_idx" ON "retention_runs" ("org_id", "ran_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "router_samples" (
        "org_id" uuid NOT NULL,
        "route" text NOT NULL,
        "profile_id" text NOT NULL,
        "metric_name" text NOT NULL,
        "measured_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "value" double precision NOT NULL,
        CONSTRAINT "router_samples_pkey" PRIMARY KEY (
          "org_id",
          "route",
          "profile_id",
          "metric_name",
          "measured_at"
        )
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "router_samples_by_time_idx" ON "router_samples" ("measured_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "fleets" (
        "org_id" uuid NOT NULL,
        "fleet_id" text NOT NULL,
        "name" text NOT NULL,
        "logical_model" text NOT NULL,
        "budgets" json,
        "max_node_usd_per_hour" numeric(24, 12),
        "availability" text,
        "residency" text,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "fleets_maximum_check" CHECK (max_node_usd_per_hour >= 0),
        CONSTRAINT "fleets_pkey" PRIMARY KEY ("org_id", "fleet_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "fleet_profiles" (
        "org_id" uuid NOT NULL,
        "fleet_id" text NOT NULL,
        "profile_id" text NOT NULL,
        "position" integer NOT NULL,
        CONSTRAINT "fleet_profiles_pkey" PRIMARY KEY ("org_id", "fleet_id", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "fleet_profiles_by_profile_idx" ON "fleet_profiles" ("org_id", "profile_id")
    `);
    await queryRunner.query(`
      CREATE TABLE "inference_keys" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "name" text NOT NULL,
        "digest" bytea NOT NULL,
        "models" text array NOT NULL,
        "tenant_id" text,
        "budget_usd" numeric(24, 12),
        "spent_usd" numeric(24, 12) NOT NULL DEFAULT '0',
        "reserved_usd" numeric(24, 12) NOT NULL DEFAULT '0',
        "overrun_usd" numeric(24, 12) NOT NULL DEFAULT '0',
        "rate_limit_rps" bigint,
        "bucket_tokens" double precision NOT NULL DEFAULT '0',
        "bucket_at" TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "revoked_at" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "inference_keys_digest_key" UNIQUE ("digest"),
        CONSTRAINT "inference_keys_rate_check" CHECK (rate_limit_rps > 0),
        CONSTRAINT "inference_keys_budget_check" CHECK (spent_usd + reserved_usd <= budget_usd),
        CONSTRAINT "inference_keys_counters_check" CHECK (
          spent_usd >= 0
          and reserved_usd >= 0
          and overrun_usd >= 0
        ),
        CONSTRAINT "inference_keys_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "routes" (
        "org_id" uuid NOT NULL,
        "logical_model" text NOT NULL,
        "mode" text NOT NULL,
        "queue_timeout_ms" bigint NOT NULL,
        "generation" bigint NOT NULL,
        "classifier_profile_id" text,
        "classifier_prompt" text,
        "classifier_response_schema" text,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "routes_mode_check" CHECK (mode in ('priority', 'classifier')),
        CONSTRAINT "routes_pkey" PRIMARY KEY ("org_id", "logical_model")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "routes_by_classifier_idx" ON "routes" ("org_id", "classifier_profile_id")
      WHERE classifier_profile_id is not null
    `);
    await queryRunner.query(`
      CREATE TABLE "route_targets" (
        "org_id" uuid NOT NULL,
        "logical_model" text NOT NULL,
        "profile_id" text NOT NULL,
        "tier" text NOT NULL,
        "priority" integer NOT NULL,
        "position" integer NOT NULL,
        "enabled" boolean NOT NULL DEFAULT true,
        CONSTRAINT "route_targets_pkey" PRIMARY KEY ("org_id", "logical_model", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "route_targets_by_profile_idx" ON "route_targets" ("org_id", "profile_id")
    `);
    await queryRunner.query(`
      CREATE TABLE "authorizations" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "key_id" uuid NOT NULL,
        "request_id" text NOT NULL,
        "logical_model" text NOT NULL,
        "route_generation" bigint NOT NULL,
        "reserved_usd" numeric(24, 12) NOT NULL,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "expires_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "resolved_at" TIMESTAMP(3) WITH TIME ZONE,
        "profile_id" text,
        "held_until" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "settled_at" TIMESTAMP(3) WITH TIME ZONE,
        "prompt_tokens" bigint,
        "renewed_from" uuid,
        CONSTRAINT "authorizations_request_key" UNIQUE ("org_id", "request_id"),
        CONSTRAINT "authorizations_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "authorizations_open_idx" ON "authorizations" ("held_until")
      WHERE settled_at is null
    `);
    await queryRunner.query(`
      CREATE TABLE "ledger_entries" (
        "org_id" uuid NOT NULL,
        "key_id" uuid NOT NULL,
        "position" bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
        "authorization_id" uuid NOT NULL,
        "kind" text NOT NULL,
        "reserved_usd" numeric(24, 12) NOT NULL,
        "spent_usd" numeric(24, 12) NOT NULL,
        "overrun_usd" numeric(24, 12) NOT NULL,
        "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        CONSTRAINT "ledger_entries_kind_check" CHECK (
          kind in ('reserve', 'settle', 'release', 'charge')
        ),
        CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("org_id", "key_id", "position")
      )
    `);
    // Rows of these sums change with every batch of requests. Free space on each page lets PostgreSQL
    // write the new version beside the old one, without touching an index.
    await queryRunner.query(`
      CREATE TABLE "busy_minutes" (
        "org_id" uuid NOT NULL,
        "minute" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "profile_id" text NOT NULL,
        "busy" int4multirange NOT NULL,
        "busy_ms" integer NOT NULL,
        "added_ms" integer NOT NULL,
        CONSTRAINT "busy_minutes_pkey" PRIMARY KEY ("org_id", "minute", "profile_id")
      ) WITH (fillfactor = 70)
    `);
    await queryRunner.query(`
      CREATE TABLE "busy_hours" (
        "org_id" uuid NOT NULL,
        "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "profile_id" text NOT NULL,
        "busy_ms" integer NOT NULL,
        CONSTRAINT "busy_hours_pkey" PRIMARY KEY ("org_id", "hour", "profile_id")
      ) WITH (fillfactor = 70)
    `);
    await queryRunner.query(`
      CREATE TABLE "starts" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "generation" bigint NOT NULL,
        "began_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "beginning_seen" boolean NOT NULL,
        "ready_at" TIMESTAMP(3) WITH TIME ZONE,
        "failed_at" TIMESTAMP(3) WITH TIME ZONE,
        "ended_at" TIMESTAMP(3) WITH TIME ZONE,
        "restore_checkpoint_path" text,
        "artifact_id" text,
        "told_at" TIMESTAMP(3) WITH TIME ZONE,
        "restore_failed_at" TIMESTAMP(3) WITH TIME ZONE,
        "pod_uid" uuid,
        "pod_taken_at" TIMESTAMP(3) WITH TIME ZONE,
        "begun_by" uuid,
        "reported_began_at" TIMESTAMP(3) WITH TIME ZONE,
        "beginning_reported" boolean NOT NULL DEFAULT false,
        "reported_ready_at" TIMESTAMP(3) WITH TIME ZONE,
        "reported_failed_at" TIMESTAMP(3) WITH TIME ZONE,
        "reported_ended_at" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "starts_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "starts_by_pod_idx" ON "starts" ("org_id", "pod_uid")
      WHERE pod_uid is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "starts_by_artifact_idx" ON "starts" ("org_id", "artifact_id", "ready_at")
      WHERE artifact_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "starts_open_idx" ON "starts" ("org_id", "profile_id")
      WHERE ended_at is null
    `);
    await queryRunner.query(`
      CREATE INDEX "starts_ended_idx" ON "starts" ("org_id", "ended_at")
      WHERE ended_at is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "starts_measured_idx" ON "starts" ("org_id", "ready_at")
      WHERE ready_at is not null
        and beginning_seen
    `);
    await queryRunner.query(`
      CREATE INDEX "starts_by_profile_idx" ON "starts" ("org_id", "profile_id", "began_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "start_credits" (
        "org_id" uuid NOT NULL,
        "start_id" uuid NOT NULL,
        "request_id" text NOT NULL,
        CONSTRAINT "start_credits_pkey" PRIMARY KEY ("org_id", "start_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "usage_records" (
        "org_id" uuid NOT NULL,
        "request_id" text NOT NULL,
        "occurred_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "key_id" uuid,
        "logical_model" text NOT NULL,
        "profile_id" text,
        "experiment_id" uuid,
        "route_generation" bigint,
        "decision_source" text,
        "activation_path" text,
        "classifier_profile_id" text,
        "status_code" integer,
        "upstream_attempts" integer,
        "streamed" boolean NOT NULL,
        "fallback_used" boolean NOT NULL,
        "deadline_missed" boolean NOT NULL,
        "prompt_tokens" bigint,
        "completion_tokens" bigint,
        "queue_ms" bigint,
        "routing_ms" bigint,
        "classifier_ms" bigint,
        "ttft_ms" bigint,
        "backend_ms" bigint,
        "end_to_end_ms" bigint,
        "mean_inter_token_ms" double precision,
        "p95_inter_token_ms" double precision,
        "cold_start_avoided_ms" bigint NOT NULL,
        "cost_usd" numeric(24, 12) NOT NULL,
        "meant_for_profile_id" text,
        CONSTRAINT "usage_records_pkey" PRIMARY KEY ("org_id", "request_id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "usage_records_by_experiment_idx"
        ON "usage_records" ("org_id", "experiment_id", "occurred_at")
      WHERE experiment_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "usage_records_by_profile_idx" ON "usage_records" ("org_id", "profile_id", "occurred_at")
      WHERE profile_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "usage_records_by_time_idx" ON "usage_records" ("org_id", "occurred_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "usage_rollups" (
        "org_id" uuid NOT NULL,
        "step" integer NOT NULL,
        "bucket" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "series" uuid NOT NULL,
        "logical_model" text NOT NULL,
        "profile_id" text,
        "meant_for_profile_id" text,
        "requests" bigint NOT NULL,
        "successes" bigint NOT NULL,
        "refusals" bigint NOT NULL,
        "fallbacks" bigint NOT NULL,
        "deadline_misses" bigint NOT NULL,
        "prompt_tokens" numeric(40, 0) NOT NULL,
        "completion_tokens" numeric(40, 0) NOT NULL,
        "cold_start_avoided_ms" numeric(40, 0) NOT NULL,
        "backend_count" bigint NOT NULL,
        "backend_ms" numeric(40, 0) NOT NULL,
        "fallback_backend_ms" numeric(40, 0) NOT NULL,
        "routing_count" bigint NOT NULL,
        "routing_ms" numeric(40, 0) NOT NULL,
        "ttft_count" bigint NOT NULL,
        "ttft_ms" numeric(40, 0) NOT NULL,
        "timed_tokens" numeric(40, 0) NOT NULL,
        "timed_ms" numeric(40, 0) NOT NULL,
        CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("org_id", "step", "bucket", "series")
      ) WITH (fillfactor = 70)
    `);
    await queryRunner.query(`
      CREATE TABLE "warm_waits" (
        "org_id" uuid NOT NULL,
        "hour" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "profile_id" text NOT NULL,
        "queue_ms" bigint NOT NULL,
        "requests" bigint NOT NULL,
        CONSTRAINT "warm_waits_pkey" PRIMARY KEY ("org_id", "hour", "profile_id", "queue_ms")
      ) WITH (fillfactor = 70)
    `);
    await queryRunner.query(`
      CREATE TABLE "cost_rates" (
        "org_id" uuid NOT NULL,
        "profile_id" text NOT NULL,
        "node_hourly_usd" numeric(24, 12) NOT NULL DEFAULT '0',
        "storage_gb_hour_usd" numeric(24, 12) NOT NULL DEFAULT '0',
        "transfer_gb_usd" numeric(24, 12) NOT NULL DEFAULT '0',
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "cost_rates_positive_check" CHECK (
          node_hourly_usd >= 0
          and storage_gb_hour_usd >= 0
          and transfer_gb_usd >= 0
        ),
        CONSTRAINT "cost_rates_pkey" PRIMARY KEY ("org_id", "profile_id")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "instance_type_prices" (
        "org_id" uuid NOT NULL,
        "instance_type" text NOT NULL,
        "capacity_type" text NOT NULL,
        "id" uuid NOT NULL,
        "ondemand_price_per_hour" numeric(24, 12),
        "spot_price_per_hour" numeric(24, 12),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT "instance_type_prices_positive_check" CHECK (
          ondemand_price_per_hour >= 0
          and spot_price_per_hour >= 0
        ),
        CONSTRAINT "instance_type_prices_capacity_type_check" CHECK (capacity_type in ('spot', 'on-demand')),
        CONSTRAINT "instance_type_prices_pkey" PRIMARY KEY ("org_id", "instance_type", "capacity_type")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "pod_savings" (
        "org_id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "workload" text NOT NULL,
        "pod_name" text NOT NULL,
        "namespace" text NOT NULL,
        "node_name" text NOT NULL,
        "node_region" text,
        "instance_type" text,
        "capacity_type" text,
        "gpu" text,
        "platform" text NOT NULL,
        "first_checkpoint" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "last_checkpoint" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "checkpoint_count" bigint NOT NULL,
        "heartbeat_checkpoints" bigint NOT NULL,
        "manual_checkpoints" bigint NOT NULL,
        "duration_ns" numeric(40, 0) NOT NULL,
        "size_bytes" numeric(40, 0) NOT NULL,
        "min_interval_ms" bigint,
        "max_interval_ms" bigint,
        CONSTRAINT "pod_savings_pkey" PRIMARY KEY ("org_id", "cluster_id", "workload")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "uncounted_checkpoints" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "cluster_id" uuid NOT NULL,
        "workload" text NOT NULL,
        "action_id" uuid NOT NULL,
        "taken_back" boolean NOT NULL,
        CONSTRAINT "uncounted_checkpoints_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "uncounted_checkpoints_workload_idx"
        ON "uncounted_checkpoints" ("org_id", "cluster_id", "workload")
    `);
    await queryRunner.query(`
      CREATE TABLE "savings_refreshes" (
        "org_id" uuid NOT NULL,
        "refreshed_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        CONSTRAINT "savings_refreshes_pkey" PRIMARY KEY ("org_id")
      )
    `);
    // The service makes and drops its partitions, one for each day: see sample-partitions.ts.
    await queryRunner.query(`
      CREATE TABLE "metric_samples" (
        "org_id" uuid NOT NULL,
        "series_id" bigint NOT NULL,
        "sampled_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        "value" double precision,
        CONSTRAINT "metric_samples_pkey" PRIMARY KEY ("org_id", "series_id", "sampled_at")
      ) PARTITION BY RANGE ("sampled_at")
    `);
    await queryRunner.query(`
      CREATE TABLE "metric_kinds" (
        "org_id" uuid NOT NULL,
        "family" text NOT NULL,
        "metric" text NOT NULL,
        "kind" text NOT NULL,
        CONSTRAINT "metric_kinds_pkey" PRIMARY KEY ("org_id", "family", "metric")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "metric_pods" (
        "org_id" uuid NOT NULL,
        "pod_uid" text NOT NULL,
        "namespace" text NOT NULL,
        "pod_name" text NOT NULL,
        "node_name" text,
        "owner_kind" text,
        "owner_name" text,
        "seen_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
        CONSTRAINT "metric_pods_pkey" PRIMARY KEY ("org_id", "pod_uid")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "metric_pods_by_time_idx" ON "metric_pods" ("seen_at")
    `);
    await queryRunner.query(`
      CREATE INDEX "metric_pods_by_name_idx" ON "metric_pods" ("org_id", "namespace", "pod_name")
    `);
    await queryRunner.query(`
      CREATE TABLE "metric_series" (
        "org_id" uuid NOT NULL,
        "id" bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL,
        "digest" uuid NOT NULL,
        "family" text NOT NULL,
        "metric" text NOT NULL,
        "kind" text NOT NULL,
        "node_name" text,
        "gpu_uuid" text,
        "gpu_index" text,
        "model_name" text,
        "namespace" text,
        "pod_name" text,
        "pod_uid" text,
        "container" text,
        "partition" text,
        "state" text,
        "collector" text,
        "cpu_core" text,
        "cpu_mode" text,
        "filesystem" text,
        "mountpoint" text,
        "labels" json NOT NULL,
        "last_sampled_on" date NOT NULL,
        CONSTRAINT "metric_series_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "metric_series_by_day_idx" ON "metric_series" ("last_sampled_on")
    `);
    await queryRunner.query(`
      CREATE INDEX "metric_series_by_pod_idx" ON "metric_series" ("org_id", "pod_uid")
      WHERE pod_uid is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "metric_series_by_gpu_idx" ON "metric_series" ("org_id", "gpu_uuid")
      WHERE gpu_uuid is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "metric_series_by_metric_idx"
        ON "metric_series" ("org_id", "family", "metric", "last_sampled_on")
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "metric_series_identity_idx" ON "metric_series" ("org_id", "digest")
    `);
    await queryRunner.query(`
      CREATE TABLE "provider_accounts" (
        "account" text NOT NULL,
        "verdict" text,
        "tried_at" TIMESTAMP(3) WITH TIME ZONE,
        "listed_at" TIMESTAMP(3) WITH TIME ZONE,
        "failing_since" TIMESTAMP(3) WITH TIME ZONE,
        "failure" text,
        "orphans" json NOT NULL,
        CONSTRAINT "provider_accounts_verdict_check" CHECK (verdict in ('accepted', 'refused')),
        CONSTRAINT "provider_accounts_pkey" PRIMARY KEY ("account")
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "plugin_objects" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "slot" text NOT NULL,
        "name" text NOT NULL,
        "plugin" text NOT NULL,
        "kind" text NOT NULL,
        "install_dir" text NOT NULL,
        "version" text NOT NULL,
        "arch" text NOT NULL,
        "build" text NOT NULL,
        "repository" text NOT NULL,
        "checksum" text,
        "object_key" text NOT NULL,
        "state" text NOT NULL,
        "object_tag" text,
        "size_bytes" bigint,
        "announced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "published_at" TIMESTAMP(3) WITH TIME ZONE,
        "daemon_versions" text,
        CONSTRAINT "plugin_objects_state_check" CHECK (
          state in ('awaited', 'available', 'mismatched', 'gone')
        ),
        CONSTRAINT "plugin_objects_kind_check" CHECK (kind in ('binary', 'library')),
        CONSTRAINT "plugin_objects_slot_check" CHECK (slot in ('version', 'latest')),
        CONSTRAINT "plugin_objects_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "plugin_objects_awaited_idx" ON "plugin_objects" ("announced_at", "id")
      WHERE state = 'awaited'
    `);
    await queryRunner.query(`
      CREATE INDEX "plugin_objects_plugin_idx" ON "plugin_objects" (
        "org_id",
        "arch",
        "build",
        "plugin",
        "version",
        "name",
        "announced_at"
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "plugin_objects_file_idx" ON "plugin_objects" (
        "org_id",
        "name",
        "arch",
        "build",
        "announced_at"
      )
    `);
    await queryRunner.query(`
      CREATE TABLE "instances" (
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        "name" text NOT NULL,
        "cloud" text NOT NULL,
        "region" text NOT NULL,
        "instance_type" text NOT NULL,
        "asked" json,
        "phase" text NOT NULL,
        "reason" text,
        "asked_at" TIMESTAMP(3) WITH TIME ZONE,
        "provider_id" text,
        "provider_status" text,
        "facts" json,
        "seen_at" TIMESTAMP(3) WITH TIME ZONE,
        "missing_since" TIMESTAMP(3) WITH TIME ZONE,
        "delete_wanted_at" TIMESTAMP(3) WITH TIME ZONE,
        "delete_asked_at" TIMESTAMP(3) WITH TIME ZONE,
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "ended_at" TIMESTAMP(3) WITH TIME ZONE,
        CONSTRAINT "instances_placed_check" CHECK (
          phase <> 'placed'
          or provider_id is not null
        ),
        CONSTRAINT "instances_asked_check" CHECK (
          phase <> 'asked'
          or asked_at is not null
        ),
        CONSTRAINT "instances_phase_check" CHECK (
          phase in ('recorded', 'asked', 'placed', 'failed', 'gone')
        ),
        CONSTRAINT "instances_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      CREATE INDEX "instances_ended_idx" ON "instances" ("ended_at")
    `);
    await queryRunner.query(`
      CREATE INDEX "instances_open_idx" ON "instances" ("phase")
      WHERE phase in ('recorded', 'asked', 'placed')
    `);
    await queryRunner.query(`
      CREATE UNIQUE INDEX "instances_provider_id_key" ON "instances" ("provider_id")
      WHERE provider_id is not null
    `);
    await queryRunner.query(`
      CREATE INDEX "instances_newest_idx" ON "instances" ("org_id", "created_at", "id")
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
        "object" json NOT NULL,
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
        "object" json NOT NULL,
        "synced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(),
        "org_id" uuid NOT NULL,
        "id" uuid NOT NULL,
        CONSTRAINT "engine_services_name_key" UNIQUE ("org_id", "cluster_id", "namespace", "name"),
        CONSTRAINT "engine_services_pkey" PRIMARY KEY ("org_id", "id")
      )
    `);
    await queryRunner.query(`
      ALTER TABLE "access_tokens"
      ADD CONSTRAINT "access_tokens_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "clusters"
      ADD CONSTRAINT "clusters_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "queued_workloads"
      ADD CONSTRAINT "queued_workloads_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "hosts"
      ADD CONSTRAINT "hosts_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "jobs"
      ADD CONSTRAINT "jobs_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "legacy_job_checkpoints"
      ADD CONSTRAINT "legacy_job_checkpoints_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "legacy_jobs"
      ADD CONSTRAINT "legacy_jobs_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "maintenance_windows"
      ADD CONSTRAINT "maintenance_windows_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "pods"
      ADD CONSTRAINT "pods_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "slurm_jobs"
      ADD CONSTRAINT "slurm_jobs_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "slurm_clusters"
      ADD CONSTRAINT "slurm_clusters_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "slurm_nodes"
      ADD CONSTRAINT "slurm_nodes_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "slurm_partitions"
      ADD CONSTRAINT "slurm_partitions_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "actions"
      ADD CONSTRAINT "actions_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "checkpoints"
      ADD CONSTRAINT "checkpoints_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "checkpoints"
      ADD CONSTRAINT "checkpoints_action_fkey"
        FOREIGN KEY ("org_id", "action_id") REFERENCES "actions"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "nodes"
      ADD CONSTRAINT "nodes_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "operation_stages"
      ADD CONSTRAINT "operation_stages_fact_fkey"
        FOREIGN KEY ("org_id", "operation_id") REFERENCES "operation_facts"("org_id", "operation_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "policies"
      ADD CONSTRAINT "policies_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "restores"
      ADD CONSTRAINT "restores_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "restore_events"
      ADD CONSTRAINT "restore_events_restore_fkey"
        FOREIGN KEY ("org_id", "restore_id") REFERENCES "restores"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "profiles"
      ADD CONSTRAINT "profiles_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "activation_phases"
      ADD CONSTRAINT "activation_phases_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "worker_endpoints"
      ADD CONSTRAINT "worker_endpoints_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "activations"
      ADD CONSTRAINT "activations_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "artifacts"
      ADD CONSTRAINT "artifacts_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "artifacts"
      ADD CONSTRAINT "artifacts_parent_fkey"
        FOREIGN KEY ("org_id", "parent_artifact_id") REFERENCES "artifacts"("org_id", "artifact_id")
        ON DELETE NO ACTION ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "artifact_stays"
      ADD CONSTRAINT "artifact_stays_artifact_fkey"
        FOREIGN KEY ("org_id", "artifact_id") REFERENCES "artifacts"("org_id", "artifact_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "capacity_asks"
      ADD CONSTRAINT "capacity_asks_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "capacity_intents"
      ADD CONSTRAINT "capacity_intents_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "experiments"
      ADD CONSTRAINT "experiments_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "experiments"
      ADD CONSTRAINT "experiments_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "lifecycle_events"
      ADD CONSTRAINT "lifecycle_events_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "lifecycle_events"
      ADD CONSTRAINT "lifecycle_events_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "checkpoint_requests"
      ADD CONSTRAINT "checkpoint_requests_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "observations"
      ADD CONSTRAINT "observations_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "retention_policies"
      ADD CONSTRAINT "retention_policies_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "retention_runs"
      ADD CONSTRAINT "retention_runs_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "router_samples"
      ADD CONSTRAINT "router_samples_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "fleets"
      ADD CONSTRAINT "fleets_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "fleet_profiles"
      ADD CONSTRAINT "fleet_profiles_fleet_fkey"
        FOREIGN KEY ("org_id", "fleet_id") REFERENCES "fleets"("org_id", "fleet_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "fleet_profiles"
      ADD CONSTRAINT "fleet_profiles_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "inference_keys"
      ADD CONSTRAINT "inference_keys_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "routes"
      ADD CONSTRAINT "routes_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "route_targets"
      ADD CONSTRAINT "route_targets_route_fkey"
        FOREIGN KEY ("org_id", "logical_model") REFERENCES "routes"("org_id", "logical_model")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "route_targets"
      ADD CONSTRAINT "route_targets_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "authorizations"
      ADD CONSTRAINT "authorizations_key_fkey"
        FOREIGN KEY ("org_id", "key_id") REFERENCES "inference_keys"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "ledger_entries"
      ADD CONSTRAINT "ledger_entries_key_fkey"
        FOREIGN KEY ("org_id", "key_id") REFERENCES "inference_keys"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "starts"
      ADD CONSTRAINT "starts_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "start_credits"
      ADD CONSTRAINT "start_credits_start_fkey"
        FOREIGN KEY ("org_id", "start_id") REFERENCES "starts"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "cost_rates"
      ADD CONSTRAINT "cost_rates_profile_fkey"
        FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id", "profile_id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "instance_type_prices"
      ADD CONSTRAINT "instance_type_prices_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "uncounted_checkpoints"
      ADD CONSTRAINT "uncounted_checkpoints_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "savings_refreshes"
      ADD CONSTRAINT "savings_refreshes_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "plugin_objects"
      ADD CONSTRAINT "plugin_objects_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "instances"
      ADD CONSTRAINT "instances_org_fkey"
        FOREIGN KEY ("org_id") REFERENCES "organisations"("id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "engine_graph_deployments"
      ADD CONSTRAINT "engine_graph_deployments_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(`
      ALTER TABLE "engine_services"
      ADD CONSTRAINT "engine_services_cluster_fkey"
        FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id", "id")
        ON DELETE CASCADE ON UPDATE NO ACTION
    `);
    await queryRunner.query(CREATE_SCHEMA_OBJECTS);
    for (const table of TABLES_OF_ORGANISATIONS) await protectRows(queryRunner, table);
    for (const statement of PROTECT_ACCOUNTS) await queryRunner.query(statement);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(DROP_FUNCTIONS);
    await queryRunner.query(DROP_TABLES);
  }
}
