import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until now, a request that was charged because nobody reported its result had no usage record. */
export class UnreportedUsage1795483800000 implements MigrationInterface {
  name = 'UnreportedUsage1795483800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "usage_records" ADD "unreported" boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "usage_records" DROP COLUMN "unreported"');
  }
}
