import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

const TABLES = ['instance_type_prices', 'pod_savings', 'uncounted_checkpoints', 'savings_refreshes'];

const NODE_COLUMNS = ['node_region', 'instance_type', 'capacity_type', 'node_gpu'];
const withColumn = (column: string): string => `ALTER TABLE "actions" ADD "${column}" text`;
const withoutColumn = (column: string): string => `ALTER TABLE "actions" DROP COLUMN "${column}"`;

// An action that was ready and goes on with a further container was counted,
// or will be: its pod is added up from the beginning.
const CHECKPOINT_TO_COUNT = `
  create function checkpoint_to_count() returns trigger language plpgsql as $f$
  begin
    insert into uncounted_checkpoints (org_id, id, cluster_id, workload, action_id, taken_back)
    values (new.org_id, gen_random_uuid(), new.cluster_id, coalesce(new.pod_id::text, new.slurm_job_id::text), new.id, old.status = 'ready');
    return null;
  end $f$`;

const OF_A_WORKLOAD = "type <> 'restore_pod' and (pod_id is not null or slurm_job_id is not null)";

const TRIGGER = `
  create trigger checkpoint_to_count after update on actions for each row
  when (old.status is distinct from new.status and 'ready' in (old.status, new.status)
    and new.type <> 'restore_pod' and (new.pod_id is not null or new.slurm_job_id is not null))
  execute function checkpoint_to_count()`;

// Of what there is already, nodes are known as they are now.
const NODES_OF_ACTIONS = `
  update actions a set node_region = n.region, instance_type = n.instance_type, capacity_type = n.capacity_type, node_gpu = n.gpu_model
  from nodes n where n.org_id = a.org_id and n.cluster_id = a.cluster_id and n.name = a.node_name and a.pod_id is not null and a.type <> 'restore_pod'`;

const READY_CHECKPOINTS = `
  insert into uncounted_checkpoints (org_id, id, cluster_id, workload, action_id, taken_back)
  select org_id, gen_random_uuid(), cluster_id, coalesce(pod_id::text, slurm_job_id::text), id, false
  from actions where status = 'ready' and ${OF_A_WORKLOAD}`;

export class Savings1795490000000 implements MigrationInterface {
  name = 'Savings1795490000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "instance_type_prices" ("org_id" uuid NOT NULL, "instance_type" text NOT NULL, "capacity_type" text NOT NULL, "id" uuid NOT NULL, "ondemand_price_per_hour" numeric(24,12), "spot_price_per_hour" numeric(24,12), "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "instance_type_prices_positive_check" CHECK (ondemand_price_per_hour >= 0 and spot_price_per_hour >= 0), CONSTRAINT "instance_type_prices_capacity_type_check" CHECK (capacity_type in ('spot', 'on-demand')), CONSTRAINT "instance_type_prices_pkey" PRIMARY KEY ("org_id", "instance_type", "capacity_type"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "pod_savings" ("org_id" uuid NOT NULL, "cluster_id" uuid NOT NULL, "workload" text NOT NULL, "pod_name" text NOT NULL, "namespace" text NOT NULL, "node_name" text NOT NULL, "node_region" text, "instance_type" text, "capacity_type" text, "gpu" text, "platform" text NOT NULL, "first_checkpoint" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "last_checkpoint" TIMESTAMP(3) WITH TIME ZONE NOT NULL, "checkpoint_count" bigint NOT NULL, "heartbeat_checkpoints" bigint NOT NULL, "manual_checkpoints" bigint NOT NULL, "duration_ns" numeric(40,0) NOT NULL, "size_bytes" numeric(40,0) NOT NULL, "min_interval_ms" bigint, "max_interval_ms" bigint, CONSTRAINT "pod_savings_pkey" PRIMARY KEY ("org_id", "cluster_id", "workload"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "uncounted_checkpoints" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "cluster_id" uuid NOT NULL, "workload" text NOT NULL, "action_id" uuid NOT NULL, "taken_back" boolean NOT NULL, CONSTRAINT "uncounted_checkpoints_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "uncounted_checkpoints_workload_idx" ON "uncounted_checkpoints"  ("org_id", "cluster_id", "workload") `,
    );
    await queryRunner.query(
      `CREATE TABLE "savings_refreshes" ("org_id" uuid NOT NULL, "refreshed_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL, CONSTRAINT "savings_refreshes_pkey" PRIMARY KEY ("org_id"))`,
    );
    for (const column of NODE_COLUMNS) await queryRunner.query(withColumn(column));
    await queryRunner.query(
      `ALTER TABLE "instance_type_prices" ADD CONSTRAINT "instance_type_prices_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "pod_savings" ADD CONSTRAINT "pod_savings_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id","id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "uncounted_checkpoints" ADD CONSTRAINT "uncounted_checkpoints_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id","id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "savings_refreshes" ADD CONSTRAINT "savings_refreshes_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    for (const table of TABLES) await protectRows(queryRunner, table);
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(NODES_OF_ACTIONS);
    await queryRunner.query(READY_CHECKPOINTS);
    await queryRunner.query(CHECKPOINT_TO_COUNT);
    await queryRunner.query(TRIGGER);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    // With its trigger.
    await queryRunner.query('drop function checkpoint_to_count() cascade');
    await queryRunner.query(`ALTER TABLE "savings_refreshes" DROP CONSTRAINT "savings_refreshes_org_fkey"`);
    await queryRunner.query(`ALTER TABLE "uncounted_checkpoints" DROP CONSTRAINT "uncounted_checkpoints_cluster_fkey"`);
    await queryRunner.query(`ALTER TABLE "pod_savings" DROP CONSTRAINT "pod_savings_cluster_fkey"`);
    await queryRunner.query(`ALTER TABLE "instance_type_prices" DROP CONSTRAINT "instance_type_prices_org_fkey"`);
    for (const column of NODE_COLUMNS.toReversed()) await queryRunner.query(withoutColumn(column));
    await queryRunner.query(`DROP TABLE "savings_refreshes"`);
    await queryRunner.query(`DROP INDEX "public"."uncounted_checkpoints_workload_idx"`);
    await queryRunner.query(`DROP TABLE "uncounted_checkpoints"`);
    await queryRunner.query(`DROP TABLE "pod_savings"`);
    await queryRunner.query(`DROP TABLE "instance_type_prices"`);
  }
}
