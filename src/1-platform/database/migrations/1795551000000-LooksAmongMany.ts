import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

const INDEXES: Readonly<Record<string, string>> = {
  actions_of_policy_by_status_idx: 'actions ("org_id", "policy_id", "status") WHERE policy_id is not null',
  checkpoints_by_name_idx: 'checkpoints ("org_id", "name", "created_at", "id") WHERE name is not null',
  restores_of_status_idx: 'restores ("org_id", "status", "created_at", "id")',
};

/**
 * The actions of a policy are counted in an index; the checkpoints of one name, and the restores of one
 * status, are found without a look at all others.
 */
export class LooksAmongMany1795551000000 implements MigrationInterface {
  name = 'LooksAmongMany1795551000000';
  // Its indexes are built while checkpoints are reported.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [index, on] of Object.entries(INDEXES))
      await buildBeside(queryRunner, index, `CREATE INDEX CONCURRENTLY "${index}" ON ${on}`);
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP INDEX "actions_of_policy_by_status_idx", "checkpoints_by_name_idx", "restores_of_status_idx"',
    );
  }
}
