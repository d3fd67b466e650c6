import type { Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import type { ClusterKind } from './cluster.entity';

/** A cluster or a node that was not heard of for this long is left out of what is listed as running. */
export const SILENT_AFTER = "interval '5 minutes'";

export interface ClusterRow {
  id: string;
  name: string;
  kind: ClusterKind;
  status: 'active' | 'inactive';
  last_sync: Date | null;
  metadata: unknown;
}

/** A new cluster is active until it had time to tell something. */
export const CLUSTER_STATUS = `case when coalesce(last_sync, created_at) > clock_timestamp() - ${SILENT_AFTER} then 'active' else 'inactive' end`;

const COLUMNS = `id, name, kind, ${CLUSTER_STATUS} as status, last_sync, metadata`;

const LIST = `select ${COLUMNS} from clusters where org_id = $1 and ($2::text is null or kind = $2) order by name, id limit $3 offset $4`;

export const listClusters = (tx: Tx, kind: string | undefined, { limit, offset }: Slice): Promise<ClusterRow[]> =>
  tx.query<ClusterRow & Record<string, unknown>>(LIST, [tx.orgId, kind ?? null, limit + 1, offset]);

const COUNT = `select count(*) as total from clusters where org_id = $1 and ($2::text is null or ${CLUSTER_STATUS} = $2)`;

export async function countClusters(tx: Tx, status: string | undefined): Promise<number> {
  const [row] = await tx.query<{ total: number }>(COUNT, [tx.orgId, status ?? null]);
  return row?.total ?? 0;
}

const SAVE = `
  insert into clusters (org_id, id, name, kind) values ($1, $2, $3, coalesce($4, 'kubernetes'))
  on conflict (org_id, name) do update set kind = coalesce($4, clusters.kind)
  returning id`;

/** Registers a cluster, or finds the one of that name. A kind that is not told leaves a known cluster's alone. */
export async function saveCluster(tx: Tx, id: string, name: string, kind: ClusterKind | null): Promise<string> {
  const [row] = await tx.query<{ id: string }>(SAVE, [tx.orgId, id, name, kind]);
  return row?.id ?? id;
}

const ONLY = { name: 'cluster-only', text: 'select id from clusters where org_id = $1 limit 2' };

/** The organisation's only cluster; undefined when it has none or several. */
export async function onlyCluster(tx: Tx): Promise<string | undefined> {
  const rows = await tx.prepared<{ id: string }>(ONLY, [tx.orgId]);
  return rows.length === 1 ? rows[0]?.id : undefined;
}

const KIND = { name: 'cluster-kind', text: 'select kind from clusters where org_id = $1 and id = $2' };

export async function clusterKind(tx: Tx, id: string): Promise<ClusterKind | undefined> {
  const [row] = await tx.prepared<{ kind: ClusterKind }>(KIND, [tx.orgId, id]);
  return row?.kind;
}

const HEARD = {
  name: 'cluster-heard',
  text: `
    update clusters set last_sync = clock_timestamp(), metadata = case when $3 then $4::jsonb else metadata end
    where org_id = $1 and id = $2
    returning id`,
};

/** @param metadata undefined leaves what is stored. @returns false when the cluster is gone */
export async function heardOf(tx: Tx, id: string, metadata: unknown): Promise<boolean> {
  const told = metadata !== undefined;
  return (await tx.prepared(HEARD, [tx.orgId, id, told, told ? JSON.stringify(metadata) : null])).length > 0;
}

// Neither the server's time-out nor the driver's, which stands above it, may end it: however much there is, it is deleted.
const DELETE = {
  name: 'cluster-delete',
  text: 'delete from clusters where org_id = $1 and id = $2 returning name',
  query_timeout: 2 ** 31 - 1,
};

/** Deletes a cluster and, through the foreign keys, every row that belongs to it, however many. */
export async function deleteCluster(tx: Tx, id: string): Promise<string | undefined> {
  await tx.query('set local statement_timeout = 0');
  const [row] = await tx.prepared<{ name: string }>(DELETE, [tx.orgId, id]);
  return row?.name;
}

/**
 * Condition on a row of another table with `cluster_id`, aliased `r`, of the organisation `$1`: its cluster is active. It
 * names no other column of the row, so that the active clusters are found once and not for every row.
 */
export const OF_ACTIVE_CLUSTER = `r.cluster_id in (select id from clusters where org_id = $1 and ${CLUSTER_STATUS} = 'active')`;
