import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ended jobs of one cluster are listed without a look at those of the others. */
export class EndedJobsOfClusters1795442400000 implements MigrationInterface {
  name = 'EndedJobsOfClusters1795442400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "slurm_jobs_events_by_cluster_idx" ON "slurm_jobs" ("org_id", "cluster_id", "event_time", "id")
         WHERE event_time is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "slurm_jobs_events_by_cluster_idx"');
  }
}
