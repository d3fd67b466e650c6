import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sweep finds the facts that no sum has yet, and a report sees that there are none in its window. */
export class UnsummedOperations1795471200000 implements MigrationInterface {
  name = 'UnsummedOperations1795471200000';
  // The index is built while facts are written.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // For transactions that have begun before; nobody waits behind it.
    await queryRunner.query("SET lock_timeout = '10min'");
    try {
      // An attempt before may have been killed while it built it.
      await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS "operation_facts_unsummed_idx"');
      await queryRunner.query(
        `CREATE INDEX CONCURRENTLY "operation_facts_unsummed_idx"
           ON "operation_facts" ("org_id", "started_at") WHERE not summed`,
      );
    } finally {
      await queryRunner.query('RESET lock_timeout');
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "operation_facts_unsummed_idx"');
  }
}
