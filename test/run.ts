import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { missing, skipFault } from './support/components';
import { skipsOf, slowestOf, totalsOf, type JestResults } from './support/jest-results';

/**
 * `npm test`: runs every check, whatever failed before, so that one run shows all
 * that is wrong. Prints at the end how long each step and the slowest files took and
 * which tests were skipped. Fails if a step failed, or if a test was skipped for a component that is there.
 */

interface Step {
  /** A script of package.json. */
  readonly script: string;
  /** Why it is skipped; absent: it runs. */
  readonly skipped?: string | undefined;
}

/** Run side by side: each keeps one processor busy. The longest come first. */
const CHECKS = ['lint', 'format:check', 'typecheck', 'openapi:check', 'imports:check'];
const CHECKS_AT_ONCE = 2;

const STEPS: readonly Step[] = [
  { script: 'test:all' },
  {
    script: 'test:postgres15',
    skipped: missing(['PostgreSQL 15']).length > 0 ? "install Debian's package postgresql-15" : undefined,
  },
  { script: 'test:process' },
];

const project = join(__dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'control-plane-results-'));

/** @returns its exit code, and what jest wrote of it */
function run({ script }: Step): { code: number; tests: JestResults | undefined } {
  const file = join(results, `${script.replace(':', '-')}.json`);
  const args = ['run', script, '--', '--json', `--outputFile=${file}`];
  const { status } = spawnSync('npm', args, { cwd: project, stdio: 'inherit', shell: process.platform === 'win32' });
  const tests = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JestResults) : undefined;
  return { code: status ?? 1, tests };
}

/** What a check printed is shown when it ends, in one piece. */
async function check(script: string): Promise<void> {
  const began = performance.now();
  const child = spawn('npm', ['run', script], { cwd: project, shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  process.stdout.write(output);
  ended(script, code ?? 1, began);
}

function ended(script: string, code: number, began: number, counts = ''): void {
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  summary.push(`${code === 0 ? 'passed' : 'FAILED'}    ${script}, ${seconds} s${counts}`);
  failed ||= code !== 0;
}

/** Files of each step that are shown with their times. */
const SLOWEST = 12;

const summary: string[] = [];
const slowest: string[] = [];
const skipped: string[] = [];
let failed = false;

function test(step: Step): void {
  if (step.skipped !== undefined) {
    summary.push(`skipped   ${step.script}`);
    skipped.push(`${step.script}: ${step.skipped}`);
    return;
  }
  const began = performance.now();
  const { code, tests } = run(step);
  if (!tests) return ended(step.script, code, began);
  const { numPassedTests, numFailedTests, numPendingTests } = tests;
  ended(step.script, code, began, ` (${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped)`);
  const shown = (file: string): string => relative(project, file);
  for (const { file, reason, tests: count } of skipsOf(tests, shown)) {
    const fault = skipFault(reason);
    failed ||= fault !== undefined;
    skipped.push(`${fault === undefined ? '' : `FAILED (${fault}): `}${file}: ${reason} (${count})`);
  }
  slowest.push(`${step.script}: ${totalsOf(tests)}`, ...slowestOf(tests, SLOWEST, shown).map((line) => `  ${line}`));
}

async function main(): Promise<void> {
  const waiting = [...CHECKS];
  const takeTurns = async (): Promise<void> => {
    for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) await check(script);
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, takeTurns));
  for (const step of STEPS) test(step);
  rmSync(results, { recursive: true, force: true });
  const lines = ['Slowest:', ...slowest, '', 'Steps:', ...summary, '', 'Skipped:'];
  process.stdout.write(['', ...lines, ...(skipped.length > 0 ? skipped : ['nothing']), ''].join('\n'));
  process.exitCode = failed ? 1 : 0;
}

void main();
