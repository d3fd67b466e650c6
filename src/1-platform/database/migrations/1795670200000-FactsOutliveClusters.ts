import type { MigrationInterface, QueryRunner } from 'typeorm';

const SEE_ALL_ROWS = "select set_config('app.system', 'on', true)";

const TABLES = ['operation_facts', 'pod_savings'];

const dropKey = (table: string): string => `ALTER TABLE "${table}" DROP CONSTRAINT "${table}_cluster_fkey"`;
const addKey = (table: string): string =>
  `ALTER TABLE "${table}" ADD CONSTRAINT "${table}_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id") REFERENCES "clusters"("org_id","id") ON DELETE CASCADE ON UPDATE NO ACTION`;
/** Rows whose cluster is gone, which the key does not allow. */
const deleteOrphans = (table: string): string => `
  delete from ${table} f
  where f.cluster_id is not null and not exists (select from clusters c where c.org_id = f.org_id and c.id = f.cluster_id)`;

/** Facts, and what they add up to, stay when their cluster is deleted. */
export class FactsOutliveClusters1795670200000 implements MigrationInterface {
  name = 'FactsOutliveClusters1795670200000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(dropKey(table));
    // It found the facts of a deleted cluster, and nothing else.
    await queryRunner.query(`DROP INDEX "public"."operation_facts_by_cluster_idx"`);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SEE_ALL_ROWS);
    for (const table of TABLES) await queryRunner.query(deleteOrphans(table));
    for (const table of TABLES) await queryRunner.query(addKey(table));
    await queryRunner.query(
      `CREATE INDEX "operation_facts_by_cluster_idx" ON "operation_facts" ("org_id", "cluster_id") `,
    );
  }
}
