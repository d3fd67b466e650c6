import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of pods and jobs count in an index, and read a page by name in its order. */
export class ListsOfPodsAndJobs1795449600000 implements MigrationInterface {
  name = 'ListsOfPodsAndJobs1795449600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX "pods_shown_idx"
         ON "pods" ("org_id", "cluster_id", "namespace", "phase", "node_name") WHERE not deleted`,
    );
    await queryRunner.query(
      'CREATE INDEX "pods_sorted_by_name_idx" ON "pods" ("org_id", "name", "id") WHERE not deleted',
    );
    await queryRunner.query(
      'CREATE INDEX "jobs_shown_idx" ON "jobs" ("org_id", "cluster_id", "namespace", "status") WHERE not deleted',
    );
    await queryRunner.query(
      'CREATE INDEX "jobs_sorted_by_name_idx" ON "jobs" ("org_id", "name", "id") WHERE not deleted',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "jobs_sorted_by_name_idx"');
    await queryRunner.query('DROP INDEX "jobs_shown_idx"');
    await queryRunner.query('DROP INDEX "pods_sorted_by_name_idx"');
    await queryRunner.query('DROP INDEX "pods_shown_idx"');
  }
}
