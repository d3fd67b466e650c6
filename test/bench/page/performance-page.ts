import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bound, Figures } from '../bench';
import type { Spent } from '../processor-time';
import { legible } from './legible-plans';
import type { Machine } from './machine';
import { REASONS } from './reasons';
import { RESULTS_FILE, type HeavyStatement, type StoredResult } from './stored-results';
import { REPLICAS, UNIT_COSTS, withUnitCosts } from './unit-costs-table';

const PROJECT = join(__dirname, '../../..');
const FILE = join(PROJECT, 'docs/performance.md');
const SCALING_FILE = join(PROJECT, 'docs/scaling.md');
const STATEMENTS_SHOWN = 10;
const NO_REASON = 'No reason is noted.';
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

const byCall = ({ totalMs, calls }: OfCase): number => totalMs / calls;

/** Of all cases, each statement once: the heaviest, and those others whose single calls are the slowest. */
function heaviest(results: readonly StoredResult[]): { inTotal: OfCase[]; forACall: OfCase[] } {
  const all = results.flatMap(({ result, profile }) =>
    (profile?.statements ?? []).map((statement): OfCase => ({ name: result.name, ...statement })),
  );
  const first = (of: (one: OfCase) => number, without: readonly OfCase[]): OfCase[] => {
    const byText = new Map<string, OfCase>();
    for (const one of [...all].sort((a, b) => of(b) - of(a))) if (!byText.has(one.text)) byText.set(one.text, one);
    for (const { text } of without) byText.delete(text);
    return [...byText.values()].slice(0, STATEMENTS_SHOWN);
  };
  const inTotal = first(({ totalMs }) => totalMs, []);
  return { inTotal, forACall: first(byCall, inTotal) };
}

function statementSection(one: OfCase, at: number): string {
  const { name, text, calls, totalMs, share, isNested, hasRun, plan } = one;
  const where = isNested ? ', inside a function or a trigger: a part of the statement that calls it' : '';
  const times = `${figure(totalMs)} ms in ${figure(calls)} calls, ${figure(byCall(one))} ms each, ${percent(share, 1)} of the database's time in its round`;
  const planned = hasRun ? 'A plan that ran' : 'The plan for any values';
  return `### ${at + 1}. In ${name}\n\n${times}${where}.\n\n\`\`\`sql\n${text}\n\`\`\`\n\n${planned}:\n\n\`\`\`text\n${legible(plan)}\n\`\`\``;
}

/** Of lines whose bound does not hold, or holds in the median round only. */
function verdict(results: readonly StoredResult[]): string {
  const all = results.flatMap(({ result: { name, bounds } }) => bounds.map((bound) => ({ name, ...bound })));
  type Compared = (typeof all)[number];
  const text = (one: Compared): string =>
    `- ${one.name}: ${compared(one)} is ${figure(one.value)}, in the worst round ${figure(one.worst)}, at most ${figure(one.atMost ?? NaN)}`;
  const withReason = (one: Compared): string => `${text(one)}. ${REASONS[one.name]?.[compared(one)] ?? NO_REASON}`;
  const missed = all.filter(({ held }) => !held);
  const unsteady = all.filter(({ held, worst, atMost = Infinity }) => held && worst > atMost);
  const failed = results.filter(({ result }) => result.failed !== undefined).map(({ result }) => result.name);
  const held = failed.length > 0 ? `Did not come to their end: ${failed.join(', ')}.` : 'All bounds hold.';
  return [
    missed.length > 0 ? `Bounds that do not hold:\n\n${missed.map(withReason).join('\n')}` : held,
    ...(unsteady.length > 0
      ? [`Bounds that hold in the median round, and not in the worst:\n\n${unsteady.map(text).join('\n')}`]
      : []),
  ].join('\n\n');
}

