import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { version } from '../../package.json';
import { activationReport } from './activation.cases';
import { AGENT_CASES, printAgentTable } from './agent/agent.cases';
import { authorize } from './authorize.cases';
import { runCase, type BenchCase, type CaseResult, type Observe } from './bench';
import { chat } from './chat.cases';
import { growth } from './growth.cases';
import { ingest } from './ingest.cases';
import { outboxDelivery } from './outbox.cases';
import { profiled } from './page/cpu-profiles';
import { countStatements, heaviestStatements } from './page/heavy-statements';
import { writePage } from './page/performance-page';
import { storeResults, type Machine, type Profile, type StoredResult } from './page/stored-results';
import { replicas } from './replicas.cases';
import { reports } from './reports.cases';
import { routeStatus } from './routes.cases';
import { samples } from './samples.cases';
import { stream } from './stream.cases';
import { podSync, slurmSync } from './sync.cases';
import { unitCosts } from './unit-costs.cases';
import { inspectors, Workbench } from './workbench';

/**
 * `npm run bench` runs every case; `npm run bench -- slurm-sync` runs those named, and
 * `npm run bench -- agent` a group of them. Figures are only good for ratios within one run. `BENCH_ROUNDS`
 * is the number of rounds, `BENCH_NODE_ARGS` are options for the service's Node.
 */
const CASES: BenchCase[] = [
  podSync,
  slurmSync,
  activationReport,
  routeStatus,
  authorize,
  chat,
  stream,
  outboxDelivery,
  ingest,
  growth,
  reports,
  samples,
  unitCosts,
  replicas,
  ...AGENT_CASES,
];
const RESULTS = 'bench-results.json';
const ALL = 'all';
const WRITE = '--write';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const writes = args.includes(WRITE);
  const named = args.filter((arg) => arg !== WRITE && arg !== ALL);
  const unknown = named.filter((name) => !CASES.some((one) => isNamed(one, [name])));
  if (unknown.length > 0)
    throw new Error(`no case ${unknown.join(', ')}; there are ${CASES.map(({ name }) => name).join(', ')}`);

  const chosen = CASES.filter((one) => named.length === 0 || isNamed(one, named));
  const bench = await Workbench.open('warn');
  const results: CaseResult[] = [];
  const stored: StoredResult[] = [];
  let machine: Machine;
  try {
    machine = await describeMachine(bench);
    for (const one of chosen) {
      let profile: Profile | undefined;
      const observe: Observe = async (work) => void (profile = await profileOf(bench, work));
      const result = await runCase(bench, one, writes ? observe : undefined);
      results.push(result);
      print(result);
      if (!writes) continue;
      const date = new Date().toISOString().slice(0, 10);
      stored.push({ date, version, machine, result, ...(profile && { profile }) });
      // A run that is ended early has written what it measured.
      writePage(storeResults(stored));
    }
  } finally {
    await bench.close();
  }
  printAgentTable(results);
  console.log(`\n${machine.cpus} CPUs, Node ${machine.node}, PostgreSQL ${machine.postgresql} of its own`);
  writeFileSync(RESULTS, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  const failed = results.some(({ bounds }) => bounds.some(({ held }) => !held));
  if (failed) process.exitCode = 1;
}

async function describeMachine(bench: Workbench): Promise<Machine> {
  const { rows } = await bench.db.query<{ version: string }>("select current_setting('server_version') as version");
  return {
    cpus: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgresql: rows[0]?.version ?? 'unknown',
  };
}

/** Where the time of the service and of its database goes, in one round more. */
async function profileOf(bench: Workbench, work: () => Promise<void>): Promise<Profile> {
  await countStatements(bench.adminUrl);
  const shares = await profiled(inspectors(), work);
  return { shares, statements: await heaviestStatements(bench.adminUrl, bench.databaseUrl) };
}

const isNamed = (one: BenchCase, names: readonly string[]): boolean =>
  names.includes(one.name) || names.includes(one.group ?? '');

function print({ name, what, skipped, sides, bounds, notes }: CaseResult): void {
  console.log(`\n${name}  ${what}`);
  if (skipped !== undefined) return console.log(`  skipped: ${skipped}`);
  const width = Math.max(18, ...Object.keys(sides).map((side) => side.length + 1));
  for (const [side, { unit, median, min, max, rounds }] of Object.entries(sides)) {
    const text = [median, min, max].map(shown).join('');
    console.log(`  ${side.padEnd(width)}${text}   ${unit} median, min, max of ${rounds}`);
  }
  for (const { of, against, over, free, value, atMost, held } of bounds) {
    const compared = against !== undefined ? ` / ${against}` : over !== undefined ? ` - ${over}` : '';
    const measured = free === undefined ? of : `(${of} - ${free})`;
    console.log(`  ${measured}${compared}: ${value.toFixed(2)} (at most ${atMost}) ${held ? 'held' : 'MISSED'}`);
  }
  for (const note of notes) console.log(`  ${note}`);
}

const shown = (value: number): string => value.toFixed(value < 100 ? 2 : 0).padStart(9);

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
