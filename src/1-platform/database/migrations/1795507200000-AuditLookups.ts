import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';
import { buildOnPartitions } from '../schema/build-on-partitions';

/**
 * Without the time, so that PostgreSQL keeps each value once, and an entry takes a few bytes. The conditions
 * keep it from these indexes where a statement compares the organisation only.
 */
const OF_AUDIT = [
  { index: 'audit_entries_of_actor_idx', columns: ['org_id', 'actor_id'], where: 'actor_id is not null' },
  { index: 'audit_entries_of_resource_idx', columns: ['org_id', 'resource_id'], where: 'resource_id is not null' },
  { index: 'audit_entries_of_type_idx', columns: ['org_id', 'resource_type'], where: 'resource_type is not null' },
];

/** The entries of one actor, resource or kind of resource, and the actions of a pod by the id of its row. */
export class AuditLookups1795507200000 implements MigrationInterface {
  name = 'AuditLookups1795507200000';
  // Its indexes are built while entries and actions are written.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const plan of OF_AUDIT) await buildOnPartitions(queryRunner, { table: 'audit_entries', ...plan });
    await buildBeside(
      queryRunner,
      'actions_of_pod_row_idx',
      `CREATE INDEX CONCURRENTLY "actions_of_pod_row_idx" ON "actions" ("org_id", "pod_id", "created_at")
       WHERE pod_id is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'drop index actions_of_pod_row_idx, audit_entries_of_type_idx, audit_entries_of_resource_idx, audit_entries_of_actor_idx',
    );
  }
}
