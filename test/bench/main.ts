import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { runCase, type CaseResult } from './bench';
import { outboxDelivery } from './outbox.cases';
import { podSync, slurmSync } from './sync.cases';
import { Workbench } from './workbench';

/** `npm run bench`: every case; `npm run bench -- slurm-sync`: those named. Figures are for ratios of one run only. */
const CASES = [podSync, slurmSync, outboxDelivery];
const RESULTS = 'bench-results.json';

async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const unknown = named.filter((name) => !CASES.some((one) => one.name === name));
  if (unknown.length > 0)
    throw new Error(`no case ${unknown.join(', ')}; there are ${CASES.map(({ name }) => name).join(', ')}`);

  const bench = await Workbench.open();
  const results: CaseResult[] = [];
  try {
    for (const one of CASES.filter(({ name }) => named.length === 0 || named.includes(name))) {
      const result = await runCase(bench, one);
      results.push(result);
      print(result);
    }
  } finally {
    await bench.close();
  }
  const machine = { cpus: availableParallelism(), node: process.version, postgresql: 'embedded' };
  console.log(`\n${machine.cpus} CPUs, Node ${machine.node}, PostgreSQL of its own`);
  writeFileSync(RESULTS, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  if (results.some(({ bounds }) => bounds.some(({ held }) => !held))) process.exitCode = 1;
}

function print({ name, what, skipped, sides, bounds }: CaseResult): void {
  console.log(`\n${name}  ${what}`);
  if (skipped !== undefined) return console.log(`  skipped: ${skipped}`);
  for (const [side, { median, min, max, rounds }] of Object.entries(sides)) {
    const text = [median, min, max].map((milliseconds) => milliseconds.toFixed(0).padStart(8)).join('');
    console.log(`  ${side.padEnd(18)}${text}   ms median, min, max of ${rounds}`);
  }
  for (const { of, against, ratio, atMost, held } of bounds)
    console.log(
      `  ${of}${against === undefined ? '' : ` / ${against}`}: ${ratio.toFixed(2)} (at most ${atMost}) ${held ? 'held' : 'MISSED'}`,
    );
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
