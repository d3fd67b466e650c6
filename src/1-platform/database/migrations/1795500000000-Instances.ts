import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/**
 * What the provider says of the account is the service's own
 * to see: orphans in it are of several organisations.
 */
const PROTECT_ACCOUNTS = [
  'alter table provider_accounts enable row level security',
  'alter table provider_accounts force row level security',
  "create policy service on provider_accounts using ((select current_setting('app.system', true) = 'on'))",
];

export class Instances1795500000000 implements MigrationInterface {
  name = 'Instances1795500000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "provider_accounts" ("account" text NOT NULL, "verdict" text, "tried_at" TIMESTAMP(3) WITH TIME ZONE, "listed_at" TIMESTAMP(3) WITH TIME ZONE, "failing_since" TIMESTAMP(3) WITH TIME ZONE, "failure" text, "orphans" json NOT NULL, CONSTRAINT "provider_accounts_verdict_check" CHECK (verdict in ('accepted', 'refused')), CONSTRAINT "provider_accounts_pkey" PRIMARY KEY ("account"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "instances" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "name" text NOT NULL, "cloud" text NOT NULL, "region" text NOT NULL, "instance_type" text NOT NULL, "asked" json, "phase" text NOT NULL, "reason" text, "asked_at" TIMESTAMP(3) WITH TIME ZONE, "provider_id" text, "provider_status" text, "facts" json, "seen_at" TIMESTAMP(3) WITH TIME ZONE, "missing_since" TIMESTAMP(3) WITH TIME ZONE, "delete_wanted_at" TIMESTAMP(3) WITH TIME ZONE, "delete_asked_at" TIMESTAMP(3) WITH TIME ZONE, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "ended_at" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "instances_placed_check" CHECK (phase <> 'placed' or provider_id is not null), CONSTRAINT "instances_asked_check" CHECK (phase <> 'asked' or asked_at is not null), CONSTRAINT "instances_phase_check" CHECK (phase in ('recorded', 'asked', 'placed', 'failed', 'gone')), CONSTRAINT "instances_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(`CREATE INDEX "instances_ended_idx" ON "instances"  ("ended_at") `);
    await queryRunner.query(
      `CREATE INDEX "instances_open_idx" ON "instances"  ("phase") WHERE phase in ('recorded', 'asked', 'placed')`,
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX "instances_provider_id_key" ON "instances"  ("provider_id") WHERE provider_id is not null`,
    );
    await queryRunner.query(`CREATE INDEX "instances_newest_idx" ON "instances"  ("org_id", "created_at", "id") `);
    await queryRunner.query(
      `ALTER TABLE "instances" ADD CONSTRAINT "instances_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await protectRows(queryRunner, 'instances');
    for (const statement of PROTECT_ACCOUNTS) await queryRunner.query(statement);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "instances" DROP CONSTRAINT "instances_org_fkey"`);
    await queryRunner.query(`DROP INDEX "public"."instances_newest_idx"`);
    await queryRunner.query(`DROP INDEX "public"."instances_provider_id_key"`);
    await queryRunner.query(`DROP INDEX "public"."instances_open_idx"`);
    await queryRunner.query(`DROP INDEX "public"."instances_ended_idx"`);
    await queryRunner.query(`DROP TABLE "instances"`);
    await queryRunner.query(`DROP TABLE "provider_accounts"`);
  }
}
