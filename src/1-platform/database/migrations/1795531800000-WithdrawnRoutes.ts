import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

/** Routes can be deleted, and continue their generations if they come again: one row per organisation. */
export class WithdrawnRoutes1795531800000 implements MigrationInterface {
  name = 'WithdrawnRoutes1795531800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "withdrawn_routes" (
        "org_id" uuid NOT NULL,
        "generation" bigint NOT NULL,
        "highest" bigint NOT NULL,
        CONSTRAINT "withdrawn_routes_pkey" PRIMARY KEY ("org_id"),
        CONSTRAINT "withdrawn_routes_org_fkey"
          FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE
      )
    `);
    await protectRows(queryRunner, 'withdrawn_routes');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "withdrawn_routes"');
  }
}
