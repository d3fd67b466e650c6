import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bound, Figures } from '../bench';
import type { Spent } from '../processor-time';
import type { Machine } from './machine';
import { RESULTS_FILE, type HeavyStatement, type StoredResult } from './stored-results';

const PROJECT = join(__dirname, '../../..');
const FILE = join(PROJECT, 'docs/performance.md');
const STATEMENTS_SHOWN = 10;
/** From this share of one processor on, one busy thread is the bound. */
const BUSY = 0.85;

export const figure = (value: number): string =>
  Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en-US')
    : value
        .toPrecision(3)
        .replace(/(\.\d*?)0+$/, '$1')
        .replace(/\.$/, '');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const machineText = ({ cpus, model, memoryGb, kernel, node, postgresql, others }: Machine): string => {
  const versions = Object.entries(others).map(([name, version]) => `${name} ${version}`);
  return `${cpus} CPUs (${model}), ${memoryGb} GB, Linux ${kernel}, Node ${node}, PostgreSQL ${postgresql}, ${versions.join(', ')}`;
};

const sideRow = ([line, { unit, median, min, max, rounds }]: [string, Figures]): string[] => [
  line,
  figure(median),
  figure(min),
  figure(max),
  unit,
  String(rounds),
];

/** What a bound compares, as a formula. */
export function compared({ of, against, over, free }: Bound): string {
  const measured = free === undefined ? of : `(${of} - ${figure(free)})`;
  if (against !== undefined) return `${measured} / ${against}`;
  return over === undefined ? measured : `${measured} - ${over}`;
}

const percent = (part: number, whole: number): string => `${Math.round((part * 100) / whole)} %`;

/** What kept a side from being faster. */
export function boundBy({ elapsed, service, database, loader, programs, machine }: Spent, processors: number): string {
  const groups = Object.entries({
    'the service': service,
    PostgreSQL: database,
    'the load generator': loader,
    'other programs': programs,
  });
  const shares = groups.sort(([, a], [, b]) => b - a).map(([name, took]) => ({ name, share: took / elapsed }));
  const [first, second] = shares;
  if (!first || !second) return 'nothing';
  const both = `${first.name} (${percent(first.share, 1)} of a processor) and ${second.name} (${percent(second.share, 1)})`;
  if (machine / elapsed >= BUSY * processors) return `all ${processors} processors: most of them by ${both}`;
  if (first.share >= BUSY) return `${first.name}, with ${percent(first.share, 1)} of a processor`;
  // One after the other, as for one request at a time.
  if (first.share + second.share >= BUSY) return `${both} in turn`;
  return `waiting, for a disk or a timer: ${both} were not busy all the time`;
}

function spentTable(spent: Readonly<Record<string, Spent>>, processors: number): string {
  const rows = Object.entries(spent).map(([side, one]) => {
    const { elapsed, service, database, loader, programs, machine } = one;
    const others = Math.max(machine - service - database - loader - programs, 0);
    const shares = [service, database, loader, programs, others].map((took) => percent(took, elapsed));
    return [side, ...shares, boundBy(one, processors)];
  });
  return table(
    ['Side', 'Service', 'PostgreSQL', 'Load generator', 'Other programs', 'Rest of the machine', 'Bound by'],
    rows,
  );
}

function caseSection({ date, version, commit, machine, result, profile }: StoredResult): string {
  const { name, what, skipped, failed, seconds, loadAverage, sides, spent, bounds, notes } = result;
  const facts = `Measured on ${date}, version ${version}, commit ${commit}; load average ${loadAverage.toFixed(1)} at its beginning`;
  const head = `### ${name}\n\n${what}.\n\n${facts}`;
  if (skipped !== undefined) return `${head}. Did not run: ${skipped}.`;
  if (failed !== undefined) return `${head}. **It failed**: ${failed}.`;
  const rounds = Math.max(...Object.values(sides).map((one) => one.rounds));
  const parts = [
    `${head}; it took ${figure(seconds)} s. Repeat it with \`BENCH_ROUNDS=${rounds} npm run bench -- ${name}\`.`,
    table(['Line', 'Median', 'Least', 'Most', 'Unit', 'Rounds'], Object.entries(sides).map(sideRow)),
  ];
  const judged = bounds.map((bound) => [
    compared(bound),
    figure(bound.value),
    figure(bound.worst),
    bound.atMost === undefined ? '' : figure(bound.atMost),
    bound.atMost === undefined ? '' : bound.held ? 'yes' : '**no**',
  ]);
  if (judged.length > 0) parts.push(table(['Compared', 'Median round', 'Worst round', 'At most', 'Held'], judged));
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note.trim()}`).join('\n'));
  parts.push(spentTable(spent, machine.cpus));
  if (profile && profile.shares.length > 0) {
    const shares = profile.shares.map(({ place, share }) => `${place} ${percent(share, 1)}`).join(', ');
    parts.push(`Busy time of the service's process by its CPU profile: ${shares}.`);
  }
  return parts.join('\n\n');
}

