import type { Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import { WholeSetStore } from '../slurm/whole-set';
import type { SlurmClusterColumns, SlurmNodeColumns, SlurmPartitionColumns } from './slurm-inventory-records';

const STALE_WHEN_MISSING = { present: 'not stored.stale', mark: 'stale = true', unmark: 'stale = false' };

export const slurmClusterStore = new WholeSetStore<SlurmClusterColumns>(
  'slurm_clusters',
  { name: 'text', status: 'text', metadata: 'jsonb' },
  STALE_WHEN_MISSING,
);
export const slurmNodeStore = new WholeSetStore<SlurmNodeColumns>(
  'slurm_nodes',
  { name: 'text', status: 'text', cpus: 'integer', memory: 'bigint' },
  STALE_WHEN_MISSING,
);
export const slurmPartitionStore = new WholeSetStore<SlurmPartitionColumns>(
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
const list = (table: string, columns: string) => ({
  name: `${table}-list`,
  text: `select id, name, ${columns} from ${table} where org_id = $1 order by cluster_id, name limit $2 offset $3`,
});
const CLUSTERS = list('slurm_clusters', `${shown('status')}, metadata`);
const NODES = list('slurm_nodes', `${shown('status')}, cpus, memory`);
const PARTITIONS = list(
  'slurm_partitions',
  `${shown('state')}, nodes, total_nodes, total_cpus, priority_tier, max_time, default_time, is_default`,
);

/** By cluster and name. @returns up to `limit + 1` rows */
export const listSlurmClusters = (tx: Tx, { limit, offset }: Slice): Promise<SlurmClusterRow[]> =>
  tx.prepared<SlurmClusterRow & Record<string, unknown>>(CLUSTERS, [tx.orgId, limit + 1, offset]);

export const listSlurmNodes = (tx: Tx, { limit, offset }: Slice): Promise<SlurmNodeRow[]> =>
  tx.prepared<SlurmNodeRow & Record<string, unknown>>(NODES, [tx.orgId, limit + 1, offset]);

export const listSlurmPartitions = (tx: Tx, { limit, offset }: Slice): Promise<SlurmPartitionRow[]> =>
  tx.prepared<SlurmPartitionRow & Record<string, unknown>>(PARTITIONS, [tx.orgId, limit + 1, offset]);
