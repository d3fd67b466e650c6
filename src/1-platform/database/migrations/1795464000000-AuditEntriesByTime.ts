import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partitionByTime, unpartition } from '../schema/partition-by-time';

/**
 * Old audit entries go as whole partitions, and the database stamps them. The key begins with the time, so
 * it is also the index of the list.
 */
export class AuditEntriesByTime1795464000000 implements MigrationInterface {
  name = 'AuditEntriesByTime1795464000000';
  // Its index is built while entries are written.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await partitionByTime(queryRunner, {
      table: 'audit_entries',
      at: 'occurred_at',
      key: 'org_id, occurred_at, id',
      obsoleteIndexes: ['audit_entries_newest_idx'],
    });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await unpartition(queryRunner, 'audit_entries', 'org_id, id', [
      'alter table audit_entries alter column occurred_at drop default',
      'create index audit_entries_newest_idx on audit_entries (org_id, occurred_at, id)',
    ]);
  }
}
