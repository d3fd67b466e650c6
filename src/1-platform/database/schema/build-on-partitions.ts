import type { QueryRunner } from 'typeorm';
import { buildBeside } from './build-beside';
import { underLocks } from './under-locks';

/** An index of a partitioned table. All texts are constants of the migration. */
interface PartitionedIndex {
  readonly index: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly where: string;
}

/**
 * Builds an index of a partitioned table beside the traffic, partition by partition. Partitions that are made
 * meanwhile get it at once. Call it outside of a transaction. It may be killed at any time, and goes on when
 * it is repeated.
 */
export async function buildOnPartitions(runner: QueryRunner, plan: PartitionedIndex): Promise<void> {
  for (;;) {
    await underLocks(runner, () => runner.query(createOnNone(plan)));
    const partitions = ((await runner.query(without(plan))) as { partition: string }[]).map((row) => row.partition);
    // All are built before one is attached. The statements that attach take moments, so retention hardly ever
    // drops a partition between them, as it may in the hours that an index takes.
    for (const partition of partitions)
      await unlessGone(runner, partition, () => {
        const own = nameOn(partition, plan);
        return buildBeside(runner, own, create(own, partition, plan));
      });
    for (const partition of partitions)
      await unlessGone(runner, partition, () =>
        underLocks(runner, () => runner.query(attach(plan, nameOn(partition, plan)))),
      );
    if (await isValid(runner, plan)) return;
    // PostgreSQL marks it as valid when an index is attached and none is missing. The partition that was the
    // last one without was dropped, so nothing is left to attach. This drops all that are attached, too.
    await underLocks(runner, () => runner.query(drop(plan)));
  }
}

async function unlessGone(runner: QueryRunner, partition: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    // Retention has dropped it meanwhile.
    if (!(await isGone(runner, partition))) throw error;
  }
}

/** As PostgreSQL names it on a partition that is attached later. */
const nameOn = (partition: string, { columns }: PartitionedIndex): string => `${partition}_${columns.join('_')}_idx`;

const create = (own: string, partition: string, plan: PartitionedIndex): string =>
  `create index concurrently ${own} on ${partition} ${of(plan)}`;

const of = ({ columns, where }: PartitionedIndex): string => `(${columns.join(', ')}) where ${where}`;

/** It is not valid, and nobody uses it, until all partitions have one that is attached. */
const createOnNone = (plan: PartitionedIndex): string =>
  `create index if not exists ${plan.index} on only ${plan.table} ${of(plan)}`;

const drop = ({ index }: PartitionedIndex): string => `drop index ${index}`;

/** The oldest first: retention drops them first, and the last one decides whether the index is valid. */
const without = ({ index, table }: PartitionedIndex): string => `
  select p.inhrelid::regclass::text as partition from pg_inherits p
  where p.inhparent = '${table}'::regclass and not exists (
    select from pg_index i join pg_inherits a on a.inhrelid = i.indexrelid
    where i.indrelid = p.inhrelid and a.inhparent = '${index}'::regclass
  )
  order by p.inhrelid`;

const attach = ({ index }: PartitionedIndex, own: string): string => `alter index ${index} attach partition ${own}`;

async function isValid(runner: QueryRunner, { index }: PartitionedIndex): Promise<boolean> {
  const [{ valid }] = (await runner.query(validity(index))) as [{ valid: boolean }];
  return valid;
}

const validity = (index: string): string => `
  select indisvalid as valid from pg_index where indexrelid = '${index}'::regclass`;

async function isGone(runner: QueryRunner, partition: string): Promise<boolean> {
  const [{ gone }] = (await runner.query(isMissing(partition))) as [{ gone: boolean }];
  return gone;
}

const isMissing = (partition: string): string => `select to_regclass('${partition}') is null as gone`;
