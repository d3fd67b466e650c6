import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlState } from '../connections/database-errors';
import { protectRows } from '../rows/row-level-security';
import { buildBeside, dropBeside } from '../schema/build-beside';
import { inTransaction, SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

const EXISTS = `SELECT to_regclass('pod_counts') IS NOT NULL AS "exists"`;
const TABLE = `
  CREATE TABLE "pod_counts" (
    "org_id" uuid NOT NULL,
    "cluster_id" uuid NOT NULL,
    "namespace" text NOT NULL,
    "phase" text NOT NULL,
    "id" uuid NOT NULL,
    "pods" bigint NOT NULL,
    CONSTRAINT "pod_counts_pkey" PRIMARY KEY ("org_id", "cluster_id", "namespace", "phase", "id")
  )`;
const REFERENCE = `
  ALTER TABLE "pod_counts" ADD CONSTRAINT "pod_counts_cluster_fkey" FOREIGN KEY ("org_id", "cluster_id")
    REFERENCES "clusters" ("org_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION`;

/** As the release of this migration defines it: a later one may read columns that do not exist yet. */
const COUNT_PODS = `
  create or replace function count_pods() returns trigger
  language plpgsql as $$
  declare
    org_ids uuid[];
    cluster_ids uuid[];
    namespaces text[];
    phases text[];
    more bigint[];
  begin
    if tg_op = 'INSERT' then
      select array_agg(c.org_id), array_agg(c.cluster_id), array_agg(c.namespace), array_agg(c.phase),
        array_agg(c.pods)
      into org_ids, cluster_ids, namespaces, phases, more
      from (
        select org_id, cluster_id, namespace, phase, count(*) as pods from added
        where not deleted group by org_id, cluster_id, namespace, phase
      ) c;
    elsif tg_op = 'DELETE' then
      select array_agg(c.org_id), array_agg(c.cluster_id), array_agg(c.namespace), array_agg(c.phase),
        array_agg(-c.pods)
      into org_ids, cluster_ids, namespaces, phases, more
      from (
        select org_id, cluster_id, namespace, phase, count(*) as pods from removed
        where not deleted group by org_id, cluster_id, namespace, phase
      ) c
      where exists (select from clusters k where k.org_id = c.org_id and k.id = c.cluster_id);
    else
      select array_agg(c.org_id), array_agg(c.cluster_id), array_agg(c.namespace), array_agg(c.phase),
        array_agg(c.pods)
      into org_ids, cluster_ids, namespaces, phases, more
      from (
        select p.org_id, p.cluster_id, p.namespace, p.phase, sum(p.one) as pods
        from (
          select org_id, cluster_id, namespace, phase, 1 as one from added where not deleted
          union all select org_id, cluster_id, namespace, phase, -1 from removed where not deleted
        ) p
        group by p.org_id, p.cluster_id, p.namespace, p.phase having sum(p.one) <> 0
      ) c;
    end if;
    if org_ids is null then
      return null;
    end if;

    with changed as (
      select * from unnest(org_ids, cluster_ids, namespaces, phases, more)
        as c(org_id, cluster_id, namespace, phase, pods)
    ), free as materialized (
      select s.* from changed c cross join lateral (
        select * from pod_counts s
        where s.org_id = c.org_id and s.cluster_id = c.cluster_id and s.namespace = c.namespace
          and s.phase = c.phase
        for update skip locked
      ) s
    ), counted as materialized (
      select c.org_id, c.cluster_id, c.namespace, c.phase, (array_agg(f.id))[1] as id,
        c.pods + coalesce(sum(f.pods), 0) as pods
      from changed c
      left join free f on f.org_id = c.org_id and f.cluster_id = c.cluster_id
        and f.namespace = c.namespace and f.phase = c.phase
      group by c.org_id, c.cluster_id, c.namespace, c.phase, c.pods
    ), kept as (
      update pod_counts s set pods = c.pods from counted c
      where s.org_id = c.org_id and s.cluster_id = c.cluster_id and s.namespace = c.namespace
        and s.phase = c.phase and s.id = c.id and c.pods <> 0
    ), gone as (
      delete from pod_counts s using free f
      where s.org_id = f.org_id and s.cluster_id = f.cluster_id and s.namespace = f.namespace
        and s.phase = f.phase and s.id = f.id
        and not exists (
          select from counted c
          where c.org_id = f.org_id and c.cluster_id = f.cluster_id and c.namespace = f.namespace
            and c.phase = f.phase and c.id = f.id and c.pods <> 0
        )
    )
    insert into pod_counts (org_id, cluster_id, namespace, phase, id, pods)
    select org_id, cluster_id, namespace, phase, gen_random_uuid(), pods from counted
    where id is null and pods <> 0;
    return null;
  end $$`;
const TRIGGERS = [
  `
  create or replace trigger pods_counted_added after insert on pods
  referencing new table as added for each statement
  execute function count_pods()`,
  `
  create or replace trigger pods_counted_changed after update on pods
  referencing old table as removed new table as added for each statement
  execute function count_pods()`,
  `
  create or replace trigger pods_counted_removed after delete on pods
  referencing old table as removed for each statement
  execute function count_pods()`,
];

const DROP_TRIGGERS = [
  'DROP TRIGGER IF EXISTS "pods_counted_added" ON "pods"',
  'DROP TRIGGER IF EXISTS "pods_counted_changed" ON "pods"',
  'DROP TRIGGER IF EXISTS "pods_counted_removed" ON "pods"',
];

/** Who wrote pods before the triggers has ended then. Others wait for a moment. */
const LOCK = 'LOCK TABLE "pods" IN SHARE ROW EXCLUSIVE MODE';
/**
 * Adds what is missing in the numbers. A statement sees the pods and the numbers as of one moment, and every
 * transaction since the triggers exist has changed both or neither. So it needs no lock, and may be repeated.
 */
const COUNT = `
  INSERT INTO "pod_counts" (org_id, cluster_id, namespace, phase, id, pods)
  SELECT org_id, cluster_id, namespace, phase, gen_random_uuid(), sum(pods)
  FROM (
    SELECT org_id, cluster_id, namespace, phase, count(*) AS pods FROM "pods"
    WHERE NOT deleted GROUP BY org_id, cluster_id, namespace, phase
    UNION ALL SELECT org_id, cluster_id, namespace, phase, -pods FROM "pod_counts"
  ) c
  GROUP BY org_id, cluster_id, namespace, phase HAVING sum(pods) <> 0`;

/** A cluster that is deleted meanwhile takes its pods along: then the others are counted again. */
async function countPods(runner: QueryRunner): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await inTransaction(runner, async () => {
        await runner.query(SEE_ALL_ROWS);
        await runner.query(COUNT);
      });
    } catch (error) {
      if (sqlState(error) !== CLUSTER_GONE || attempt === COUNT_ATTEMPTS) throw error;
    }
}
const CLUSTER_GONE = '23503';
const COUNT_ATTEMPTS = 20;

