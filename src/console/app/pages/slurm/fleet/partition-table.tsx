import { Link } from '@tanstack/react-router';
import type { Cluster } from '../../../api/clusters';
import { Section } from '../../../parts/page';
import { Status } from '../../../parts/status';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { count, duration, plural } from '../../../parts/units';
import type { SlurmPartition } from '../slurm-queries';
import type { SlurmSearch } from '../slurm-search';
import styles from '../slurm.module.css';

interface PartitionTableProps {
  readonly partitions: readonly SlurmPartition[];
  readonly hasAll: boolean;
  readonly clusters: readonly Cluster[];
  readonly search: SlurmSearch;
}

export function PartitionTable({ partitions, hasAll, clusters, search }: PartitionTableProps) {
  if (partitions.length === 0) return null;
  return (
    <Section title="Partitions" summary={`${hasAll ? '' : 'The first '}${plural(partitions.length, 'partition')}`}>
      <DataTable
        label="Partitions"
        columns={columnsOf(clusters, search)}
        source={sourceOf(partitions)}
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

const NS_PER_MINUTE = 60e9;
const NONE = -1;

const limit = (minutes: number): string => (minutes === NONE ? 'none' : duration(minutes * NS_PER_MINUTE));

const columnsOf = (clusters: readonly Cluster[], search: SlurmSearch): readonly Column<SlurmPartition>[] => [
  {
    id: 'name',
    header: 'Partition',
    width: 'minmax(7rem, 1.4fr)',
    cell: ({ name, cluster_id: cluster, is_default: isDefault }) => (
      <span>
        <Link to="/slurm" search={{ ...search, cluster, partition: name }}>
          {name}
        </Link>
        {isDefault && <span className={styles.quiet}> default</span>}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(6rem, 1fr)',
    cell: ({ state }) => <Status tone={state === 'UP' ? 'good' : state === 'STALE' ? 'bad' : 'warn'}>{state}</Status>,
  },
  { id: 'nodes', header: 'Nodes', width: '5rem', cell: ({ total_nodes: nodes }) => count(nodes) },
  { id: 'cpus', header: 'CPUs', width: '5rem', cell: ({ total_cpus: cpus }) => count(cpus) },
  { id: 'limit', header: 'Longest job', width: '8rem', cell: ({ max_time: minutes }) => limit(minutes) },
  { id: 'tier', header: 'Priority', width: '5rem', cell: ({ priority_tier: tier }) => tier },
  {
    id: 'cluster',
    header: 'Cluster',
    width: 'minmax(6rem, 1fr)',
    cell: ({ cluster_id: id }) => clusters.find((cluster) => cluster.id === id)?.name ?? '–',
  },
  {
    id: 'load',
    header: 'Load',
    width: '6rem',
    cell: ({ name }) => (
      <Link to="/slurm" search={{ tab: 'load', partition: name }}>
        24 hours
      </Link>
    ),
  },
];
