import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

const TABLES = ['experiments', 'fleets', 'fleet_profiles'];

/** Requests are of the experiment that runs of the profile that serves them: routing tables name it. */
const TRIGGERS = [
  `create trigger experiments_routing after insert on experiments for each row
   when (new.profile_id is not null) execute function routing_changed('profile')`,
  `create trigger experiments_moved_routing after update of status on experiments for each row
   when (new.profile_id is not null and old.status <> new.status) execute function routing_changed('profile')`,
];

export class ExperimentsAndFleets1795466400000 implements MigrationInterface {
  name = 'ExperimentsAndFleets1795466400000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "experiments" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "name" text NOT NULL, "scenario" text NOT NULL, "status" text NOT NULL, "parameters" json NOT NULL, "profile_id" text, "started_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "completed_at" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "experiments_completed_check" CHECK ((status = 'running') = (completed_at is null)), CONSTRAINT "experiments_status_check" CHECK (status in ('running', 'completed', 'cancelled')), CONSTRAINT "experiments_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "experiments_running_idx" ON "experiments"  ("org_id", "profile_id", "started_at", "id") WHERE status = 'running' and profile_id is not null`,
    );
    await queryRunner.query(`CREATE INDEX "experiments_newest_idx" ON "experiments"  ("org_id", "started_at", "id") `);
    await queryRunner.query(
      `CREATE TABLE "fleets" ("org_id" uuid NOT NULL, "fleet_id" text NOT NULL, "name" text NOT NULL, "logical_model" text NOT NULL, "budgets" json, "max_node_usd_per_hour" numeric(24,12), "availability" text, "residency" text, "created_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "updated_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "fleets_maximum_check" CHECK (max_node_usd_per_hour >= 0), CONSTRAINT "fleets_pkey" PRIMARY KEY ("org_id", "fleet_id"))`,
    );
    await queryRunner.query(
      `CREATE TABLE "fleet_profiles" ("org_id" uuid NOT NULL, "fleet_id" text NOT NULL, "profile_id" text NOT NULL, "position" integer NOT NULL, CONSTRAINT "fleet_profiles_pkey" PRIMARY KEY ("org_id", "fleet_id", "profile_id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "fleet_profiles_by_profile_idx" ON "fleet_profiles"  ("org_id", "profile_id") `,
    );
    await queryRunner.query(
      `ALTER TABLE "experiments" ADD CONSTRAINT "experiments_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "experiments" ADD CONSTRAINT "experiments_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "fleets" ADD CONSTRAINT "fleets_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "fleet_profiles" ADD CONSTRAINT "fleet_profiles_fleet_fkey" FOREIGN KEY ("org_id", "fleet_id") REFERENCES "fleets"("org_id","fleet_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await queryRunner.query(
      `ALTER TABLE "fleet_profiles" ADD CONSTRAINT "fleet_profiles_profile_fkey" FOREIGN KEY ("org_id", "profile_id") REFERENCES "profiles"("org_id","profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    for (const table of TABLES) await protectRows(queryRunner, table);
    for (const trigger of TRIGGERS) await queryRunner.query(trigger);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "fleet_profiles" DROP CONSTRAINT "fleet_profiles_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "fleet_profiles" DROP CONSTRAINT "fleet_profiles_fleet_fkey"`);
    await queryRunner.query(`ALTER TABLE "fleets" DROP CONSTRAINT "fleets_org_fkey"`);
    await queryRunner.query(`ALTER TABLE "experiments" DROP CONSTRAINT "experiments_profile_fkey"`);
    await queryRunner.query(`ALTER TABLE "experiments" DROP CONSTRAINT "experiments_org_fkey"`);
    await queryRunner.query(`DROP INDEX "public"."fleet_profiles_by_profile_idx"`);
    await queryRunner.query(`DROP TABLE "fleet_profiles"`);
    await queryRunner.query(`DROP TABLE "fleets"`);
    await queryRunner.query(`DROP INDEX "public"."experiments_newest_idx"`);
    await queryRunner.query(`DROP INDEX "public"."experiments_running_idx"`);
    await queryRunner.query(`DROP TABLE "experiments"`);
  }
}
