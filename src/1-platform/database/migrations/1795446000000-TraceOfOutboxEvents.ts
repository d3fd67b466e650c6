import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events name the trace of the request that wrote them: it leads from the request to its effects. */
export class TraceOfOutboxEvents1795446000000 implements MigrationInterface {
  name = 'TraceOfOutboxEvents1795446000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "outbox_events"
         ADD "traceparent" text DEFAULT NULLIF(current_setting('app.traceparent'::text, true), ''::text)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "outbox_events" DROP COLUMN "traceparent"');
  }
}