/** By name. */
const INDEXES: Readonly<Record<string, string>> = {
  pods_on_node_idx: `
    CREATE INDEX CONCURRENTLY "pods_on_node_idx"
      ON "pods" ("org_id", "node_name", "id", "cluster_id", "namespace", "phase") WHERE not deleted`,
  pods_with_capitals_idx: `
    CREATE INDEX CONCURRENTLY "pods_with_capitals_idx"
      ON "pods" ("org_id") WHERE not deleted and name <> lower(name collate "C")`,
};

/** Numbers of pods are kept, so that lists do not count all pods at each request. */
export class PodCounts1795500000000 implements MigrationInterface {
  name = 'PodCounts1795500000000';
  // The indexes are built while pods are reported.
  transaction = false;

  /** It may be killed at any time, and goes on when it is repeated. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [index, create] of Object.entries(INDEXES)) await buildBeside(queryRunner, index, create);
    await dropBeside(queryRunner, 'pods_listed_by_node_idx');
    // One lock after the other, so that nobody waits for both: the reference locks clusters.
    await underLocks(queryRunner, async () => {
      const [found] = (await queryRunner.query(EXISTS)) as { exists: boolean }[];
      if (found?.exists === true) return;
      for (const statement of [TABLE, REFERENCE]) await queryRunner.query(statement);
      await protectRows(queryRunner, 'pod_counts');
    });
    await underLocks(queryRunner, async () => {
      await queryRunner.query(LOCK);
      for (const statement of [COUNT_PODS, ...TRIGGERS]) await queryRunner.query(statement);
    });
    await countPods(queryRunner);
  }

  /** Runs in a transaction. The index comes first: the locks of all else stop those who read clusters. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE INDEX "pods_listed_by_node_idx" ON "pods" ("org_id", "node_name", "id") WHERE not deleted',
    );
    await queryRunner.query('DROP INDEX "pods_on_node_idx", "pods_with_capitals_idx"');
    // They write a table that goes. The build that starts next makes its own objects anew.
    for (const drop of DROP_TRIGGERS) await queryRunner.query(drop);
    await queryRunner.query('DROP FUNCTION IF EXISTS count_pods()');
    await queryRunner.query(`UPDATE "schema_objects" SET "checksum" = '', "revision" = 0`);
    await queryRunner.query('DROP TABLE "pod_counts"');
  }
}
