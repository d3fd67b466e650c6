import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PolicyRetry1795350000000 implements MigrationInterface {
  name = 'PolicyRetry1795350000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "policies" ADD "retry_at" TIMESTAMP(3) WITH TIME ZONE`);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "policies" DROP COLUMN "retry_at"`);
  }
}