interface OfCase extends HeavyStatement {
  readonly name: string;
}

/** The heaviest of all cases. */
function heaviest(results: readonly StoredResult[]): OfCase[] {
  const all = results.flatMap(({ result, profile }) =>
    (profile?.statements ?? []).map((statement): OfCase => ({ name: result.name, ...statement })),
  );
  const byText = new Map<string, OfCase>();
  for (const one of all.sort((a, b) => b.totalMs - a.totalMs)) if (!byText.has(one.text)) byText.set(one.text, one);
  return [...byText.values()].slice(0, STATEMENTS_SHOWN);
}

function statementSection({ name, text, calls, totalMs, share, isNested, hasRun, plan }: OfCase, at: number): string {
  const where = isNested ? ', inside a function or a trigger: a part of the statement that calls it' : '';
  const times = `${figure(totalMs)} ms in ${figure(calls)} calls, ${figure(totalMs / calls)} ms each, ${percent(share, 1)} of the database's time in its round`;
  const planned = hasRun ? 'A plan that ran' : 'The plan for any values';
  return `### ${at + 1}. In ${name}\n\n${times}${where}.\n\n\`\`\`sql\n${text}\n\`\`\`\n\n${planned}:\n\n\`\`\`text\n${plan}\n\`\`\``;
}

/** Of lines whose bound does not hold, or holds in the median round only. */
function verdict(results: readonly StoredResult[]): string {
  const all = results.flatMap(({ result: { name, bounds } }) => bounds.map((bound) => ({ name, ...bound })));
  const text = (one: (typeof all)[number]): string =>
    `- ${one.name}: ${compared(one)} is ${figure(one.value)}, in the worst round ${figure(one.worst)}, at most ${figure(one.atMost ?? NaN)}`;
  const missed = all.filter(({ held }) => !held);
  const unsteady = all.filter(({ held, worst, atMost = Infinity }) => held && worst > atMost);
  const failed = results.filter(({ result }) => result.failed !== undefined).map(({ result }) => result.name);
  const held = failed.length > 0 ? `Did not come to their end: ${failed.join(', ')}.` : 'All bounds hold.';
  return [
    missed.length > 0 ? `Bounds that do not hold:\n\n${missed.map(text).join('\n')}` : held,
    ...(unsteady.length > 0
      ? [`Bounds that hold in the median round, and not in the worst:\n\n${unsteady.map(text).join('\n')}`]
      : []),
  ].join('\n\n');
}

export function pageOf(stored: Readonly<Record<string, StoredResult>>): string {
  const results = Object.values(stored);
  const machines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  const minutes = results.reduce((sum, { result }) => sum + result.seconds, 0) / 60;
  return `# Performance

\`npm run bench -- all --write\` writes this page. \`npm run bench -- chat --write\` measures one case and keeps the others. All cases together took
${figure(minutes)} minutes.

A case compares the service with something else, in turn, in one run on one machine, because absolute times differ between machines. The floor is a bare
\`node:http\` server that runs the same statement. Each case also checks the replies, has a database and a service of its own, and judges a bound by the
median of its rounds.

Nothing was switched off: keys, rates, budgets, the ledger, the audit, row level security, the log at its default level and the sweeps were on. The
service runs as \`npm start\` runs it, with the same options and variables. It differs in this: its log goes to a file, its port is any free one, it has
a given admin token, workers may be on this machine, and Node's inspector listens, which is used in the profiled round only. PostgreSQL is the one of
\`npm start\`, with its settings; it also has a file for its log, and \`pg_stat_statements\` and
\`auto_explain\`, which do nothing in measured rounds.

Machine: ${machines.join('; ')}.

${verdict(results)}

## Cases

Processor time is in percent of one processor, of a whole measured round with its checks. After the measured rounds, one more round runs with a CPU
profile.

${results.map(caseSection).join('\n\n')}

## The ten heaviest statements

From \`pg_stat_statements\`, in the profiled round of each case, with the statements in functions and triggers. The plans are those of the role of the
service, with row level security.

${heaviest(results).map(statementSection).join('\n\n')}
`;
}

/** As the checks of the project require it. */
export function formatted(...files: readonly string[]): void {
  const formatter = join(PROJECT, 'node_modules/.bin/oxfmt');
  const settings = ['--disable-nested-config', '--config', join(PROJECT, '.oxfmtrc.json')];
  execFileSync(formatter, [...settings, ...files], { cwd: PROJECT, stdio: 'ignore' });
}

/** Writes `docs/performance.md`. */
export function writePage(stored: Readonly<Record<string, StoredResult>>): void {
  writeFileSync(FILE, pageOf(stored));
  formatted(FILE, RESULTS_FILE);
}
