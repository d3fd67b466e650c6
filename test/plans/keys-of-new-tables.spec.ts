import type pg from 'pg';
import { asAdmin, cloneDatabase, dropDatabase, testServer, type TestServer } from '../support/test-server';
import { makeUpRows } from './made-up-rows';
import { neverAnalyse } from './plan-log';
import { conjuncts, type PlanNode } from './plan-reader';
import { REPLACED } from './replaced-keys';

/**
 * A connection keeps the plan of its first requests. Then a table has no rows, or a few: PostgreSQL counts on
 * ten pages of rows, unless there are more. So plans are read of empty tables, and of tables with some rows,
 * by which indexes get their sizes. A plan that is made among hundreds of rows knows about how many they are,
 * which makes most keys the best way.
 */
const ROWS = 30;

/** A unique index. */
interface Key {
  readonly table: string;
  readonly index: string;
  readonly condition: string | null;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Tables of the schema itself have rows from the beginning. */
const SERVED = "c.relname not in ('migrations', 'schema_objects')";
const KEYS = `
  select c.relname as table, k.relname as index, pg_get_expr(i.indpred, c.oid) as condition,
    json_agg(
      json_build_object('name', pg_get_indexdef(k.oid, a.attnum, true), 'type', format_type(a.atttypid, null))
      order by a.attnum
    ) as columns
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class k on k.oid = i.indexrelid
    join pg_attribute a on a.attrelid = k.oid and a.attnum <= i.indnkeyatts
  where c.relnamespace = 'public'::regnamespace and not c.relispartition and i.indisunique
    and ${SERVED}
  group by c.oid, k.oid, i.indpred order by c.relname, k.relname`;

// An index of a partition stands for that of its table.
const INDEXES = `
  select k.relname as name, coalesce(pg_partition_root(k.oid), k.oid)::regclass::text as root,
    i.indisunique as unique, array_agg(pg_get_indexdef(k.oid, a.attnum, true) order by a.attnum) as columns
  from pg_index i join pg_class k on k.oid = i.indexrelid
    join pg_attribute a on a.attrelid = k.oid and a.attnum <= i.indnkeyatts
  where k.relnamespace = 'public'::regnamespace group by k.oid, i.indisunique`;

interface Index {
  readonly name: string;
  readonly root: string;
  readonly unique: boolean;
  readonly columns: readonly string[];
}

const TABLES = `
  select relname as name, exists (select from pg_statistic where starelid = c.oid) as analysed from pg_class c
  where relnamespace = 'public'::regnamespace and relkind = 'r' and ${SERVED} order by relname`;

/** A look-up by all columns of the key may use it: its condition is that some of them are not null. */
const servesLookUps = ({ condition, columns }: Key): boolean =>
  conjuncts(condition ?? '').every((part) => {
    const [, column] = /^(\w+) IS NOT NULL$/.exec(part) ?? [];
    return part === '' || columns.some(({ name }) => name === column);
  });

/** The index finds one row by the columns of the key: it begins with all of them, or needs no others. */
const finds = ({ unique, columns }: Index, key: Key): boolean => {
  const known = new Set(key.columns.map(({ name }) => name));
  const first = columns.findIndex((column) => !known.has(column));
  const used = first === -1 ? columns.length : first;
  return used === known.size || (unique && used === columns.length);
};

const SETTINGS = [
  // A plan that is kept does not know the values.
  "set plan_cache_mode = 'force_generic_plan'",
  "set app.system = 'on'",
];
/**
 * PostgreSQL guesses how many rows a list has, and reads a small table whole for them. The question here is
 * by which index it would look up each of them.
 */
const ROW_BY_ROW = ['set enable_seqscan = off', 'set enable_hashjoin = off', 'set enable_mergejoin = off'];

const lookUp = ({ table, columns }: Key): string =>
  `(${columns.map(({ type }) => type).join(', ')}) as select from "${table}"
   where ${columns.map(({ name }, n) => `${name} = $${n + 1}`).join(' and ')}`;
const lookUpMany = ({ table, columns }: Key): string =>
  `(${columns.map(({ type }) => `${type}[]`).join(', ')}) as select
   from unnest(${columns.map((_, n) => `$${n + 1}`).join(', ')}) wanted(${columns.map((_, n) => `c${n}`).join(', ')})
   join "${table}" on ${columns.map(({ name }, n) => `${name} = wanted.c${n}`).join(' and ')}`;

/** Names of indexes in a plan, and of tables that it reads without one. */
function waysOf(plan: PlanNode): string[] {
  const { 'Index Name': index, 'Node Type': type, 'Relation Name': table, Plans: below = [] } = plan;
  const own = index ?? (type === 'Seq Scan' ? table : undefined);
  return [...(own === undefined ? [] : [own]), ...below.flatMap(waysOf)];
}

describe('the keys of tables that PostgreSQL has never analysed', () => {
  let server: TestServer;
  let database: { name: string; url: string };
  let keys: readonly Key[];
  let tables: readonly { readonly name: string; readonly analysed: boolean }[];
  /** What PostgreSQL takes instead of keys, by their names. */
  const instead = new Map<string, Set<string>>();

  beforeAll(async () => {
    server = testServer();
    database = await cloneDatabase(server);
    await asSuperuser(async (client) => {
      tables = (await client.query<(typeof tables)[number]>(TABLES)).rows;
      await neverAnalyse(client);
    });
    await asService(async (client) => {
      keys = (await client.query<Key>(KEYS)).rows.filter(servesLookUps);
      await readPlans(client);
    });
    await asSuperuser((client) => makeUpRows(client, ROWS));
    await asService(readPlans);
  });
  afterAll(async () => {
    await dropDatabase(server, database.name);
  });

  const asSuperuser = (work: (client: pg.Client) => Promise<void>): Promise<void> =>
    asAdmin(Object.assign(new URL(server.adminUrl), { pathname: database.name }).href, work);
  const asService = (work: (client: pg.Client) => Promise<void>): Promise<void> =>
    asAdmin(database.url, async (client) => {
      for (const setting of SETTINGS) await client.query(setting);
      await work(client);
    });

  async function readPlans(client: pg.Client): Promise<void> {
    const { rows: indexes } = await client.query<Index>(INDEXES);
    const indexOf = new Map(indexes.map((one) => [one.name, one]));
    const note = (key: Key, plan: PlanNode): void => {
      for (const way of waysOf(plan)) {
        const index = indexOf.get(way);
        if (index && finds(index, key)) continue;
        instead.set(key.index, (instead.get(key.index) ?? new Set()).add(index?.root ?? way));
      }
    };
    for (const key of keys) note(key, await planOf(client, key, lookUp(key)));
    for (const setting of ROW_BY_ROW) await client.query(setting);
    for (const key of keys) note(key, await planOf(client, key, lookUpMany(key)));
  }

  async function planOf(client: pg.Client, { columns }: Key, statement: string): Promise<PlanNode> {
    await client.query(`prepare look_up ${statement}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (format json) execute look_up(${columns.map(() => 'null').join(', ')})`,
    );
    await client.query('deallocate look_up');
    const [plan] = rows.map(({ 'QUERY PLAN': [{ Plan }] }) => Plan);
    if (!plan) throw new Error(`no plan of ${statement}`);
    return plan;
  }

  it('are about a hundred, of tables without any statistics', () => {
    expect(keys.length).toBeGreaterThan(90);
    expect(tables.filter(({ analysed }) => analysed)).toEqual([]);
  });

  it('are what PostgreSQL looks up a row by, unless there is a reason', () => {
    const replaced = [...instead].map(([key, others]) => [key, ...[...others].sort()]);
    expect(replaced.filter(([key = '']) => !(key in REPLACED))).toEqual([]);
  });

  it('have no reason that they do not need any more', () => {
    expect(Object.keys(REPLACED).filter((key) => !instead.has(key))).toEqual([]);
  });
});
