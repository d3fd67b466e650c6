import type { Cluster } from '../../../api/clusters';
import { Status, type Tone } from '../../../parts/status';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { bytes, share } from '../../../parts/units';
import type { SlurmNode } from '../slurm-queries';
import { conditionOf, shareOf, type Condition } from './node-measures';
import styles from '../slurm.module.css';

const TONES: Readonly<Record<Condition, Tone>> = {
  broken: 'bad',
  closed: 'warn',
  off: 'quiet',
  unknown: 'quiet',
  free: 'good',
  partly: 'busy',
  busy: 'busy',
};

/** The same nodes as the tiles, in the same order. */
export const NodeTable = ({ nodes, clusters }: { nodes: readonly SlurmNode[]; clusters: readonly Cluster[] }) => (
  <DataTable label="Nodes" columns={columnsOf(clusters)} source={sourceOf(nodes)} keyOf={({ id }) => id} />
);

/** The state, and its flags beside it: together they may be longer than a screen is wide. */
function State({ status }: { status: string | null }) {
  const [state = '', ...flags] = (status ?? 'not reported').split('+');
  return (
    <span>
      <Status tone={TONES[conditionOf(status)]}>{state}</Status>{' '}
      {flags.length > 0 && <span className={styles.quiet}>{flags.join(', ')}</span>}
    </span>
  );
}

/** Slurm counts memory in MiB. */
const MIB = 1_048_576;
const memory = (mib: number | null): string => (mib === null ? '–' : bytes(mib * MIB));

const ofWhole = (part: number | null, whole: number | null): string =>
  part === null ? '–' : whole === null ? String(part) : `${part} of ${whole}`;

const columnsOf = (clusters: readonly Cluster[]): readonly Column<SlurmNode>[] => [
  { id: 'name', header: 'Node', width: 'minmax(7rem, 1.2fr)', cell: ({ name }) => name },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(9rem, 1.6fr)',
    cell: ({ status, reason }) => (
      <div className={styles.stack}>
        <State status={status} />
        {reason !== null && <span className={styles.reason}>{reason}</span>}
      </div>
    ),
  },
  {
    id: 'partitions',
    header: 'Partitions',
    width: 'minmax(6rem, 1.2fr)',
    cell: ({ partitions }) => partitions?.join(', ') || '–',
  },
  {
    id: 'load',
    header: 'CPU load',
    width: '7rem',
    cell: (node) => {
      const used = shareOf(node, 'load');
      if (node.load === null) return '–';
      return used === undefined ? node.load.toFixed(2) : `${node.load.toFixed(2)} (${share(used, 1)})`;
    },
  },
  { id: 'cpus', header: 'CPUs allocated', width: '7.5rem', cell: ({ alloc_cpus: part, cpus }) => ofWhole(part, cpus) },
  {
    id: 'memory',
    header: 'Memory allocated',
    width: 'minmax(9rem, 1fr)',
    cell: ({ alloc_memory: part, memory: whole }) =>
      part === null ? memory(whole) : `${memory(part)} of ${memory(whole)}`,
  },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(5rem, 1fr)',
    cell: ({ cluster_id: id }) => clusters.find((cluster) => cluster.id === id)?.name ?? '–',
  },
];
