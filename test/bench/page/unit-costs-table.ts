import type { StoredResult } from './stored-results';

export const UNIT_COSTS = 'unit-costs';
export const REPLICAS = 'replicas';

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

/** How many of each a second cause, for one GPU: see "What a fleet asks for" in docs/scaling.md. */
const OF_A_GPU: Readonly<Record<string, number>> = {
  'a sample': (10 + 50 / 8) / 15,
  'a pod that changed': 2 / 8 / 600,
  'a report of what is known': 1 / 32 / 20,
  'a report of a change': 10 / 32 / 3_600,
  'a lifecycle event': (4 * 10) / 8 / 86_400,
  'a chat': 1 / 100,
  'a list of 50 pods': 1 / 10_000,
};
const FLEETS = [1_000, 10_000, 100_000, 1_000_000];
/** A queue grows without bound near the whole of a processor. */
const BUSY = 0.5;

/** By how much another number of replicas makes a unit dearer: the `replicas` case measures two of them. */
function dearer(unit: string, count: number, replicas: StoredResult): number {
  const of = { 'a chat': 'chats', 'a report of what is known': 'reports', 'a report of a change': 'reports' }[unit];
  if (count === 1 || of === undefined) return 1;
  const each = (sides: string): number => replicas.result.sides[`${sides} processor time of each`]?.median ?? NaN;
  return each(`${of} of ${count} replicas`) / each(`${of} of one replica`);
}

/** Processors that all units of a fleet need, for each size of a fleet. */
function processors(costs: StoredResult, replicas: StoredResult): string {
  const row = (side: string, name: string, count: number): string => {
    const ofOne = Object.entries(OF_A_GPU).reduce((sum, [unit, rate]) => {
      const microseconds = costs.result.sides[unit + side]?.median ?? NaN;
      return sum + (rate * microseconds * dearer(unit, count, replicas)) / 1e6;
    }, 0);
    const cells = FLEETS.map((gpus) => Math.ceil((gpus * ofOne) / BUSY));
    return `| ${[name, count, ...cells].join(' | ')} |`;
  };
  const rows = [1, 2, 4].flatMap((count) => [row(SERVICE, 'the service', count), row(DATABASE, 'the database', count)]);
  return `| Processors of | Replicas | ${FLEETS.map((gpus) => `${gpus.toLocaleString('en')} GPUs`).join(' | ')} |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

At the rates of [what a fleet asks for](#what-a-fleet-asks-for), so many processors are half busy. With more replicas, a chat and a report cost more, as measured on ${replicas.date}: see [replicas](#replicas-of-the-service).`;
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

/** The page with the costs of the last run between its marks, and with what they mean for a fleet. */
export function withUnitCosts(page: string, costs: StoredResult, replicas: StoredResult): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/scaling.md has no ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table(costs)}\n\n${processors(costs, replicas)}\n\n${page.slice(end)}`;
}
