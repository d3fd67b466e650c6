import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of what is only kept and given back, by table. */
const KEPT = {
  actions: ['details', 'pod_metadata', 'pod_spec', 'persistent_volume_claim'],
  audit_entries: ['details'],
  checkpoints: ['info'],
  clusters: ['metadata'],
  engine_graph_deployments: ['object'],
  engine_services: ['object'],
  jobs: ['object'],
  nodes: ['object'],
  outbox_events: ['payload'],
  pods: ['object'],
  restore_events: ['body'],
  restores: ['members', 'profile'],
};

/** What is only kept stays the text that came; and each kind of workload finds its own restore paths. */
export class KeptJson1795340000000 implements MigrationInterface {
  name = 'KeptJson1795340000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of statements('json')) await queryRunner.query(statement);
    await queryRunner.query(`DROP INDEX "public"."checkpoints_restorable_idx"`);
    await queryRunner.query(
      `CREATE INDEX "checkpoints_restorable_idx" ON "checkpoints"  ("org_id", "workload_type", "name", "uploaded_at", "id") WHERE status = 'ready' and restore_path is not null`,
    );
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX "public"."checkpoints_restorable_idx"`);
    await queryRunner.query(
      `CREATE INDEX "checkpoints_restorable_idx" ON "checkpoints"  ("org_id", "name", "uploaded_at") WHERE status = 'ready'`,
    );
    for (const statement of statements('jsonb')) await queryRunner.query(statement);
  }
}

/** One statement a table, which writes it anew once. */
const statements = (type: 'json' | 'jsonb'): string[] =>
  Object.entries(KEPT).map(([table, columns]) => {
    const changes = columns.map((name) => `ALTER COLUMN "${name}" TYPE ${type} USING "${name}"::${type}`);
    return `ALTER TABLE "${table}" ${changes.join(', ')}`;
  });
