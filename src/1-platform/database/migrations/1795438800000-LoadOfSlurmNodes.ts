import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a map of a Slurm cluster shows of its nodes. */
export class LoadOfSlurmNodes1795438800000 implements MigrationInterface {
  name = 'LoadOfSlurmNodes1795438800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "slurm_nodes" ADD "partitions" jsonb, ADD "reason" text, ADD "alloc_cpus" integer,
         ADD "load" double precision, ADD "alloc_memory" bigint, ADD "free_memory" bigint`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "slurm_nodes" DROP "partitions", DROP "reason", DROP "alloc_cpus", DROP "load",
         DROP "alloc_memory", DROP "free_memory"`,
    );
  }
}
