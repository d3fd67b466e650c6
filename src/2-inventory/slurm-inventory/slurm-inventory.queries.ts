import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { textBytes } from '../slurm/values/text-bytes';
import { FullSyncStore } from '../slurm/sync/full-sync-store.queries';
import type { SlurmClusterColumns, SlurmNodeColumns, SlurmPartitionColumns } from './slurm-inventory-records';

const STALE_WHEN_MISSING = { present: 'not stored.stale', mark: 'stale = true', unmark: 'stale = false' };

export const slurmClusterStore = new FullSyncStore<SlurmClusterColumns>(
  'slurm_clusters',
  { name: 'text', status: 'text', metadata: 'json' },
  STALE_WHEN_MISSING,
);
export const slurmNodeStore = new FullSyncStore<SlurmNodeColumns>(
  'slurm_nodes',
  {
    name: 'text',
    status: 'text',
    cpus: 'integer',
    memory: 'bigint',
    partitions: 'jsonb',
    reason: 'text',
    alloc_cpus: 'integer',
    load: 'double precision',
    alloc_memory: 'bigint',
    free_memory: 'bigint',
  },
  STALE_WHEN_MISSING,
);
export const slurmPartitionStore = new FullSyncStore<SlurmPartitionColumns>(
  'slurm_partitions',
  {
    name: 'text',
    state: 'text',
    nodes: 'text',
    total_nodes: 'integer',
    total_cpus: 'integer',
    priority_tier: 'integer',
    max_time: 'bigint',
    default_time: 'bigint',
    is_default: 'boolean',
  },
  STALE_WHEN_MISSING,
);

export interface SlurmClusterRow extends SlurmClusterColumns {
  id: string;
}
export interface SlurmNodeRow extends SlurmNodeColumns {
  id: string;
  cluster_id: string;
}
export interface SlurmPartitionRow extends SlurmPartitionColumns {
  id: string;
  cluster_id: string;
}

/** Which records of a list are wanted. Undefined: any. */
export interface SlurmInventoryFilter {
  readonly cluster_id?: string;
  /** Part of the name, in any case. */
  readonly name?: string;
}

export interface SlurmNodeFilter extends SlurmInventoryFilter {
  readonly partition?: string;
  /** A state or a flag, as lists show it. */
  readonly status?: string;
}

const shownState = (state: string) => `case when stale then 'STALE' else ${state} end`;
const shown = (state: string) => `${shownState(state)} as ${state}`;

const FILTERED = `($cluster_id::uuid is null or cluster_id = $cluster_id)
        and ($name::text is null or name ilike $name)`;
const FILTERED_NODES = `${FILTERED}
        and ($partition::text is null or partitions ? $partition)
        and ($status::text is null or $status = any(string_to_array(${shownState('status')}, '+')))`;

// In the order of the unique key, so that a page is a walk along its index.
function list<Row extends object, Filter extends object>(
  table: string,
  columns: string,
  texts: readonly string[],
  filtered: string,
  values: (filter: Filter) => Values,
) {
  const text = boundedPage({
    as: 'r',
    found: `
      select * from ${table} where org_id = $org_id and ${filtered}
      order by cluster_id, name limit $limit offset $offset`,
    bytes: textBytes('r', texts),
    order: 'r.cluster_id, r.name',
    columns: `id, name, ${columns}`,
  });
  return (tx: Tx, filter: Filter, slice: Slice): Promise<Page<Row>> =>
    readPage(tx, text, { org_id: tx.orgId, ...values(filter), ...rowsOf(slice) }, slice);
}

const valuesOf = ({ cluster_id, name }: SlurmInventoryFilter): Values => ({
  cluster_id: cluster_id ?? null,
  name: likeContaining(name),
});
const valuesOfNodes = ({ partition, status, ...others }: SlurmNodeFilter): Values => ({
  ...valuesOf(others),
  partition: partition ?? null,
  status: status?.toUpperCase() ?? null,
});

/** By cluster and name, as the others. */
export const listSlurmClusters = list<SlurmClusterRow, object>(
  'slurm_clusters',
  `${shown('status')}, metadata`,
  ['name', 'metadata'],
  'true',
  () => ({}),
);
export const listSlurmNodes = list<SlurmNodeRow, SlurmNodeFilter>(
  'slurm_nodes',
  `cluster_id, ${shown('status')}, cpus, memory, partitions, reason, alloc_cpus, load, alloc_memory,
    free_memory`,
  ['name', 'status', 'partitions', 'reason'],
  FILTERED_NODES,
  valuesOfNodes,
);
export const listSlurmPartitions = list<SlurmPartitionRow, SlurmInventoryFilter>(
  'slurm_partitions',
  `cluster_id, ${shown('state')}, nodes, total_nodes, total_cpus, priority_tier, max_time, default_time,
    is_default`,
  ['name', 'nodes'],
  FILTERED,
  valuesOf,
);
