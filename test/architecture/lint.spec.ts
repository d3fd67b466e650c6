import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS } from './lint-faults';

const PROJECT = join(__dirname, '../..');
const CONFIGURATION = '.oxlintrc.json';

interface Output {
  readonly diagnostics: readonly { readonly filename: string; readonly code: string }[];
}

/** `no-var` is printed as `eslint(no-var)`. */
const codeOf = (rule: string): string => (rule.includes('/') ? rule : `eslint/${rule}`).replace(/\/(.*)$/, '($1)');
const fileOf = (rule: string): string => `src/${rule.replace('/', '-')}.ts`;

/** A project of its own with the linter's configuration of this one. */
describe('npm run lint', () => {
  let directory: string;
  let found: Map<string, string[]>;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lint-'));
    mkdirSync(join(directory, 'src'));
    symlinkSync(join(PROJECT, 'node_modules'), join(directory, 'node_modules'));
    for (const file of [CONFIGURATION, '.oxlint-house.mjs']) cpSync(join(PROJECT, file), join(directory, file));
    const { compilerOptions } = JSON.parse(readFileSync(join(PROJECT, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: object;
    };
    const settings = { compilerOptions: { ...compilerOptions, outDir: undefined }, include: ['src'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings));
    for (const [rule, source] of Object.entries(FAULTS)) writeFileSync(join(directory, fileOf(rule)), `${source}\n`);
    found = await lint();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  async function lint(): Promise<Map<string, string[]>> {
    const program = join(PROJECT, 'node_modules/.bin/oxlint');
    const printed = await new Promise<string>((resolve) =>
      // It fails, as it must.
      execFile(
        program,
        ['--config', CONFIGURATION, '--format', 'json', 'src'],
        { cwd: directory, maxBuffer: 2 ** 26 },
        (_, output) => resolve(output),
      ),
    );
    const { diagnostics } = JSON.parse(printed) as Output;
    const byFile = new Map<string, string[]>();
    for (const { filename, code } of diagnostics) byFile.set(filename, [...(byFile.get(filename) ?? []), code]);
    return byFile;
  }

  it.each(Object.keys(FAULTS))('finds a fault of the rule %s', (rule) => {
    expect(found.get(fileOf(rule)) ?? []).toContain(codeOf(rule));
  });

  it('has a fault for each rule of its configuration that holds for TypeScript', () => {
    const { rules } = JSON.parse(readFileSync(join(PROJECT, CONFIGURATION), 'utf8').replace(/^\s*\/\/.*$/gm, '')) as {
      rules: object;
    };
    // The compiler refuses these before the linter sees them.
    const refused = ['no-delete-var', 'no-nonoctal-decimal-escape'];
    expect(Object.keys(FAULTS).toSorted()).toEqual(
      [...Object.keys(rules).filter((rule) => !refused.includes(rule)), 'house/sql'].toSorted(),
    );
  });
});
