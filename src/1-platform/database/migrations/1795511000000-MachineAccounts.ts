import type { MigrationInterface, QueryRunner } from 'typeorm';
import { underLocks } from '../schema/under-locks';

/** Machines name the account that they were rented from: another key lacks them, and they run on. */
export class MachineAccounts1795511000000 implements MigrationInterface {
  name = 'MachineAccounts1795511000000';
  // Each of its locks is given back at once.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, () =>
      queryRunner.query('ALTER TABLE "instances" ADD COLUMN IF NOT EXISTS "account" text'),
    );
  }

  /** Runs in a transaction. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "instances" DROP COLUMN "account"');
  }
}
