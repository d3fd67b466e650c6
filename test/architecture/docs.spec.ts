import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const PROJECT = join(__dirname, '../..');
const at = (path: string): string => join(PROJECT, path);
const textOf = (path: string): string => readFileSync(at(path), 'utf8');

const PAGES = globSync(['*.md', 'docs/**/*.md'], { cwd: PROJECT }).sort();
const WINGS = readdirSync(at('src')).filter((name) => /^\d-/.test(name));
const SOURCES = globSync('src/**/*', { cwd: PROJECT });

/** The text of a page below a heading, up to the next one of the same level. */
function section(page: string, heading: string): string {
  const text = textOf(page).split(`\n## ${heading}\n`)[1];
  if (text === undefined) throw new Error(`${page} has no section ${heading}`);
  return text.split('\n## ')[0] ?? '';
}

/** Rows of the first table of a text, without its head. */
const rowsOf = (text: string): string[][] =>
  (/(^\|.*\|\n)+/m.exec(text)?.[0] ?? '')
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const quoted = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner);

/** Blocks of code hold commands and diagrams, not references. */
const proseOf = (page: string): string => textOf(page).replaceAll(/^```[^]*?^```/gm, '');

const wingOf = (page: string): string | undefined => WINGS.find((wing) => page === `docs/wings/${wing}.md`);

/** A file by its ending, or a path from the root or from `src` by its first part. */
const IS_PATH = new RegExp(`^[\\w.*<>{},/-]+\\.(ts|sql|md|cjs|mjs)$|^(src|test|docs|docker|\\.ci|${WINGS.join('|')})/`);
/** No view exists yet. */
const FUTURE = ['views/<name>.sql'];

/** The page of a wing also names folders from the wing on. */
function isPath(page: string, text: string): boolean {
  const wing = wingOf(page);
  const [first = '', second] = text.split('/');
  const inWing = wing !== undefined && second !== undefined && first !== '' && existsSync(at(`src/${wing}/${first}`));
  return IS_PATH.test(text) || (inWing && /^[\w/-]+$/.test(text));
}

/** Whether a path exists: from the root, from `src`, or at the end of a path in the page's wing. */
function exists(page: string, path: string): boolean {
  const pattern = path.replaceAll(/<[^>]+>/g, '*').replace(/\/$/, '');
  const wing = wingOf(page);
  const places = ['', 'src/', dirname(page) + '/', ...(wing === undefined ? [] : [`src/${wing}/`])];
  if (places.some((place) => globSync(place + pattern, { cwd: PROJECT }).length > 0)) return true;
  const within = wing ?? (page === 'docs/formulas.md' ? '6-insight' : '*');
  return globSync(`src/${within}/**/${pattern}`, { cwd: PROJECT }).length > 0;
}

