import type { QueryRunner } from 'typeorm';
import { protection } from '../rows/row-level-security';
import { buildBeside } from './build-beside';
import { inTransaction, SEE_ALL_ROWS, underLocks } from './under-locks';

/**
 * A table that a migration partitions by time. It has no foreign keys, no identity column, and no further
 * constraints and triggers than those named here, once `before` has run. All texts are constants of the
 * migration.
 */
interface TableByTime {
  readonly table: string;
  /** The column that partitions it: not null. The database's clock becomes its default. */
  readonly at: string;
  /** The columns of its new key, which has to contain `at`. */
  readonly key: string;
  /** Indexes of before that nobody needs any more: with the new key there is one index instead of these. */
  readonly obsoleteIndexes: readonly string[];
  /** Statements that change the catalogue only, and nothing if they are repeated. */
  readonly before?: readonly string[];
  /** The conditions of its checks, by name. */
  readonly checks?: Readonly<Record<string, string>>;
  /** The statements that create its triggers, by name. Those of its rows reach every partition. */
  readonly triggers?: Readonly<Record<string, string>>;
}

/**
 * How long the rows of before have a partition that takes new rows too. The service makes those that follow.
 * A migration that is killed leaves a check behind that refuses rows after this time, until it is repeated.
 */
const ROOM = '4 weeks';

/**
 * Partitions a table by time while it is read and written. Its rows stay where they are, in a partition of
 * their own that has no lower bound. What takes long (the index of the new key, and the comparison of all
 * rows with the upper bound) locks nobody out. The exchange itself changes the catalogue only.
 *
 * Call it outside of a transaction. It may be killed at any time, and goes on when it is repeated.
 */
export async function partitionByTime(runner: QueryRunner, plan: TableByTime): Promise<void> {
  const { table } = plan;
  if (!(await isPartitioned(runner, table))) {
    if (plan.before) await allUnderLocks(runner, plan.before);
    await buildKey(runner, plan);
    const ends = await boundOf(runner, plan);
    await addCheck(runner, plan, ends);
    await runner.query(validate(plan));
    await exchange(runner, plan, ends);
  }
  // Autovacuum does not analyze a partitioned table, but its partitions.
  await runner.query(analyze(table));
}

const validate = ({ table }: TableByTime): string => `alter table ${table} validate constraint ${table}_before_check`;
const analyze = (table: string): string => `analyze ${table}`;

async function isPartitioned(runner: QueryRunner, table: string): Promise<boolean> {
  const [{ partitioned }] = (await runner.query(kindOf(table))) as [{ partitioned: boolean }];
  return partitioned;
}

const kindOf = (table: string): string =>
  `select relkind = 'p' as partitioned from pg_class where oid = '${table}'::regclass`;

/** Builds the index of the new key beside the traffic. */
const buildKey = (runner: QueryRunner, plan: TableByTime): Promise<void> =>
  buildBeside(runner, keyOf(plan), createKey(plan));

const keyOf = ({ table }: TableByTime): string => `${table}_before_key`;
const createKey = ({ table, key }: TableByTime): string =>
  `create unique index concurrently ${table}_before_key on ${table} (${key})`;

/** A Monday (UTC) after all rows of before, as PostgreSQL reads it with any settings. */
const boundOf = (runner: QueryRunner, plan: TableByTime): Promise<string> =>
  inTransaction(runner, async () => {
    await runner.query(SEE_ALL_ROWS);
    const [{ ends }] = (await runner.query(bound(plan))) as [{ ends: string }];
    return ends;
  });

const bound = ({ table, at }: TableByTime): string => `
  select to_char(date_trunc('week', (greatest(max(${at}), clock_timestamp()) + interval '${ROOM}')
    at time zone 'UTC'), 'YYYY-MM-DD') || ' 00:00:00+00' as ends from ${table}`;

/** Rows that follow obey it at once, and those of before are compared later. */
const addCheck = (runner: QueryRunner, { table, at }: TableByTime, ends: string): Promise<void> =>
  allUnderLocks(runner, [
    `alter table ${table} drop constraint if exists ${table}_before_check`,
    `alter table ${table} add constraint ${table}_before_check check (${at} < '${ends}') not valid`,
  ]);

/** Puts a partitioned table in the place of the other, which becomes its first partition. */
const exchange = (runner: QueryRunner, plan: TableByTime, ends: string): Promise<void> => {
  const { table, at, key, obsoleteIndexes, checks = {}, triggers = {} } = plan;
  return allUnderLocks(runner, [
    `lock table ${table} in access exclusive mode`,
    `alter table ${table} rename to ${table}_before`,
    ...obsoleteIndexes.map((index) => `drop index ${index}`),
    `alter table ${table}_before drop constraint ${table}_pkey`,
    `alter table ${table}_before add constraint ${table}_before_pkey primary key using index ${table}_before_key`,
    `create table ${table} (like ${table}_before including defaults) partition by range (${at})`,
    `alter table ${table} alter column ${at} set default clock_timestamp()`,
    `alter table ${table} add constraint ${table}_pkey primary key (${key})`,
    ...Object.entries(checks).map(([name, check]) => `alter table ${table} add constraint ${name} check (${check})`),
    ...Object.keys(triggers).map((name) => `drop trigger if exists ${name} on ${table}_before`),
    ...protection(table),
    `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${ends}')`,
    `alter table ${table}_before drop constraint ${table}_before_check`,
    // As `partition_made` does for the others.
    `drop policy organisation on ${table}_before`,
    `create policy service on ${table}_before using ((select current_setting('app.system', true) = 'on'))`,
    ...Object.values(triggers).map(unlessNew),
  ]);
};

/** Creates a trigger, if its function is there: a new database gets both after its migrations. */
export const unlessNew = (createTrigger: string): string =>
  `do $new$ begin ${createTrigger}; exception when undefined_function then null; end $new$`;

const allUnderLocks = (runner: QueryRunner, statements: readonly string[]): Promise<void> =>
  underLocks(runner, async () => {
    for (const statement of statements) await runner.query(statement);
  });

/**
 * The reverse: copies all rows into one table. Other transactions wait for the lock, so no row of theirs is
 * lost.
 *
 * @param key of the table before
 * @param further statements for its defaults and indexes
 */
export async function unpartition(
  runner: QueryRunner,
  table: string,
  key: string,
  further: readonly string[],
): Promise<void> {
  const statements = [
    SEE_ALL_ROWS,
    `lock table ${table} in access exclusive mode`,
    `create table ${table}_all (like ${table} including defaults)`,
    `insert into ${table}_all select * from ${table}`,
    `drop table ${table}`,
    `alter table ${table}_all rename to ${table}`,
    `alter table ${table} add constraint ${table}_pkey primary key (${key})`,
    ...further,
    ...protection(table),
    analyze(table),
  ];
  for (const statement of statements) await runner.query(statement);
}
