import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

/** Jobs that have not ended are listed without a look at those that have, which are many times as many. */
export class OpenSlurmJobs1795512600000 implements MigrationInterface {
  name = 'OpenSlurmJobs1795512600000';
  // Its index is built while jobs are reported.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(
      queryRunner,
      'slurm_jobs_open_idx',
      `CREATE INDEX CONCURRENTLY "slurm_jobs_open_idx" ON "slurm_jobs" ("org_id", "cluster_id", "id")
       WHERE event_time is null`,
    );
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "slurm_jobs_open_idx"');
  }
}
