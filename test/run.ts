import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { skippedBy, slowestOf, totalsOf, type JestResults } from './support/jest-results';

/**
 * `npm test`: runs every check, whatever failed before, so that one run shows all
 * that is wrong. Prints at the end how long each step and the slowest files took and
 * which tests were skipped, and fails if a step failed.
 */

const POSTGRES_15 = '/usr/lib/postgresql/15/bin/postgres';

interface Step {
  /** A script of package.json. */
  readonly script: string;
  readonly runsJest?: boolean;
  /** Why it is skipped; absent: it runs. */
  readonly skipped?: string | undefined;
}

const STEPS: readonly Step[] = [
  { script: 'format:check' },
  { script: 'lint' },
  { script: 'typecheck' },
  { script: 'imports:check' },
  { script: 'openapi:check' },
  { script: 'test:all', runsJest: true },
  {
    script: 'test:postgres15',
    runsJest: true,
    skipped: existsSync(POSTGRES_15) ? undefined : `${POSTGRES_15} is missing: install Debian's package postgresql-15`,
  },
  { script: 'test:process', runsJest: true },
];

const project = join(__dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'control-plane-results-'));

/** @returns its exit code, and what jest wrote of it */
function run({ script, runsJest }: Step): { code: number; tests: JestResults | undefined } {
  const file = join(results, `${script.replace(':', '-')}.json`);
  const args = ['run', script, ...(runsJest ? ['--', '--json', `--outputFile=${file}`] : [])];
  const { status } = spawnSync('npm', args, { cwd: project, stdio: 'inherit', shell: process.platform === 'win32' });
  const tests = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JestResults) : undefined;
  return { code: status ?? 1, tests };
}

/** Files of each step that are shown with their times. */
const SLOWEST = 12;

const summary: string[] = [];
const slowest: string[] = [];
const skipped: string[] = [];
let failed = false;
for (const step of STEPS) {
  if (step.skipped !== undefined) {
    summary.push(`skipped   ${step.script}`);
    skipped.push(`${step.script}: ${step.skipped}`);
    continue;
  }
  const began = performance.now();
  const { code, tests } = run(step);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const counts = tests
    ? ` (${tests.numPassedTests} passed, ${tests.numFailedTests} failed, ${tests.numPendingTests} skipped)`
    : '';
  summary.push(`${code === 0 ? 'passed' : 'FAILED'}    ${step.script}, ${seconds} s${counts}`);
  if (tests) {
    const shown = (file: string): string => relative(project, file);
    skipped.push(...skippedBy(tests, shown));
    slowest.push(`${step.script}: ${totalsOf(tests)}`, ...slowestOf(tests, SLOWEST, shown).map((line) => `  ${line}`));
  }
  failed ||= code !== 0;
}
rmSync(results, { recursive: true, force: true });

process.stdout.write(
  [
    '',
    'Slowest:',
    ...slowest,
    '',
    'Steps:',
    ...summary,
    '',
    'Skipped:',
    ...(skipped.length > 0 ? skipped : ['nothing']),
    '',
  ].join('\n'),
);
process.exitCode = failed ? 1 : 0;