/** A run measures some cases only: the page has figures of several. */
function runsText(results: readonly StoredResult[]): string {
  const runs = new Map<string, StoredResult[]>();
  for (const one of results) {
    const run = one.run ?? `${one.date} ${one.commit}`;
    runs.set(run, [...(runs.get(run) ?? []), one]);
  }
  const minutesOf = (some: readonly StoredResult[]): string =>
    figure(some.reduce((sum, { result }) => sum + result.seconds, 0) / 60);
  const lines = [...runs.values()].map((some) => {
    const names = some.map(({ result }) => result.name).join(', ');
    return `- ${some[0]?.date}, commit ${some[0]?.commit}, ${minutesOf(some)} minutes: ${names}`;
  });
  return `The cases took ${minutesOf(results)} minutes, which is the sum over ${runs.size} runs:\n\n${lines.join('\n')}`;
}

/** @param names of all cases, in their order */
export function pageOf(stored: Readonly<Record<string, StoredResult>>, names: readonly string[]): string {
  const order = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length);
  const results = Object.values(stored).sort((a, b) => order(a.result.name) - order(b.result.name));
  const machines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  const missing = names.filter((name) => stored[name] === undefined);
  const { inTotal, forACall } = heaviest(results);
  const notMeasured = missing.length > 0 ? `\n\nCases that were not measured: **${missing.join(', ')}**.` : '';
  return `# Performance

\`npm run bench -- all --write\` writes this page. \`npm run bench -- chat --write\` measures one case and keeps the others, and
\`npm run bench -- --page\` writes the page again without measuring.

${runsText(results)}${notMeasured}

A case compares the service with something else, in turn, in one run on one machine, because absolute times differ between machines. Each case also
checks the replies, has a database and a service of its own, and judges a bound by the median of its rounds.

The floor of \`activation-report\`, \`routes\` and \`authorize\` is a bare \`node:http\` server on the same database. It sends one statement for
each request. For \`routes\` that is the statement of the service. The service writes reports and admits requests in batches under load, up to 128 with one
commit, and the floor commits each by itself, so the service may be faster. For \`authorize\` the floor calls the function of the service with one
request. For a repeated report it compares all columns, where the service notes a batch by the versions of the rows.

Nothing was switched off: keys, rates, budgets, the ledger, the audit, row level security, the log at its default level and the sweeps were on. The
service runs as \`npm start\` runs it, with the same options and variables. It differs in this: its log goes to a file, its port is any free one, it has
a given admin token, workers may be on this machine, and Node's inspector listens, which is used in the profiled round only. PostgreSQL is the one of
\`npm start\`, with its settings; it also has a file for its log, and \`pg_stat_statements\` and
\`auto_explain\`, which do nothing in measured rounds.

Machine: ${machines.join('; ')}.

${verdict(results)}

## Cases

Processor time is in percent of one processor, of a whole measured round with its checks. After the measured rounds, one more round runs with a CPU
profile, and another one writes plans.

${results.map(caseSection).join('\n\n')}

## The ten heaviest statements

From \`pg_stat_statements\`, in the profiled round of each case, with the statements in functions and triggers, by their time in total. The plans are
those of the role of the service, with row level security, from a round of their own, in which their rows were counted. Long values are left out. Where a plan
has no actual rows, its case was measured before that was so, or it is a plan for any values.

${inTotal.map(statementSection).join('\n\n')}

## The slowest statements by call

The ten with the most time for each call that are not among those above. A case keeps its ten heaviest statements and its five slowest.

${forACall.map(statementSection).join('\n\n')}
`;
}

/** As the checks of the project require it. */
export function formatted(...files: readonly string[]): void {
  const formatter = join(PROJECT, 'node_modules/.bin/oxfmt');
  const settings = ['--disable-nested-config', '--config', join(PROJECT, '.oxfmtrc.json')];
  execFileSync(formatter, [...settings, ...files], { cwd: PROJECT, stdio: 'ignore' });
}

/** Writes `docs/performance.md`, and the costs in `docs/scaling.md`. @param names of all cases */
export function writePage(stored: Readonly<Record<string, StoredResult>>, names: readonly string[]): void {
  writeFileSync(FILE, pageOf(stored, names));
  const { [UNIT_COSTS]: costs, [REPLICAS]: replicas } = stored;
  if (costs && replicas)
    writeFileSync(SCALING_FILE, withUnitCosts(readFileSync(SCALING_FILE, 'utf8'), costs, replicas));
  formatted(FILE, SCALING_FILE, RESULTS_FILE);
}
