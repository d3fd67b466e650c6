import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

const GONE = `
  CREATE INDEX CONCURRENTLY "nodes_gone_idx" ON "nodes" ("org_id", "synced_at", "id") WHERE deleted`;

/** Nodes that are gone are found by their age, and removed like pods. */
export class GoneNodes1795501800000 implements MigrationInterface {
  name = 'GoneNodes1795501800000';
  // The index is built while nodes are reported.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(queryRunner, 'nodes_gone_idx', GONE);
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "nodes_gone_idx"');
  }
}
