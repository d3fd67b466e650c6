import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOfOtherTurns, TURNS } from './jest/slow-files.cjs';
import { missing, skipFault } from './support/components';
import { inForm } from './support/form';
import { foldersOf, LEFT_OUT, skipsOf, slowestOf, totalsOf, type JestResults } from './support/jest-results';

/**
 * `npm test`: runs every check, whatever failed before, so that one run shows all that is wrong. Prints at
 * the end how long each step, the slowest folders and the slowest files took, and which tests were skipped.
 * Fails if a step failed, or if a test was skipped for a component that is there.
 */

interface Step {
  /** A script of package.json. */
  readonly script: string;
  /** Whether it runs jest, which then writes its results. */
  readonly tests?: boolean;
  readonly arguments?: readonly string[];
  /** Why it is skipped; absent: it runs. */
  readonly skipped?: string | undefined;
}

/** They build the service and the console, which tests start. Checks of the sources run meanwhile. */
const FIRST: readonly Step[] = [{ script: 'openapi:check' }, { script: 'console:build' }];

/**
 * These run side by side, and the steps of each one after the other. Tests often wait for another process, a
 * clock or a disk; then another lane has the processor.
 */
const LANES: readonly (readonly Step[])[] = [
  [{ script: 'test:all', tests: true }],
  [{ script: 'test:process', tests: true }, ...inForm([{ script: 'test:alone', tests: true }], [])],
  [
    { script: 'lint' },
    { script: 'typecheck' },
    { script: 'format:check' },
    { script: 'imports:check' },
    {
      script: 'test:postgres15',
      tests: true,
      arguments: ['--maxWorkers=1'],
      skipped: missing(['PostgreSQL 15']).length > 0 ? "install Debian's package postgresql-15" : undefined,
    },
  ],
];

/** Their figures need the whole machine, so these run alone behind all lanes, in the long form. */
const ALONE: readonly Step[] = inForm(
  [],
  [
    { script: 'test:alone', tests: true },
    { script: 'test:attacks', tests: true },
    { script: 'test:high-availability', tests: true },
    { script: 'reliability:page' },
  ],
);

const project = join(__dirname, '..');
const results = mkdtempSync(join(tmpdir(), 'control-plane-results-'));

/** Tests start hundreds of processes, which then need not compile the same scripts again. */
const COMPILED = join(project, 'node_modules/.cache/node-compiled');

/**
 * Which slow files this run has. The id of the commit decides, so a commit always has the same ones, and
 * several commits have all of them. Without a repository, days take turns.
 */
function ownTurn(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: project, encoding: 'utf8' });
  const number = status === 0 ? Number.parseInt(stdout.slice(0, ID_DIGITS), 16) : Math.floor(Date.now() / DAY_MS);
  return String((number % TURNS) + 1);
}

/** So many hexadecimal digits are a safe integer. */
const ID_DIGITS = 8;
const DAY_MS = 86_400_000;
const turn = inForm(process.env.TEST_TURN ?? ownTurn(), 'all');

const resultsOf = ({ script }: Step): string => join(results, `${script.replace(':', '-')}.json`);

/** By their ids, the process groups of steps that run. */
const groups = new Set<number>();

/** Process ids below a process, on Linux: services and servers of tests have groups of their own. */
function processesBelow(id: number): number[] {
  if (!existsSync('/proc/self/stat')) return [];
  const children = Map.groupBy(
    readdirSync('/proc').filter((name) => /^\d+$/.test(name)),
    (name) => parentOf(name),
  );
  const found = [id];
  for (const one of found) found.push(...(children.get(one) ?? []).map(Number));
  return found.slice(1);
}

function parentOf(name: string): number {
  try {
    // Behind the name of the command, which may have blanks: state, parent.
    return Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Ends the group of a step, and what its tests started in other groups. */
function endStep(id: number): void {
  // Before any of them ends: what has lost its parent belongs to nobody.
  const all = [...processesBelow(id), -id];
  for (const one of all)
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended.
    }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    for (const id of groups) endStep(id);
    process.exit(1);
  });

