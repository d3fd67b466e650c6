import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time of the primary, by which the age of a read replica is known. */
export class Heartbeats1795456800000 implements MigrationInterface {
  name = 'Heartbeats1795456800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE "heartbeats" (
        "id" integer NOT NULL,
        "beaten_at" timestamptz(3) NOT NULL,
        CONSTRAINT "heartbeats_pkey" PRIMARY KEY ("id")
      )
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "heartbeats"');
  }
}
