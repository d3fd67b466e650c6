import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

/** The sweep finds the facts that no sum has yet, and a report sees that there are none in its window. */
export class UnsummedOperations1795471200000 implements MigrationInterface {
  name = 'UnsummedOperations1795471200000';
  // The index is built while facts are written.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(
      queryRunner,
      'operation_facts_unsummed_idx',
      `CREATE INDEX CONCURRENTLY "operation_facts_unsummed_idx"
         ON "operation_facts" ("org_id", "started_at") WHERE not summed`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "operation_facts_unsummed_idx"');
  }
}
