import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';
import { underLocks } from '../schema/under-locks';

const EXISTS = `SELECT to_regclass('past_cost_rates') IS NOT NULL AS "exists"`;
const PAST_RATES = [
  `CREATE TABLE "past_cost_rates" (
    "org_id" uuid NOT NULL,
    "profile_id" text NOT NULL,
    "until" TIMESTAMP(3) WITH TIME ZONE NOT NULL,
    "node_hourly_usd" numeric(24,12) NOT NULL,
    "storage_gb_hour_usd" numeric(24,12) NOT NULL,
    "transfer_gb_usd" numeric(24,12) NOT NULL,
    CONSTRAINT "past_cost_rates_pkey" PRIMARY KEY ("org_id", "profile_id", "until")
  )`,
  `CREATE INDEX "past_cost_rates_until_idx" ON "past_cost_rates" ("org_id", "until")`,
  `ALTER TABLE "past_cost_rates" ADD CONSTRAINT "past_cost_rates_profile_fkey" FOREIGN KEY ("org_id", "profile_id")
    REFERENCES "profiles" ("org_id", "profile_id") ON DELETE CASCADE ON UPDATE NO ACTION`,
];

/**
 * Starts name the cluster of their worker, so that they end with it whatever became of events and pods; and
 * unit prices that are replaced are kept, so that costs of the past stay.
 */
export class PlacedStarts1795509000000 implements MigrationInterface {
  name = 'PlacedStarts1795509000000';
  // Each of its locks is given back at once.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "starts" ADD COLUMN IF NOT EXISTS "cluster_id" uuid'),
    );
    await underLocks(queryRunner, async () => {
      const [found] = (await queryRunner.query(EXISTS)) as { exists: boolean }[];
      if (found?.exists === true) return;
      for (const statement of PAST_RATES) await queryRunner.query(statement);
      await protectRows(queryRunner, 'past_cost_rates');
    });
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    // They write a table that goes. The build that starts next makes its own objects anew.
    await queryRunner.query('DROP TRIGGER IF EXISTS "cost_rates_past" ON "cost_rates"');
    await queryRunner.query('DROP FUNCTION IF EXISTS keep_past_rates()');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('DROP TABLE "past_cost_rates"');
    await queryRunner.query('ALTER TABLE "starts" DROP COLUMN "cluster_id"');
  }
}
