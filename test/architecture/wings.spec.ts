import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const PROJECT = join(__dirname, '../..');

/** The number of files in a folder, without unit tests, that a newcomer can look through. */
const MOST_FILES = 12;

/** Grows with every release, and nobody looks for code there. */
const UNLIMITED = 'src/1-platform/database/migrations';

const filesBelow = (folder: string): string[] =>
  readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.m?tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => relative(PROJECT, join(parentPath, name)));

const code = filesBelow('src').filter((file) => !file.endsWith('.spec.ts'));

/** `src/2-inventory/pods/pods.service.ts` belongs to the domain `2-inventory/pods`. */
const domainOf = (file: string): string | undefined => /^src\/(\d-[^/]+\/[^/]+)\//.exec(file)?.[1];

/** By domain, the other domains that it imports. */
function importsOfDomains(): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of code) {
    const domain = domainOf(file);
    if (domain === undefined) continue;
    const imported = imports.get(domain) ?? new Set();
    imports.set(domain, imported);
    for (const [, path = ''] of readFileSync(join(PROJECT, file), 'utf8').matchAll(
      /(?:from|import|require)\s*\(?\s*'(\.[^']*)'/g,
    )) {
      const other = domainOf(`${join(dirname(file), path)}.ts`);
      if (other !== undefined && other !== domain) imported.add(other);
    }
  }
  return imports;
}

/** A path of imports from a domain back to itself; undefined if there is none. */
function cycleIn(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const visit = (domain: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(domain)) return [...way.slice(way.indexOf(domain)), domain];
    if (done.has(domain)) return undefined;
    for (const other of imports.get(domain) ?? []) {
      const cycle = visit(other, [...way, domain]);
      if (cycle) return cycle;
    }
    done.add(domain);
    return undefined;
  };
  for (const domain of imports.keys()) {
    const cycle = visit(domain, []);
    if (cycle) return cycle;
  }
  return undefined;
}

describe('the folders of the service', () => {
  const imports = importsOfDomains();

  it('are found by this test', () => {
    expect(imports.size).toBeGreaterThan(40);
    expect(imports.get('2-inventory/pods')).toContain('1-platform/auth');
  });

  it('hold all code except the composition root, the console, the agent and the CLI', () => {
    const elsewhere = code.filter(
      (file) => domainOf(file) === undefined && !/^src\/(openapi|agent|cli|console)\//.test(file),
    );
    expect(elsewhere.sort()).toEqual([
      'src/app.module.ts',
      'src/application.ts',
      'src/kept-rows.ts',
      'src/main.ts',
      'src/serve.ts',
      'src/service.ts',
    ]);
  });

  it('form at most eight wings', () => {
    expect(new Set([...imports.keys()].map((domain) => domain.split('/')[0])).size).toBeLessThanOrEqual(8);
  });

  it('import earlier wings only', () => {
    const later = [...imports].flatMap(([domain, others]) =>
      [...others].filter((other) => (other[0] ?? '') > (domain[0] ?? '')).map((other) => `${domain} imports ${other}`),
    );
    expect(later).toEqual([]);
  });

  it('import each other in no cycle', () => {
    expect(cycleIn(imports)).toBeUndefined();
  });

  it('hold at most twelve files each, specs aside', () => {
    const counts = new Map<string, number>();
    for (const file of code) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const crowded = [...counts].filter(([folder, count]) => count > MOST_FILES && folder !== UNLIMITED);
    expect(crowded).toEqual([]);
  });

  it('have their tests at the same path below test/e2e', () => {
    const domains = new Set(imports.keys());
    const elsewhere = filesBelow('test/e2e')
      .map((file) => file.split('/').slice(2, 4).join('/'))
      .filter((domain) => !domains.has(domain));
    expect([...new Set(elsewhere)].sort()).toEqual(BEYOND_ONE_DOMAIN);
  });
});

/** Folders for tests of several domains of a wing together. */
const BEYOND_ONE_DOMAIN = [
  '1-platform/kept-json',
  '3-checkpointing/loop',
  '4-serving/fleet-simulation',
  '5-traffic/models',
];

describe('a cycle between domains', () => {
  it('is found wherever it starts', () => {
    const imports = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['c', new Set<string>()],
      ['d', new Set(['b'])],
    ]);
    expect(cycleIn(imports)).toEqual(['b', 'd', 'b']);
  });
});
