import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composedIn, ctesIn } from './composed-statements';

/** A larger statement is split into views, functions or several statements. */
const MOST_CTES = 6;

describe('statements with common table expressions', () => {
  it('have at most six of them, with all parts that they are composed of', () => {
    // The linter refuses statements elsewhere.
    const places = ['src/**/*.queries.ts', 'src/**/*.queries/**/*.ts', 'src/1-platform/database/**/*.ts'];
    const files = globSync(places, { exclude: ['**/*.spec.ts', '**/migrations/**'] }).sort();
    const found = files.flatMap((file) => composedIn(file).map((one) => ({ file, ...one })));
    expect(found.length).toBeGreaterThan(100);
    expect(Math.max(...found.map(({ ctes }) => ctes))).toBe(MOST_CTES);
    expect(found.filter(({ ctes }) => ctes > MOST_CTES)).toEqual([]);
  });

  it('have at most six of them in functions, views and triggers', () => {
    const files = globSync('src/**/{functions,views,triggers}/*.sql');
    const found = files.map((file) => ({ file, ctes: ctesIn(readFileSync(file, 'utf8')) }));
    expect(found.filter(({ ctes }) => ctes > MOST_CTES)).toEqual([]);
  });

  it('are counted through imports, functions, members and parameters', () => {
    const directory = mkdtempSync(join(tmpdir(), 'composed-'));
    try {
      writeFileSync(
        join(directory, 'parts.ts'),
        "export const PART = 'b as (select 1), c (d) as materialized (select 2)';\n" +
          'export const more = (part: string): string => `with ${part}, a as (select 1) select 1`;\n',
      );
      writeFileSync(
        join(directory, 'whole.ts'),
        "import { more, PART as OTHER } from './parts';\n" +
          "const OF = { few: 'e as (select 1)', many: `${OTHER}, e as not materialized (select 1)` };\n" +
          "export const ALL = ['few', 'many'].map((key) => more(OF[key as 'few']));\n",
      );
      expect(composedIn(join(directory, 'whole.ts')).map(({ ctes }) => ctes)).toContain(4);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it.each([
    ['select 1', 0],
    ["with a as (select ') b as (') select 1", 1],
    ['with a as (select sum(b) over w from c window w as (order by b)), d as (select 1) select 1', 2],
    ["select cast(a as text) from json_to_recordset('[]') as b(c int)", 0],
  ])('are counted in the text %j', (sql, ctes) => {
    expect(ctesIn(sql)).toBe(ctes);
  });
});
