import type pg from 'pg';

/** How many rows an organisation gets in each table. */
export interface Size {
  readonly orgId: string;
  readonly rows: number;
}

/** Profiles that the copies of the rows of one profile belong to. */
const PROFILES = 50;
/** Rows of an organisation that are copied, at most. */
const COPIED = 4;

interface Column {
  table: string;
  column: string;
  type: string;
  /** Part of a unique key. */
  unique: boolean;
  /** PostgreSQL gives it its value. */
  given: boolean;
}

const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
    a.attidentity <> '' or coalesce(pg_get_expr(d.adbin, d.adrelid) like 'nextval%', false) as given,
    exists (
      select from pg_index i where i.indrelid = c.oid and i.indisunique and a.attnum = any (i.indkey)
    ) as unique
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = any ($1)
  order by 1, a.attnum`;

/**
 * What the copies have instead of what was copied, so that they are history: nothing waits for them, and no
 * sweep takes them up.
 */
export type Instead = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The value of copy number `n`: unique keys differ, in the same way in every table, and times go back. */
function copied({ column, type, unique }: Column): string {
  const name = `s."${column}"`;
  if (type.startsWith('timestamp')) return `${name} - n * interval '1 second'`;
  // As rows of many profiles: what belongs to one is a part of the table.
  if (column === 'profile_id') return `${name} || '-' || n % ${PROFILES}`;
  if (!unique) return name;
  if (type === 'uuid') return `md5(${name}::text || n)::uuid`;
  if (type === 'text') return `${name} || '-' || n`;
  if (type === 'bytea') return `sha256(${name} || n::text::bytea)`;
  if (/^(integer|bigint|numeric)/.test(type)) return `${name} + n * 1000`;
  return name;
}

/**
 * Fills tables with copies of the rows that an organisation has in them, as a superuser without foreign keys
 * and triggers. Keys are made of the copied ones by the same rule in every table, so rows that refer to each
 * other still do.
 *
 * @throws if a table has no row to copy
 */
export async function copyRows(
  client: pg.ClientBase,
  tables: readonly string[],
  from: string,
  into: readonly Size[],
  instead: Instead,
): Promise<void> {
  await client.query('set session_replication_role = replica');
  const { rows } = await client.query<Column>(COLUMNS, [tables]);
  for (const table of tables) {
    const columns = rows.filter((one) => one.table === table && (!one.given || one.unique) && one.column !== 'org_id');
    const values = columns.map((one) => instead[table]?.[one.column] ?? copied(one));
    const names = columns.map(({ column }) => `"${column}"`).join(', ');
    const { rowCount } = await client.query(
      `with seeds as (select * from "${table}" where org_id = $1 limit ${COPIED})
       insert into "${table}" (org_id, ${names}) overriding system value
       select o.id, ${values.join(', ')}
       from unnest($2::uuid[], $3::int[]) o(id, rows), (select count(*) as count from seeds) of,
         seeds s, generate_series(1, o.rows / of.count) n
       order by o.id
       on conflict do nothing`,
      [from, into.map(({ orgId }) => orgId), into.map(({ rows: count }) => count)],
    );
    const wanted = into.reduce((sum, one) => sum + one.rows, 0);
    if ((rowCount ?? 0) < wanted * 0.9) throw new Error(`${table} got ${rowCount} rows of ${wanted}`);
  }
  await client.query('set session_replication_role = origin');
}
