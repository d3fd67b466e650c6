import type pg from 'pg';

/** Row number `n`: whatever is not the organisation differs from row to row. */
const VALUES: Readonly<Record<string, string>> = {
  uuid: "lpad(to_hex(n), 32, '0')::uuid",
  text: "'made up ' || lpad(n::text, 9, '0')",
  bytea: 'n::text::bytea',
  boolean: 'false',
  date: 'current_date',
  // Within the partitions of now.
  'timestamp with time zone': "now() + n * interval '1 millisecond'",
  json: "'{}'",
  jsonb: "'{}'",
};
const ORGANISATION = "'00000000-0000-0000-0000-000000000001'::uuid";

/** Numbers are what is left, besides lists, which are empty. */
const valueOf = ({ name, type }: Column): string =>
  name === 'org_id' ? ORGANISATION : (VALUES[type] ?? (/\[\]|range/.test(type) ? "'{}'" : 'n'));

interface Column {
  readonly name: string;
  readonly type: string;
}

const TABLES = `
  select c.relname as table,
    json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null))) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.relname order by c.relname`;
const CHECKS = `
  select conrelid::regclass::text as table, conname as name from pg_constraint
  where connamespace = 'public'::regnamespace and contype = 'c' and conparentid = 0 and conislocal`;

/**
 * Fills every table with rows of one organisation, which mean nothing: for a database of which nothing but
 * plans is read. It loses its checks. A table that has one row of an organisation gets one.
 *
 * @param client of a superuser
 * @param of whether a table is filled
 */
export async function makeUpRows(
  client: pg.ClientBase,
  rows: number,
  of: (table: string) => boolean = () => true,
): Promise<void> {
  await client.query('set session_replication_role = replica');
  const { rows: checks } = await client.query<{ table: string; name: string }>(CHECKS);
  for (const { table, name } of checks) await client.query(`alter table ${table} drop constraint "${name}"`);
  // Only the release before makes its partitions.
  await client.query("select partition_made('metric_samples', 'day', now())");
  const { rows: tables } = await client.query<{ table: string; columns: Column[] }>(TABLES);
  for (const { table, columns } of tables.filter((one) => of(one.table))) {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    await client.query(
      `insert into "${table}" (${names}) overriding system value
       select ${columns.map(valueOf).join(', ')} from generate_series(1, $1::int) n on conflict do nothing`,
      [rows],
    );
  }
  await client.query('set session_replication_role = origin');
}
