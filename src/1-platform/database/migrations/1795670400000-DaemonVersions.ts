import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DaemonVersions1795670400000 implements MigrationInterface {
  name = 'DaemonVersions1795670400000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "plugin_objects" ADD "daemon_versions" text`);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "plugin_objects" DROP COLUMN "daemon_versions"`);
  }
}
