import type { MigrationInterface, QueryRunner } from 'typeorm';
import { partitionByTime, unpartition } from '../schema/partition-by-time';

/**
 * Old stages go as whole partitions, and the database stamps them. Those of before count as recorded now,
 * which changes the catalogue only. There is no foreign key, because to attach a partition, and to drop it,
 * would lock all attempts.
 */
export class StagesByTime1795478400000 implements MigrationInterface {
  name = 'StagesByTime1795478400000';
  // Its index is built while stages are written.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await partitionByTime(queryRunner, {
      table: 'operation_stages',
      at: 'recorded_at',
      key: 'org_id, operation_id, seq, recorded_at',
      obsoleteIndexes: [],
      before: [
        'alter table operation_stages drop constraint if exists operation_stages_fact_fkey',
        'alter table operation_stages add column if not exists recorded_at timestamptz(3) not null default now()',
        'alter table operation_stages alter column recorded_at set default clock_timestamp()',
      ],
    });
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await unpartition(queryRunner, 'operation_stages', 'org_id, operation_id, seq', [
      'alter table operation_stages drop column recorded_at',
      `delete from operation_stages s where not exists (
         select from operation_facts f where f.org_id = s.org_id and f.operation_id = s.operation_id
       )`,
      `alter table operation_stages add constraint operation_stages_fact_fkey foreign key (org_id, operation_id)
         references operation_facts (org_id, operation_id) on delete cascade`,
    ]);
  }
}
