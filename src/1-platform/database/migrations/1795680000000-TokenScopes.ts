import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What admin tokens cover. Until now each covered every organisation. Those of the first organisation, which
 * the first start made, keep that; those of the others are limited to their own from here on.
 */
export class TokenScopes1795680000000 implements MigrationInterface {
  name = 'TokenScopes1795680000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "access_tokens" ADD "scope" text NOT NULL DEFAULT 'organisation'`);
    await queryRunner.query(
      `ALTER TABLE "access_tokens" ADD CONSTRAINT "access_tokens_scope_check" CHECK (scope = 'organisation' or (scope = 'platform' and role = 'admin'))`,
    );
    // Row level security is forced: without this the update would find no rows.
    await queryRunner.query("select set_config('app.system', 'on', true)");
    await queryRunner.query(`
      update access_tokens set scope = 'platform'
      where role = 'admin' and org_id = (select id from organisations order by created_at, id limit 1)`);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "access_tokens" DROP CONSTRAINT "access_tokens_scope_check"`);
    await queryRunner.query(`ALTER TABLE "access_tokens" DROP COLUMN "scope"`);
  }
}
