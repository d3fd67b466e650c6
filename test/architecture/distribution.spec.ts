import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Service } from '../support/service';

const PAGE = readFileSync(join(__dirname, '../../docs/scaling.md'), 'utf8');

/** What the page says below a heading, up to the next heading. */
function section(heading: string): string {
  const [, text] = PAGE.split(`\n### ${heading}\n`);
  if (text === undefined) throw new Error(`docs/scaling.md has no section ${heading}`);
  return text.split(/\n##/)[0] ?? '';
}

/** The names in the given column of the table of a section, in the order of the alphabet. */
const namesIn = (heading: string, column: number): string[] =>
  section(heading)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .flatMap((line) => [...(line.split('|')[column + 1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name = '']) => name)
    .sort();

const OF_SERVICE = "c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition";

const TABLES = `
  select c.relname as name, a.attnum is not null as "hasOrganisation" from pg_class c
  left join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
  where ${OF_SERVICE} order by 1`;

/** Unique indexes of tables with an organisation that do not contain it. */
const UNIQUE_ACROSS = `
  select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
  where ${OF_SERVICE} and i.indisunique and a.attnum <> all (i.indkey) order by 1`;

/** Foreign keys, with the places of the organisation in both of their lists of columns. */
const REFERENCES = `
  select n.conname as name, n.confrelid::regclass::text as target,
    array_position(n.conkey, a.attnum) as here, array_position(n.confkey, b.attnum) as there
  from pg_constraint n join pg_class c on c.oid = n.conrelid
  left join pg_attribute a on a.attrelid = n.conrelid and a.attname = 'org_id'
  left join pg_attribute b on b.attrelid = n.confrelid and b.attname = 'org_id'
  where ${OF_SERVICE} and n.contype = 'f'`;

/** Columns whose values come from a sequence, and their types. */
const COUNTED = `
  select c.relname || '.' || a.attname as name, format_type(a.atttypid, null) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where ${OF_SERVICE} and c.relname <> 'migrations'
    and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%') order by 1`;

const TRIGGERS = `
  select t.tgname as name, (t.tgtype & 1) = 1 as "eachRow" from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where ${OF_SERVICE} and not t.tgisinternal order by 1`;

describe('what docs/scaling.md says of a distributed database', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  async function rows<T extends object>(text: string): Promise<T[]> {
    return (await service.db.query<T & Record<string, unknown>>(text)).rows;
  }

  it('names every table once, by whether it has an organisation', async () => {
    const tables = await rows<{ name: string; hasOrganisation: boolean }>(TABLES);
    const names = (has: boolean) => tables.filter((one) => one.hasOrganisation === has).map(({ name }) => name);
    expect(namesIn('Distributed tables', 1)).toEqual(names(true).sort());
    expect(namesIn('Other tables', 0)).toEqual(names(false).sort());
  });

  it('names every unique index that does not contain the organisation', async () => {
    const unique = await rows<{ name: string }>(UNIQUE_ACROSS);
    expect(namesIn('Unique indexes across organisations', 0)).toEqual(unique.map(({ name }) => name).sort());
  });

  it('is right that foreign keys stay within an organisation, or refer to organisations', async () => {
    const references = await rows<{ name: string; target: string; here: number | null; there: number | null }>(
      REFERENCES,
    );
    expect(references.length).toBeGreaterThan(40);
    const isWithin = ({ target, here, there }: (typeof references)[number]) =>
      target === 'organisations' || (here !== null && here === there);
    expect(references.filter((one) => !isWithin(one))).toEqual([]);
  });

  it('names every column that counts, all of which are of eight bytes', async () => {
    const counted = await rows<{ name: string; type: string }>(COUNTED);
    expect(namesIn('Sequences', 0)).toEqual(counted.map(({ name }) => name).sort());
    expect(counted.filter(({ type }) => type !== 'bigint')).toEqual([]);
  });

  it('names every trigger that runs once for a statement, and counts the others', async () => {
    const triggers = await rows<{ name: string; eachRow: boolean }>(TRIGGERS);
    const statements = triggers.filter(({ eachRow }) => !eachRow).map(({ name }) => name);
    expect(namesIn('Triggers', 0)).toEqual(statements.sort());
    const each = triggers.length - statements.length;
    expect(section('Triggers')).toContain(`The other ${each} triggers run for each row`);
  });
});
