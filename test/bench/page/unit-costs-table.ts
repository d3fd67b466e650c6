import type { StoredResult } from './stored-results';

export const UNIT_COSTS = 'unit-costs';

const BEGIN = '<!-- unit costs: written by npm run bench -- unit-costs --write -->';
const END = '<!-- end of unit costs -->';

/** Behind the name of a unit, in the lines of the case. */
const SERVICE = ' service time';
const DATABASE = ' database time';
const LOG = ' bytes of its log';
const STORED = ' bytes stored';

const time = (microseconds: number): string => `${Math.round(microseconds)} µs`;

/** Two digits: more of them differ between two runs. */
function bytes(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded < 1_000 ? `${rounded} B` : `${rounded / 1_000} kB`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function table({ date, commit, machine, result: { sides, loadAverage, what } }: StoredResult): string {
  const names = Object.keys(sides).flatMap((line) => (line.endsWith(SERVICE) ? line.slice(0, -SERVICE.length) : []));
  const median = (line: string): number => sides[line]?.median ?? NaN;
  const rows = names.map((name) => {
    const cells = [
      time(median(name + SERVICE)),
      time(median(name + DATABASE)),
      bytes(median(name + LOG)),
      bytes(median(name + STORED)),
    ];
    return `| ${[capital(name), ...cells].join(' | ')} |`;
  });
  const rounds = Math.max(...Object.values(sides).map((one) => one.rounds));
  const { cpus, model, memoryGb, node, postgresql } = machine;
  return `| One of these | Time of the service | Time of the database | Log | Disk, before retention |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

${capital(what)}. A pod or a sample that is sent alone costs a whole request.

Medians of ${rounds} rounds on ${date}, commit ${commit}: ${cpus} processors (${model}), ${memoryGb} GB, Node ${node.replace(/^v/, '')}, PostgreSQL ${postgresql} on the same machine, and a load
average of ${loadAverage.toFixed(1)} at the beginning.`;
}

/** The page with the costs of the last run between its marks. */
export function withUnitCosts(page: string, costs: StoredResult): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/scaling.md has no ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table(costs)}\n\n${page.slice(end)}`;
}
