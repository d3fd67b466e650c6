import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

const QUEUED = "event_type = 'cluster.workload_queued' and payload -> 'manifest' is not null";

// Manifests move out of the events, and are kept for 7 days since they were requested.
const MOVE = `
  insert into queued_workloads (org_id, id, cluster_id, kind, status, manifest, created_at, forget_at)
  select org_id, (payload ->> 'workload_id')::uuid, cluster_id, lower(payload ->> 'kind'), 'queued', payload -> 'manifest', created_at,
    created_at + interval '7 days'
  from outbox_events e where ${QUEUED} and exists (select from clusters c where c.org_id = e.org_id and c.id = e.cluster_id)
  on conflict do nothing`;
const STRIP = `
  update outbox_events set payload = json_build_object('workload_id', payload -> 'workload_id', 'cluster_id', payload -> 'cluster_id')
  where ${QUEUED}`;
const RESTORE = `
  update outbox_events e set payload = json_build_object('workload_id', w.id, 'cluster_id', w.cluster_id, 'kind', initcap(w.kind), 'manifest', w.manifest)
  from queued_workloads w
  where e.event_type = 'cluster.workload_queued' and w.org_id = e.org_id and w.id::text = e.payload ->> 'workload_id' and w.manifest is not null`;

export class QueuedWorkloads1795670100000 implements MigrationInterface {
  name = 'QueuedWorkloads1795670100000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "queued_workloads" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "cluster_id" uuid NOT NULL, "kind" text NOT NULL, "status" text NOT NULL, "manifest" json, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "taken_at" TIMESTAMP(3) WITH TIME ZONE, "taken_by" text, "error" text, "forget_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "queued_workloads_taken_check" CHECK ((status = 'queued') = (taken_at is null)), CONSTRAINT "queued_workloads_status_check" CHECK (status in ('queued', 'applied', 'refused')), CONSTRAINT "queued_workloads_kind_check" CHECK (kind in ('deployment', 'job', 'pod')), CONSTRAINT "queued_workloads_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "queued_workloads_to_forget_idx" ON "queued_workloads"  ("forget_at") WHERE manifest is not null`,
    );
    await queryRunner.query(
      `CREATE INDEX "queued_workloads_by_cluster_idx" ON "queued_workloads"  ("org_id", "cluster_id") `,
    );
    await queryRunner.query(
      `ALTER TABLE "queued_workloads" ADD CONSTRAINT "queued_workloads_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id","id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await protectRows(queryRunner, 'queued_workloads');
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(MOVE);
    await queryRunner.query(STRIP);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(RESTORE);
    await queryRunner.query(`DROP TABLE "queued_workloads"`);
  }
}
