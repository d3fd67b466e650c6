import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { printFigures, recordFigure } from '../support/figures';
import { Service, type Organisation } from '../support/service';

const PROJECT = join(__dirname, '../..');
const BIN = join(PROJECT, 'node_modules/.bin');
const DESCRIPTION = './docs/openapi.json';
/** Finds the project's packages, but none of its settings. */
const CACHE = join(PROJECT, 'node_modules/.cache');

const NO_DEFAULTS = '--default-non-nullable=false';

/** A compiler takes some 5 s here, and many times as long on a busy machine. */
const TIMEOUT_MS = 300_000;

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(PROJECT, 'node_modules/@types')],
};

/**
 * Generates clients from the description, compiles them strictly and runs them. Go clients are not included:
 * oapi-codegen and Kiota are in no package registry that CI reaches (nor are Debian packages, and Go modules
 * cannot be fetched).
 */
describe('a client generated from the description', () => {
  let service: Service;
  let org: Organisation;
  let directory: string;
  const working: string[] = [];

  const run = async (command: string, args: string[], variables: Record<string, string> = {}): Promise<string> => {
    const options = { cwd: PROJECT, env: { ...process.env, ...variables }, maxBuffer: 64 * 1024 * 1024 };
    try {
      return (await promisify(execFile)(join(BIN, command), args, options)).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${command} failed:\n${stdout}\n${stderr}`.slice(0, 5_000), { cause: error });
    }
  };

  beforeAll(async () => {
    mkdirSync(CACHE, { recursive: true });
    directory = mkdtempSync(join(CACHE, 'clients-'));
    for (const client of ['openapi-fetch', 'hey-api'])
      copyFileSync(join(__dirname, `${client}.ts.txt`), join(directory, `${client}.ts`));
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    rmSync(directory, { recursive: true, force: true });
    printFigures();
  });

  const compile = (client: string): Promise<string> => {
    const project = join(directory, `tsconfig.${client}.json`);
    writeFileSync(project, JSON.stringify({ compilerOptions: STRICT, files: [`${client}.ts`] }));
    return run('tsc', ['-p', project]);
  };

  const GENERATORS: [generator: string, client: string, command: string, args: string[]][] = [
    // Without it, the generator requires every body member that has a default.
    ['openapi-typescript', 'openapi-fetch', 'openapi-typescript', ['-o', 'openapi-typescript.d.ts', NO_DEFAULTS]],
    ['@hey-api/openapi-ts', 'hey-api', 'openapi-ts', ['-o', 'hey-api-client', '--no-log-file', '--silent', '-i']],
  ];

  it.each(GENERATORS)(
    'a client generated from the description by %s compiles strictly and works',
    async (generator, client, command, [flag = '', output = '', ...more]) => {
      await run(command, [...more, DESCRIPTION, flag, join(directory, output)]);
      expect(await compile(client)).toBe('');
      const printed = await run('tsx', [join(directory, `${client}.ts`)], {
        CP: service.url,
        TOKEN: org.admin.token ?? '',
      });
      expect(JSON.parse(printed)).toEqual({
        cluster: expect.stringMatching(/^[0-9a-f-]{36}$/),
        listed: true,
        profile: [201, client],
        state: [202, 1, null],
        report: 204,
        artifacts: [],
        residency: null,
        unknown: [404, 'artifact_not_found'],
      });
      working.push(generator);
    },
    TIMEOUT_MS,
  );

  it('works with each generator', () => {
    recordFigure({
      row: 14,
      attack: `clients by ${GENERATORS.map(([generator]) => generator).join(' and ')}`,
      measure: 'that compile strictly and work',
      value: working.length,
      unit: '',
      bound: { atLeast: GENERATORS.length },
    });
  });
});