/** Prints what the step prints, line by line, as several steps run at once. @returns its exit code */
async function run(step: Step): Promise<number> {
  const args = [...(step.tests ? ['--json', `--outputFile=${resultsOf(step)}`] : []), ...(step.arguments ?? [])];
  const child = spawn('npm', ['run', '--silent', step.script, '--', ...args], {
    cwd: project,
    env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, TEST_TURN: turn },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    // In a group of its own, so that it can be ended as a whole.
    detached: true,
  });
  const id = child.pid!;
  groups.add(id);
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => process.stdout.write(`${line}\n`));
  const ended = new AbortController();
  const stuck = step.tests ? resultsAreOld(step, ended.signal) : Promise.resolve(false);
  void stuck.then((isStuck) => {
    if (!isStuck) return;
    process.stdout.write(`${step.script} was ended: one of its tests left something open\n`);
    endStep(id);
    // A process that left the group would keep them open.
    for (const output of [child.stdout, child.stderr]) output.destroy();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  ended.abort();
  groups.delete(id);
  return code ?? 1;
}

/** A step that wrote its results has nothing else to do. */
const ENDS_WITHIN_MS = 30_000;

/** @returns true if a step runs long after it wrote its results; false if it ended before */
async function resultsAreOld(step: Step, ended: AbortSignal): Promise<boolean> {
  try {
    while (!existsSync(resultsOf(step))) await sleep(1_000, undefined, { signal: ended });
    await sleep(ENDS_WITHIN_MS, undefined, { signal: ended });
    return true;
  } catch {
    return false;
  }
}

/** Of Linux' clock, whose unit is the same on all its platforms. */
const TICKS_PER_SECOND = 100;
let processorTicks = 0;

/**
 * The processor time of the step that has just ended, with all processes below it.
 * @returns the end of its line; empty where there is no /proc
 */
function processorTime(): string {
  if (!existsSync('/proc/self/stat')) return '';
  // Behind the name, which may have blanks: cutime and cstime, of children that were waited for.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  const ticks = Number(fields[13]) + Number(fields[14]);
  const seconds = (ticks - processorTicks) / TICKS_PER_SECOND;
  processorTicks = ticks;
  return `, ${seconds.toFixed(0)} s of a processor`;
}

/** Folders and files of each step that are shown with their times. */
const SLOWEST = 12;

const summary: string[] = [];
const slowest: string[] = [];
const skipped: string[] = [];
/** Tests that only the long form runs. */
let leftOut = 0;
let failed = false;

async function take(step: Step): Promise<void> {
  const { script } = step;
  if (step.skipped !== undefined) {
    summary.push(`skipped   ${script}`);
    skipped.push(`${script}: ${step.skipped}`);
    return;
  }
  const began = performance.now();
  const code = await run(step);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const processor = processorTime();
  const file = resultsOf(step);
  const tests = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as JestResults) : undefined;
  summary.push(
    `${code === 0 ? 'passed' : 'FAILED'}    ${script}, ${seconds} s${processor}${tests ? ` (${countsOf(tests)})` : ''}`,
  );
  failed ||= code !== 0;
  if (tests) report(script, tests);
}

const countsOf = ({ numPassedTests, numFailedTests, numPendingTests }: JestResults): string =>
  `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;

function report(script: string, tests: JestResults): void {
  const shown = (file: string): string => relative(project, file);
  for (const { file, reason, tests: count } of skipsOf(tests, shown)) {
    // In the long form it would run nowhere, and is a fault like any other skip.
    if (reason === LEFT_OUT && inForm(true, false)) {
      leftOut += count;
      continue;
    }
    const fault = skipFault(reason);
    failed ||= fault !== undefined;
    skipped.push(`${fault === undefined ? '' : `FAILED (${fault}): `}${file}: ${reason} (${count})`);
  }
  const lines = [...foldersOf(tests, SLOWEST, shown), ...slowestOf(tests, SLOWEST, shown)];
  slowest.push(`${script}: ${totalsOf(tests)}`, ...lines.map((line) => `  ${line}`));
}

async function takeInOrder(steps: readonly Step[], built: Promise<void>): Promise<void> {
  for (const step of steps) {
    if (step.tests) await built;
    await take(step);
  }
}

async function main(): Promise<void> {
  const built = Promise.all(FIRST.map(take)).then(() => undefined);
  await Promise.all(LANES.map((steps) => takeInOrder(steps, built)));
  await takeInOrder(ALONE, built);
  rmSync(results, { recursive: true, force: true });
  const lines = ['Slowest:', ...slowest, '', 'Steps, several at a time:', ...summary, '', 'Skipped:'];
  const elsewhere = filesOfOtherTurns(turn).length;
  const ofTurns =
    elsewhere > 0
      ? ['', `Turn ${turn} of ${TURNS}: ${elsewhere} slow files run in others. All of them: TEST_TURN=all npm test`]
      : [];
  const ofLongForm = leftOut > 0 ? ['', `${leftOut} more tests run in the long form only: npm run test:long`] : [];
  process.stdout.write(
    ['', ...lines, ...(skipped.length > 0 ? skipped : ['nothing']), ...ofTurns, ...ofLongForm, ''].join('\n'),
  );
  process.exitCode = failed ? 1 : 0;
}

void main();
