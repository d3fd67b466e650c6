import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
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
  { name: 'text', status: 'text', cpus: 'integer', memory: 'bigint' },
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
}
export interface SlurmPartitionRow extends SlurmPartitionColumns {
  id: string;
}

const shown = (state: string) => `case when stale then 'STALE' else ${state} end as ${state}`;

// In the order of the unique key, so that a page is a walk along its index.
function list<Row extends object>(table: string, columns: string, texts: readonly string[]) {
  const text = boundedPage({
    as: 'r',
    found: `
      select * from ${table} where org_id = $org_id
      order by cluster_id, name limit $limit offset $offset`,
    bytes: textBytes('r', texts),
    order: 'r.cluster_id, r.name',
    columns: `id, name, ${columns}`,
  });
  return (tx: Tx, slice: Slice): Promise<Page<Row>> =>
    readPage(tx, text, { org_id: tx.orgId, ...rowsOf(slice) }, slice);
}

/** By cluster and name, as the others. */
export const listSlurmClusters = list<SlurmClusterRow>('slurm_clusters', `${shown('status')}, metadata`, [
  'name',
  'metadata',
]);
const NODE_COLUMNS = `${shown('status')}, cpus, memory`;
export const listSlurmNodes = list<SlurmNodeRow>('slurm_nodes', NODE_COLUMNS, ['name', 'status']);
export const listSlurmPartitions = list<SlurmPartitionRow>(
  'slurm_partitions',
  `${shown('state')}, nodes, total_nodes, total_cpus, priority_tier, max_time, default_time, is_default`,
  ['name', 'nodes'],
);
