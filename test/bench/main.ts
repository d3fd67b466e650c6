import { writeFileSync } from 'node:fs';
import { version } from '../../package.json';
import { printAgentTable } from './agent/agent.cases';
import { ROUNDS, runCase, type BenchCase, type CaseResult, type Observe } from './bench';
import { CASES, NAMES } from './cases';
import { profiled } from './page/cpu-profiles';
import { heaviestStatements, whileCounting, withPlans } from './page/heavy-statements';
import { commitOf, describeMachine } from './page/machine';
import { compared, writePage } from './page/performance-page';
import { readResults, storeResults, type CpuShare, type Profile, type StoredResult } from './page/stored-results';
import { inspectors, Server, type Workbench } from './workbench';

/**
 * `npm run bench` runs every case; `npm run bench -- slurm-sync` runs those named, and
 * `npm run bench -- agent` a group of them. Figures are only good for ratios within one run. `BENCH_ROUNDS`
 * is the number of rounds, `BENCH_NODE_ARGS` are other options for the service's Node than those of
 * `npm start`. With `--write`, one round more has a profile and another one plans, and the page of the
 * figures is written. `--page` writes it again and measures nothing.
 */
const RESULTS = 'bench-results.json';
const ALL = 'all';
const WRITE = '--write';
const PAGE = '--page';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes(PAGE)) return writePage(readResults(), NAMES);
  const writes = args.includes(WRITE);
  const named = args.filter((arg) => arg !== WRITE && arg !== ALL);
  const unknown = named.filter((name) => !CASES.some((one) => isNamed(one, [name])));
  if (unknown.length > 0) throw new Error(`no case ${unknown.join(', ')}; there are ${NAMES.join(', ')}`);

  const chosen = CASES.filter((one) => named.length === 0 || isNamed(one, named));
  const begun = performance.now();
  const server = await Server.open();
  const results: CaseResult[] = [];
  const stored: StoredResult[] = [];
  const [run, commit] = [new Date().toISOString(), commitOf()];
  const date = run.slice(0, 10);
  const machine = describeMachine(await server.version());
  try {
    for (const one of chosen) {
      const { result, profile } = await runAlone(server, one, writes);
      results.push(result);
      print(result);
      if (!writes) continue;
      stored.push({ date, run, version, commit, machine, result, ...(profile && { profile }) });
      // A run that is ended early has written what it measured.
      writePage(storeResults(stored), NAMES);
    }
  } finally {
    await server.close();
  }
  printAgentTable(results);
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  console.log(
    `\n${machine.cpus} CPUs, Node ${machine.node}, PostgreSQL ${machine.postgresql} of its own; ${minutes} minutes with BENCH_ROUNDS=${ROUNDS}`,
  );
  writeFileSync(RESULTS, `${JSON.stringify({ machine, commit, results }, null, 2)}\n`);
  const isMissed = results.some(({ failed, bounds }) => failed !== undefined || bounds.some(({ held }) => !held));
  if (isMissed) process.exitCode = 1;
}

/** A case with a service and a database that no other case has used: alone, it measures the same. */
async function runAlone(
  server: Server,
  one: BenchCase,
  writes: boolean,
): Promise<{ result: CaseResult; profile: Profile | undefined }> {
  let profile: Profile | undefined;
  const observe =
    (bench: Workbench): Observe =>
    async (work) =>
      void (profile = await profileOf(bench, work));
  const result = await runCase(one, () => server.workbench(), writes ? observe : undefined);
  return { result, profile };
}

/**
 * Where the time of the service and of its database goes, in one round more. Plans are written in another
 * one, because to count their rows takes time.
 */
async function profileOf(
  { server: { adminUrl }, databaseUrl }: Workbench,
  runRound: () => Promise<void>,
): Promise<Profile> {
  let shares: CpuShare[] = [];
  await whileCounting(adminUrl, async () => void (shares = await profiled(inspectors(), runRound)));
  const heavy = await heaviestStatements(adminUrl, databaseUrl);
  return { shares, statements: await withPlans(adminUrl, databaseUrl, heavy, runRound) };
}

const isNamed = (one: BenchCase, names: readonly string[]): boolean =>
  names.includes(one.name) || names.includes(one.group ?? '');

function print({ name, what, skipped, failed, seconds, loadAverage, sides, bounds, notes }: CaseResult): void {
  console.log(`\n${name}  ${what}`);
  if (skipped !== undefined) return console.log(`  skipped: ${skipped}`);
  if (failed !== undefined) return console.log(`  FAILED: ${failed}`);
  const width = Math.max(18, ...Object.keys(sides).map((side) => side.length + 1));
  for (const [side, { unit, median, min, max, rounds }] of Object.entries(sides)) {
    const text = [median, min, max].map(shown).join('');
    console.log(`  ${side.padEnd(width)}${text}   ${unit} median, min, max of ${rounds}`);
  }
  for (const bound of bounds) {
    const { value, worst, atMost, held } = bound;
    const limit = atMost === undefined ? '' : ` (at most ${Number(atMost.toFixed(2))}) ${held ? 'held' : 'MISSED'}`;
    console.log(`  ${compared(bound)}: ${value.toFixed(2)}, worst round ${worst.toFixed(2)}${limit}`);
  }
  for (const note of notes) console.log(`  ${note}`);
  console.log(`  took ${Math.round(seconds)} s; load average at its beginning ${loadAverage.toFixed(1)}`);
}

const shown = (value: number): string => value.toFixed(value < 100 ? 2 : 0).padStart(9);

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
