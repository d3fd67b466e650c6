import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { MutantResult as StrykerResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { runMutants, type Bounds } from './mutant-runs';
import type { Mutant, MutantResult } from './mutant-results';
import { runsService, type Part } from './parts';

/**
 * Texts are not changed: most are messages for people and names of metrics, and those in statements are
 * changed by `statement-mutants.ts`.
 */
const EXCLUDED_MUTATIONS = ['StringLiteral'];

/**
 * Stryker changes a copy of the project. Code that runs only while a file is loaded is not changed, as the
 * specs share the modules of the service.
 */
const OPTIONS: PartialStrykerOptions = {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { configFile: 'test/mutation/jest.config.cjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  mutator: { excludedMutations: EXCLUDED_MUTATIONS },
  // A busy machine is no endless loop: a mutant that is late counts as noticed.
  timeoutMS: 120_000,
  timeoutFactor: 2,
  reporters: ['progress-append-only'],
  logLevel: 'warn' as PartialStrykerOptions['logLevel'],
  ignorePatterns: ['/dist', '/dist-console', '/.data', '/coverage', '/docker'],
  allowConsoleColors: false,
};

/** Changes the rules of a part, one change at a time, and runs the unit tests that run the changed code. */
export async function runRuleMutants({ name, sources }: Part, only: RegExp, workers: number): Promise<MutantResult[]> {
  const { Stryker } = await import('@stryker-mutator/core');
  const results: MutantResult[] = [];
  for (const { files, specs } of sources.filter((one) => !runsService(one))) {
    const mutate = files.filter((file) => only.test(file));
    if (mutate.length === 0) continue;
    process.env.MUTATION_SPECS = JSON.stringify(specs);
    // Beside the project, because jest finds no specs below node_modules.
    const tempDirName = join(tmpdir(), `stryker-${process.pid}-${name}`);
    const found = await new Stryker({ ...OPTIONS, concurrency: workers, mutate, tempDirName }).runMutationTest();
    results.push(...found.filter(({ status }) => status !== 'Ignored').map(resultOf));
  }
  return results;
}

const OUTCOMES: Partial<Record<StrykerResult['status'], MutantResult['outcome']>> = {
  Killed: 'killed',
  Timeout: 'late',
  Survived: 'survived',
  NoCoverage: 'uncovered',
};

function resultOf({ fileName, location, mutatorName, replacement, status }: StrykerResult): MutantResult {
  const file = relative(process.cwd(), fileName);
  const source = readFileSync(file, 'utf8');
  const { start, end } = location;
  return {
    file,
    line: start.line,
    kind: mutatorName,
    // Lines and columns count from 1.
    replaced: source.slice(
      offsetOf(source, start.line - 1, start.column - 1),
      offsetOf(source, end.line - 1, end.column - 1),
    ),
    text: replacement ?? '',
    outcome: OUTCOMES[status] ?? 'invalid',
  };
}

/** Of a line and a column that count from 0. */
const offsetOf = (source: string, line: number, column: number): number =>
  source
    .split('\n')
    .slice(0, line)
    .reduce((sum, text) => sum + text.length + 1, column);

/**
 * Changes the sources of a part that only tests over HTTP run. The changes are Stryker's; each costs a start
 * of the service, so some are picked, and run as those of statements are.
 */
export async function runServiceMutants(part: Part, only: RegExp, bounds: Bounds): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const groups = part.sources.filter((one) => runsService(one) && one.files.some((file) => only.test(file)));
  for (const { files, specs } of groups) {
    const mutants = (
      await Promise.all(files.filter((file) => only.test(file)).map(async (file) => sourceMutants(file)))
    ).flat();
    const share = { ...bounds, most: bounds.most / groups.length, minutes: bounds.minutes / groups.length };
    results.push(...(await runMutants(part.name, specs, mutants, share)));
  }
  return results;
}

/** All changes that Stryker makes in a file. */
export async function sourceMutants(file: string): Promise<Mutant[]> {
  const { Instrumenter } = await import('@stryker-mutator/instrumenter');
  const silent = new Proxy({}, { get: () => () => false }) as Logger;
  const content = readFileSync(file, 'utf8');
  const options = { plugins: null, excludedMutations: EXCLUDED_MUTATIONS, ignorers: [] };
  const { mutants } = await new Instrumenter(silent).instrument([{ name: file, content, mutate: true }], options);
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ location: { start, end }, mutatorName, replacement }) => {
      // Here, lines and columns count from 0.
      const [from, to] = [offsetOf(content, start.line, start.column), offsetOf(content, end.line, end.column)];
      const replaced = content.slice(from, to);
      return { file, from, to, line: start.line + 1, kind: mutatorName, replaced, text: replacement };
    });
}
