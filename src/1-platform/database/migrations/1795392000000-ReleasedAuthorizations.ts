import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until now, an authorization counted as released unused if it was closed after its time. */
export class ReleasedAuthorizations1795392000000 implements MigrationInterface {
  name = 'ReleasedAuthorizations1795392000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "authorizations" ADD "released" boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "authorizations" DROP COLUMN "released"');
  }
}
