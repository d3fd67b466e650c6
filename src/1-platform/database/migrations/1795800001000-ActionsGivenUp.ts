import type { MigrationInterface, QueryRunner } from 'typeorm';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

/** Whether an action was given up is stored, because its deadline and its end do not tell. */
export class ActionsGivenUp1795800001000 implements MigrationInterface {
  name = 'ActionsGivenUp1795800001000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "actions" ADD "given_up_at" TIMESTAMP(3) WITH TIME ZONE`);
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query(
      `UPDATE "actions" SET "given_up_at" = greatest("answer_by", "ended_at") WHERE "status" = 'error' AND ("answer_by" <= "ended_at" OR "error" ~ '^(no node answered in|no report arrived for) [0-9]+ seconds$')`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "actions" DROP COLUMN "given_up_at"`);
  }
}
