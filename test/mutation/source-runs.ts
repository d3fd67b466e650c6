import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { MutantResult as StrykerResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import type { MutantResult } from './mutant-results';
import type { Part } from './parts';

/**
 * Stryker changes a copy of the project. Texts are not changed: most are messages for people and names of
 * metrics, and those in statements are changed by `statement-mutants.ts`. Code that runs only while a file is
 * loaded is not changed either, as the specs share the modules of the service.
 */
const OPTIONS: PartialStrykerOptions = {
  testRunner: 'jest',
  plugins: ['@stryker-mutator/jest-runner'],
  jest: { configFile: 'test/mutation/jest.config.cjs', enableFindRelatedTests: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 2,
  timeoutMS: 10_000,
  timeoutFactor: 2,
  reporters: ['progress-append-only'],
  logLevel: 'warn' as PartialStrykerOptions['logLevel'],
  ignorePatterns: ['/dist', '/dist-console', '/.data', '/coverage', '/docker'],
  allowConsoleColors: false,
};

/** Changes the sources of a part, one change at a time, and runs the tests that run the changed code. */
export async function runSourceMutants({ name, sources }: Part, only: RegExp): Promise<MutantResult[]> {
  const { Stryker } = await import('@stryker-mutator/core');
  const results: MutantResult[] = [];
  for (const { files, specs } of sources) {
    const mutate = files.filter((file) => only.test(file));
    if (mutate.length === 0) continue;
    process.env.MUTATION_SPECS = JSON.stringify(specs);
    // Beside the project, because jest finds no specs below node_modules.
    const tempDirName = join(tmpdir(), `stryker-${process.pid}-${name}`);
    const found = await new Stryker({ ...OPTIONS, mutate, tempDirName }).runMutationTest();
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
  const { start, end } = location;
  // Lines and columns count from 1.
  const within = readFileSync(file, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  within.push((within.pop() ?? '').slice(0, end.column - 1));
  within[0] = within[0]?.slice(start.column - 1) ?? '';
  return {
    file,
    line: start.line,
    kind: mutatorName,
    replaced: within.join('\n'),
    text: replacement ?? '',
    outcome: OUTCOMES[status] ?? 'invalid',
  };
}
