import type { Tile, TileLook } from '../../../charts/tiles';
import type { SlurmNode } from '../slurm-queries';
import type { Measure } from '../slurm-search';

/** What a tile shows of a node. */

const UNKNOWN = 'not reported';
const QUARTER = 0.25;

/** The share of a node that is used; undefined: not reported. */
export function shareOf(node: SlurmNode, by: Exclude<Measure, 'state'>): number | undefined {
  const [part, whole] = {
    load: [node.load, node.cpus] as const,
    cpus: [node.alloc_cpus, node.cpus] as const,
    memory: [node.alloc_memory, node.memory] as const,
  }[by];
  return part === null || whole === null || whole === 0 ? undefined : part / whole;
}

/** Words of Slurm that mean that nobody can use the node. */
const BROKEN = new Set(['DOWN', 'FAIL', 'FAILING', 'ERROR', 'NOT_RESPONDING', 'STALE', 'UNKNOWN']);
/** Words that mean that it takes no new jobs. */
const CLOSED = new Set(['DRAIN', 'DRAINED', 'DRAINING', 'MAINT', 'MAINTENANCE', 'RESERVED', 'REBOOT', 'REBOOT_ISSUED']);
const POWERED = ['POWERED_DOWN', 'POWERING_DOWN', 'POWER_DOWN'];

export type Condition = 'broken' | 'closed' | 'off' | 'busy' | 'partly' | 'free' | 'unknown';

/** @param status state and flags, as `IDLE+DRAIN` */
export function conditionOf(status: string | null): Condition {
  if (status === null) return 'unknown';
  const words = status.split('+');
  if (words.some((word) => BROKEN.has(word))) return 'broken';
  if (words.some((word) => CLOSED.has(word))) return 'closed';
  if (words.some((word) => POWERED.includes(word))) return 'off';
  if (words.some((word) => word === 'ALLOCATED' || word === 'COMPLETING')) return 'busy';
  if (words.includes('MIXED')) return 'partly';
  return words.includes('IDLE') ? 'free' : 'unknown';
}

const CONDITIONS: Readonly<Record<Condition, TileLook>> = {
  broken: { colour: 'bad', mark: '!' },
  closed: { colour: 'warn', mark: '–' },
  off: { colour: 'grey', mark: '·' },
  unknown: { colour: 'grey', mark: '?' },
  free: { colour: 'good', quarters: 0 },
  partly: { colour: 'good', quarters: 2 },
  busy: { colour: 'good', quarters: 4 },
};

type Shown = Pick<Tile, 'value' | 'look'>;

/** Steps of a quarter, and one for more processes than CPUs. */
function shareShown(share: number | undefined): Shown {
  if (share === undefined) return { value: UNKNOWN, look: { colour: 'grey', mark: '?' } };
  if (share > 1) return { value: 'above 100 %', look: { colour: 'warn', quarters: 4, mark: '!' } };
  const quarters = Math.ceil(share / QUARTER) as 0 | 1 | 2 | 3 | 4;
  const value = quarters === 0 ? '0 %' : `up to ${quarters * 25} %`;
  return { value, look: { colour: 'busy', quarters } };
}

export const shownOf = (node: SlurmNode, by: Measure): Shown =>
  by === 'state'
    ? { value: node.status ?? UNKNOWN, look: CONDITIONS[conditionOf(node.status)] }
    : shareShown(shareOf(node, by));

export const tileOf = (node: SlurmNode, by: Measure): Tile => ({
  key: node.id,
  name: node.name ?? node.id,
  ...shownOf(node, by),
});
