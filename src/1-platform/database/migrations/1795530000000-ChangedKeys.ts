import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inTransaction, SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

/** The old constraint goes in the same step, so that one of them always holds. */
const CHECK = (rule: string) => `
  ALTER TABLE "inference_keys" DROP CONSTRAINT IF EXISTS "inference_keys_budget_check",
    ADD CONSTRAINT "inference_keys_budget_check" CHECK (${rule}) NOT VALID`;
const VALIDATE = 'ALTER TABLE "inference_keys" VALIDATE CONSTRAINT "inference_keys_budget_check"';

/** A budget may be lowered below what is spent and reserved. */
export class ChangedKeys1795530000000 implements MigrationInterface {
  name = 'ChangedKeys1795530000000';
  // Rows are checked while requests are admitted.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await underLocks(queryRunner, async () => {
      await queryRunner.query(
        `ALTER TABLE "inference_keys" ADD COLUMN IF NOT EXISTS "admitted_usd" numeric(24, 12) NOT NULL DEFAULT '0'`,
      );
      await queryRunner.query(
        CHECK('budget_usd is null or spent_usd + reserved_usd <= greatest(budget_usd, admitted_usd)'),
      );
    });
    await inTransaction(queryRunner, () => queryRunner.query(VALIDATE));
  }

  /** Runs in a transaction. A budget that was lowered becomes what is spent and reserved: it is used up. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(
      `UPDATE "inference_keys" SET "budget_usd" = spent_usd + reserved_usd WHERE spent_usd + reserved_usd > budget_usd`,
    );
    await queryRunner.query(CHECK('spent_usd + reserved_usd <= budget_usd'));
    await queryRunner.query(VALIDATE);
    await queryRunner.query('ALTER TABLE "inference_keys" DROP COLUMN "admitted_usd"');
  }
}
