import { dirname } from 'node:path';

/** The members of the output of `jest --json` that are read here. */
export interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    /** Milliseconds since 1970. */
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      /** Milliseconds. */
      readonly duration?: number | null;
    }[];
  }[];
}

/** The reason of tests that only the long form runs. */
export const LEFT_OUT = 'skipped in the short form';

/** Tests of a file that were skipped for one reason. */
interface Skip {
  readonly file: string;
  /** As the end of their titles states it. */
  readonly reason: string;
  readonly tests: number;
}

export function skipsOf({ testResults }: JestResults, shown: (file: string) => string): Skip[] {
  const skips = new Map<string, Skip>();
  for (const { name, assertionResults } of testResults) {
    for (const { fullName, status } of assertionResults) {
      if (status !== 'pending') continue;
      const reason = /\((skipped[^)]+)\)/.exec(fullName)?.[1] ?? '';
      const key = `${name} ${reason}`;
      skips.set(key, { file: shown(name), reason, tests: (skips.get(key)?.tests ?? 0) + 1 });
    }
  }
  return [...skips.values()];
}

/** For the slowest files: their duration, and how much of it their tests took. */
export function slowestOf({ testResults }: JestResults, count: number, shown: (file: string) => string): string[] {
  return testResults
    .map(({ name, startTime, endTime, assertionResults }) => ({
      name,
      all: endTime - startTime,
      tests: assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0),
    }))
    .sort((one, other) => other.all - one.all)
    .slice(0, count)
    .map(({ name, all, tests }) => `${seconds(all)} s (tests ${seconds(tests)} s)  ${shown(name)}`);
}

/** Names of folders in a path of a test that say what it is about. */
const NAMED_FOLDERS = 3;

/** For the folders whose files took longest together: their seconds, and the number of their files. */
export function foldersOf({ testResults }: JestResults, count: number, shown: (file: string) => string): string[] {
  const folderOf = (file: string): string => dirname(shown(file)).split('/').slice(0, NAMED_FOLDERS).join('/');
  return [...Map.groupBy(testResults, ({ name }) => folderOf(name))]
    .map(([folder, files]) => ({
      folder,
      files: files.length,
      all: files.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0),
    }))
    .sort((one, other) => other.all - one.all)
    .slice(0, count)
    .map(({ folder, files, all }) => `${seconds(all)} s (${files} files)  ${folder}/`);
}

/** The seconds of all files together, and of all their tests. */
export function totalsOf({ testResults }: JestResults): string {
  const all = testResults.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const inTests = tests.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
  return `${testResults.length} files, ${seconds(all)} s of their processes, of which ${seconds(inTests)} s in tests`;
}

const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(0);
