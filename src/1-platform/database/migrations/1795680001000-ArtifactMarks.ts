import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The mark of an operator (golden, quarantined) outlasts the expiry of the bytes. */
export class ArtifactMarks1795680001000 implements MigrationInterface {
  name = 'ArtifactMarks1795680001000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "artifacts" ADD "expired_from" text`);
    await queryRunner.query(
      `ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_expired_from_check" CHECK (expired_from in ('golden', 'quarantined'))`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "artifacts" DROP CONSTRAINT "artifacts_expired_from_check"`);
    await queryRunner.query(`ALTER TABLE "artifacts" DROP COLUMN "expired_from"`);
  }
}
