import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';

export class Plugins1795510000000 implements MigrationInterface {
  name = 'Plugins1795510000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE TABLE "plugin_objects" ("org_id" uuid NOT NULL, "id" uuid NOT NULL, "slot" text NOT NULL, "name" text NOT NULL, "plugin" text NOT NULL, "kind" text NOT NULL, "install_dir" text NOT NULL, "version" text NOT NULL, "arch" text NOT NULL, "build" text NOT NULL, "repository" text NOT NULL, "checksum" text, "object_key" text NOT NULL, "state" text NOT NULL, "object_tag" text, "size_bytes" bigint, "announced_at" TIMESTAMP(3) WITH TIME ZONE NOT NULL DEFAULT clock_timestamp(), "published_at" TIMESTAMP(3) WITH TIME ZONE, CONSTRAINT "plugin_objects_state_check" CHECK (state in ('awaited', 'available', 'mismatched', 'gone')), CONSTRAINT "plugin_objects_kind_check" CHECK (kind in ('binary', 'library')), CONSTRAINT "plugin_objects_slot_check" CHECK (slot in ('version', 'latest')), CONSTRAINT "plugin_objects_pkey" PRIMARY KEY ("org_id", "id"))`,
    );
    await queryRunner.query(
      `CREATE INDEX "plugin_objects_awaited_idx" ON "plugin_objects"  ("announced_at", "id") WHERE state = 'awaited'`,
    );
    await queryRunner.query(
      `CREATE INDEX "plugin_objects_plugin_idx" ON "plugin_objects"  ("org_id", "arch", "build", "plugin", "version", "name", "announced_at") `,
    );
    await queryRunner.query(
      `CREATE INDEX "plugin_objects_file_idx" ON "plugin_objects"  ("org_id", "name", "arch", "build", "announced_at") `,
    );
    await queryRunner.query(
      `ALTER TABLE "plugin_objects" ADD CONSTRAINT "plugin_objects_org_fkey" FOREIGN KEY ("org_id") REFERENCES "organisations"("id") ON DELETE CASCADE ON UPDATE NO ACTION`,
    );
    await protectRows(queryRunner, 'plugin_objects');
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "plugin_objects" DROP CONSTRAINT "plugin_objects_org_fkey"`);
    await queryRunner.query(`DROP INDEX "public"."plugin_objects_file_idx"`);
    await queryRunner.query(`DROP INDEX "public"."plugin_objects_plugin_idx"`);
    await queryRunner.query(`DROP INDEX "public"."plugin_objects_awaited_idx"`);
    await queryRunner.query(`DROP TABLE "plugin_objects"`);
  }
}
