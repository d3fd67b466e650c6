import type { DataSource, QueryRunner } from 'typeorm';

const COLUMNS = `
  select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull,
    a.attidentity, pg_get_expr(d.adbin, d.adrelid) as default
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1, a.attnum`;

const CONSTRAINTS = `
  select n.conrelid::regclass::text as table, n.conname, pg_get_constraintdef(n.oid) as definition
  from pg_constraint n join pg_class c on c.oid = n.conrelid
  where n.connamespace = 'public'::regnamespace and not c.relispartition order by 1, 2`;

const INDEXES = `
  select c.relname, pg_get_indexdef(c.oid) as definition from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('i', 'I') and not c.relispartition order by 1`;

const TABLES = `
  select c.relname, pg_get_partkeydef(c.oid) as partitions, c.reloptions, c.relrowsecurity, c.relforcerowsecurity,
    p.polname, pg_get_expr(p.polqual, p.polrelid) as condition
  from pg_class c left join pg_policy p on p.polrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;

const FUNCTIONS = `
  select p.proname as name, pg_get_functiondef(p.oid) as definition from pg_proc p
  where p.pronamespace = 'public'::regnamespace order by 1, 2`;

const VIEWS = `
  select c.relname as name, pg_get_viewdef(c.oid) as definition from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' order by 1`;

const TRIGGERS = `
  select t.tgname as name, pg_get_triggerdef(t.oid) as definition, t.tgenabled as enabled
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0 order by 1, 2`;

interface Defined {
  name: string;
  definition: string;
}

export interface DefinedObjects {
  functions: Defined[];
  views: Defined[];
  triggers: Defined[];
}

/** Functions, views and triggers of a database, as PostgreSQL prints them. */
export const objectsOf = async (database: DataSource | QueryRunner): Promise<DefinedObjects> => ({
  functions: await database.query(FUNCTIONS),
  views: await database.query(VIEWS),
  triggers: await database.query(TRIGGERS),
});

/** All that a database is made of, but for rows and for partitions, which the service makes as days go by. */
export const schemaOf = async (database: DataSource): Promise<Record<string, unknown[]>> => ({
  columns: await database.query(COLUMNS),
  constraints: await database.query(CONSTRAINTS),
  indexes: await database.query(INDEXES),
  tables: await database.query(TABLES),
  ...(await objectsOf(database)),
});
