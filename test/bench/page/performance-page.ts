import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from '../bench';
import type { HeavyStatement, Machine, StoredResult } from './stored-results';

const FILE = join(__dirname, '../../../docs/performance.md');
const STATEMENTS_SHOWN = 10;
/** A statement or a plan that is longer is cut. */
const LONGEST_TEXT = 2_500;

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3).replace(/\.?0+$/, '');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const cut = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}\n…` : text);

const machineText = ({ cpus, model, memoryGb, kernel, node, postgresql }: Machine): string =>
  `${cpus} CPUs (${model}), ${memoryGb} GB, Linux ${kernel}, Node ${node}, PostgreSQL ${postgresql}`;

const sideRow = ([line, { unit, median, min, max, rounds }]: [string, Figures]): string[] => [
  line,
  figure(median),
  figure(min),
  figure(max),
  unit,
  String(rounds),
];

function caseSection({ date, version, result, profile }: StoredResult): string {
  const { name, what, skipped, sides, bounds, notes } = result;
  const head = `### ${name}\n\n${what}. Measured on ${date}, version ${version}.`;
  if (skipped !== undefined) return `${head}\n\nDid not run: ${skipped}.`;
  const parts = [
    head,
    table(['Line', 'Median', 'Least', 'Most', 'Unit', 'Rounds'], Object.entries(sides).map(sideRow)),
  ];
  const compared = bounds.map(({ of, against, over, free, value, atMost, held }) => [
    `${free === undefined ? of : `(${of} - ${figure(free)})`}${against !== undefined ? ` / ${against}` : ''}${over !== undefined ? ` - ${over}` : ''}`,
    figure(value),
    figure(atMost),
    held ? 'yes' : '**no**',
  ]);
  if (compared.length > 0) parts.push(table(['Compared', 'Value', 'At most', 'Held'], compared));
  if (notes.length > 0) parts.push(notes.map((note) => `- ${note.trim()}`).join('\n'));
  if (profile && profile.shares.length > 0) {
    const shares = profile.shares.map(({ place, share }) => `${place} ${Math.round(share * 100)} %`).join(', ');
    parts.push(`Busy time of the service's process: ${shares}.`);
  }
  return parts.join('\n\n');
}

/** The heaviest of all cases. */
function statementSections(results: readonly StoredResult[]): string {
  const all = results.flatMap(({ result, profile }) =>
    (profile?.statements ?? []).map((statement) => ({ name: result.name, ...statement })),
  );
  const byText = new Map<string, HeavyStatement & { name: string }>();
  for (const one of all.sort((a, b) => b.totalMs - a.totalMs)) if (!byText.has(one.text)) byText.set(one.text, one);
  return [...byText.values()]
    .slice(0, STATEMENTS_SHOWN)
    .map(({ name, text, calls, totalMs, share, plan }, at) => {
      const facts = `${figure(totalMs)} ms in ${figure(calls)} calls, ${figure(totalMs / calls)} ms each, ${Math.round(share * 100)} % of the database's time in its round.`;
      return `### ${at + 1}. In ${name}\n\n${facts}\n\n\`\`\`sql\n${cut(text)}\n\`\`\`\n\n\`\`\`text\n${cut(plan)}\n\`\`\``;
    })
    .join('\n\n');
}

/** Writes `docs/performance.md`. */
export function writePage(stored: Readonly<Record<string, StoredResult>>): void {
  const results = Object.values(stored);
  const machines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  const missed = results.flatMap(({ result: { name, bounds } }) =>
    bounds
      .filter(({ held }) => !held)
      .map(({ of, value, atMost }) => `${name}: ${of} ${figure(value)}, at most ${figure(atMost)}`),
  );
  const page = `# Performance

\`npm run bench -- all --write\` writes this page. \`npm run bench -- chat --write\` measures one case and keeps the others.

A case compares the service with something else, in turn, in one run on one machine, because absolute times differ between machines. The floor is a bare
\`node:http\` server that runs the same statement. Each case also checks the replies. Nothing was switched off: keys, rates, budgets, the ledger, the
audit, row level security, logs at the level \`warn\` and the sweeps were on. PostgreSQL has its default settings, and \`pg_stat_statements\`.

Machine: ${machines.join('; ')}.

${missed.length > 0 ? `Bounds that do not hold:\n\n${missed.map((one) => `- ${one}`).join('\n')}` : 'All bounds hold.'}

## Cases

After the measured rounds, one more round runs with a CPU profile. The shares are of the busy time of the service's processes in it.

${results.map(caseSection).join('\n\n')}

## The ten heaviest statements

From \`pg_stat_statements\`, in the profiled round of each case. The plans are those for any values, of the role of the service.

${statementSections(results)}
`;
  writeFileSync(FILE, page);
}