describe('the documents', () => {
  it('are found by this test', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/architecture.md', 'docs/wings/5-traffic.md']));
    expect(SOURCES.length).toBeGreaterThan(500);
  });

  it.each(PAGES)('name only paths that exist: %s', (page) => {
    const paths = quoted(proseOf(page)).filter((path) => isPath(page, path) && !FUTURE.includes(path));
    expect(paths.filter((path) => !exists(page, path))).toEqual([]);
  });

  it.each(PAGES)('link only to files and headings that exist: %s', (page) => {
    const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(at(target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('find paths and links that do not exist', () => {
    expect(exists('docs/wings/5-traffic.md', 'spending/prices.ts')).toBe(false);
    expect(exists('docs/wings/5-traffic.md', 'admissions/prices.ts')).toBe(true);
    expect(exists('docs/wings/4-serving.md', 'admissions/prices.ts')).toBe(false);
    expect(anchorsOf('docs/architecture.md')).toContain('five-rules');
  });
});

describe('the table of guides', () => {
  it('has each guide once', () => {
    const folder = 'docs/guides';
    const listed = rowsOf(textOf(`${folder}/README.md`)).map(([guide = '']) => /\(([^)]+)\)/.exec(guide)?.[1]);
    const guides = readdirSync(at(folder)).filter((file) => file.endsWith('.md') && file !== 'README.md');
    expect(listed.sort()).toEqual(guides.sort());
  });
});

/** As GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

describe.each(WINGS)('the page of the wing %s', (wing) => {
  const page = `docs/wings/${wing}.md`;

  it('lists each folder of the wing once', () => {
    const listed = rowsOf(textOf(page)).flatMap(([folders = '']) => quoted(folders));
    expect(listed.sort()).toEqual(readdirSync(at(`src/${wing}`)).sort());
  });

  const rules = rowsOf(section(page, 'Where is the rule?'));

  it('has at least five rules, with one file each', () => {
    expect(rules.length).toBeGreaterThanOrEqual(5);
    for (const [rule, file = ''] of rules) expect([rule, quoted(file).length]).toEqual([rule, 1]);
  });

  it.each(rules)('names a file that has its rule: %s', (_rule, file, names) => {
    const path = quoted(file ?? '')[0] ?? '';
    const text = textOf(WINGS.includes(path.split('/')[0] ?? '') ? `src/${path}` : `src/${wing}/${path}`);
    const searched = quoted(names ?? '');
    expect(searched).not.toEqual([]);
    expect(searched.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });
});

/** Creates problems from a code that it gets. */
const HELPERS = 'src/1-platform/common/answers/problem.ts';
/** Has its codes in an object. */
const BY_REASON = 'src/5-traffic/routes/routes.errors.ts';

/** The argument of a call that is the code of a problem. */
function codeArgument(node: ts.Node): ts.Expression | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Problem') return node.arguments?.[1];
  if (ts.isCallExpression(node) && /^(notFound|conflict|unavailable)$/.test(node.expression.getText()))
    return node.arguments[0];
  return undefined;
}

/** The codes of a file's problems, and the code arguments that are no texts. */
function problemCodes(file: string): { codes: string[]; computed: string[] } {
  const [codes, computed]: [string[], string[]] = [[], []];
  const text = textOf(file);
  // Most files have none: to parse them takes seconds.
  if (!/\b(Problem|notFound|conflict|unavailable)\b/.test(text) && file !== BY_REASON) return { codes, computed };
  const visit = (node: ts.Node): void => {
    const code = codeArgument(node);
    if (code) (ts.isStringLiteral(code) ? codes : computed).push(ts.isStringLiteral(code) ? code.text : code.getText());
    if (
      file === BY_REASON &&
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'code' &&
      ts.isStringLiteral(node.initializer)
    )
      codes.push(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return { codes, computed };
}

describe('the codes of problems', () => {
  const files = SOURCES.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts')).map(
    (file) => [file, problemCodes(file)] as const,
  );

  it('are texts in the code, except where the code of a problem is handed on', () => {
    const computed = files.filter(([, problems]) => problems.computed.length > 0).map(([file]) => file);
    expect(computed.sort()).toEqual([HELPERS, BY_REASON]);
  });

  it('are those that docs/decisions.md lists for each domain', () => {
    const found = new Map<string, Set<string>>();
    for (const [file, { codes }] of files)
      for (const code of codes) {
        const domain = file.split('/').slice(1, -1).slice(0, 2).join('/');
        found.set(domain, (found.get(domain) ?? new Set()).add(code));
      }
    const listed = rowsOf(section('docs/decisions.md', 'Problems')).map(([domain = '', codes = '']) => [
      quoted(domain)[0],
      quoted(codes),
    ]);
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries([...found].map(([domain, codes]) => [domain, [...codes].sort()])),
    );
  });

  it('are found by this test', () => {
    expect(problemCodes(BY_REASON).codes).toContain('model_not_ready');
    expect(files.flatMap(([, { codes }]) => codes).length).toBeGreaterThan(100);
  });
});
