import { OF_ACTIVE_CLUSTER, SILENT_AFTER } from '../clusters/clusters.queries';
import type { Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import { ResourceUpsert } from '../../1-platform/database/rows/resource-upsert';
import { statement } from '../../1-platform/database/transactions/statement';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import type { NodeColumns } from './node-resource';
import type { ComputeType, NodeMeasure, NodesSummaryView, NodeView } from './nodes.dto';

export const nodeUpsert = new ResourceUpsert<NodeColumns>('nodes', ['name'], {
  uid: 'text',
  name: 'text',
  status: 'text',
  compute_type: 'text',
  instance_type: 'text',
  region: 'text',
  capacity_type: 'text',
  boot_id: 'text',
  gpu_model: 'text',
  labels: 'jsonb',
  resource_version: 'numeric',
  deleted: 'boolean',
  object: 'json',
});

// A node that another sync has locked is updated by that sync. To wait for it while holding other locks could
// be a deadlock.
const REPORTED = statement(
  'nodes-reported',
  `
    with free as materialized (
      select id from nodes where org_id = $org_id and id = any($ids::uuid[]) for no key update skip locked
    )
    update nodes set synced_at = clock_timestamp() from free
    where nodes.org_id = $org_id and nodes.id = free.id`,
);

/** A repeated report of an unchanged node shows that the node is alive. */
export async function noteReportedNodes(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.prepared(REPORTED, { org_id: tx.orgId, ids });
}

const KNOWN = statement(
  'nodes-known-names',
  'select name from nodes where org_id = $org_id and cluster_id = $cluster_id and name = any($names::text[])',
);

export async function knownNodeNames(tx: Tx, clusterId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await tx.prepared<{ name: string }>(KNOWN, { org_id: tx.orgId, cluster_id: clusterId, names });
  return new Set(rows.map(({ name }) => name));
}

/** Condition on a row of `nodes`: it was reported recently, and is not deleted. */
export const LIVE = `not deleted and synced_at > clock_timestamp() - ${SILENT_AFTER}`;

/**
 * Cluster and name of the nodes of `$org_id` that are not live: usually few, because those that are gone are
 * removed (`OLD_NODES`).
 */
export const SILENT_NODES = `select cluster_id, name from nodes where org_id = $org_id and not (${LIVE})`;

/**
 * Condition on a row of another table with `cluster_id` and `node_name`, aliased `r`, in the organisation
 * `$org_id`: it is on no node yet, or on a live one. Nodes that are not live are found once. No row names a
 * node that is missing here: only a known one is taken, and a node stays while a pod names it.
 */
export const ON_LIVE_NODE = `(r.cluster_id, r.node_name) not in (${SILENT_NODES})`;

const VISIBLE = `from nodes r where r.org_id = $org_id and ${LIVE} and ${OF_ACTIVE_CLUSTER}`;

/** @param from nodes as `r`, with a condition */
const listOf = (from: string): string => `
  select r.id, r.name, r.status, r.cluster_id,
    (select c.name from clusters c where c.org_id = r.org_id and c.id = r.cluster_id) as cluster_name,
    r.compute_type, r.instance_type, r.region, r.capacity_type
  ${from} and ($id::uuid is null or r.id = $id)
    and ($cluster_id::uuid is null or r.cluster_id = $cluster_id)
    and ($name::text is null or r.name ilike $name)
    and ($compute_type::text is null or r.compute_type = $compute_type)
    and ($statuses::text[] is null or r.status = any($statuses))
  order by r.name, r.id limit $limit offset $offset`;
const LIST = listOf(VISIBLE);
const LIST_WITH_SILENT = listOf('from nodes r where r.org_id = $org_id and not deleted');

interface NodeFilter {
  readonly id?: string;
  readonly clusterId?: string;
  /** A part of it. */
  readonly name?: string;
  readonly computeType?: ComputeType;
  readonly statuses?: readonly string[];
  /** Those that are not live, and those of inactive clusters, too. */
  readonly silent?: boolean;
}

export const listNodes = (tx: Tx, filter: NodeFilter, slice: Slice): Promise<NodeView[]> => {
  const { id = null, clusterId = null, name, computeType = null, statuses = null } = filter;
  const values = { id, cluster_id: clusterId, name: likeContaining(name), compute_type: computeType, statuses };
  const text = filter.silent ? LIST_WITH_SILENT : LIST;
  return tx.query<NodeView & Record<string, unknown>>(text, { org_id: tx.orgId, ...values, ...rowsOf(slice) });
};

const COUNT = `select count(*) as total ${VISIBLE} and ($status::text is null or r.status = $status)`;

export async function countNodes(tx: Tx, status: string | undefined): Promise<number> {
  const [row] = await tx.query<{ total: number }>(COUNT, { org_id: tx.orgId, status: status ?? null });
  return row?.total ?? 0;
}

/** @param by a column */
const summaryBy = (by: NodeMeasure): string => `
  select r.cluster_id, r.${by} as value, count(*) as count
  ${VISIBLE} and ($cluster_id::uuid is null or r.cluster_id = $cluster_id)
  group by 1, 2 order by 1, 2 limit $limit offset $offset`;
const SUMMARY: Readonly<Record<NodeMeasure, string>> = {
  status: summaryBy('status'),
  compute_type: summaryBy('compute_type'),
  capacity_type: summaryBy('capacity_type'),
};

/** How many of the listed nodes each cluster has of each value; clusters without nodes are left out. */
export const summarizeNodes = (
  tx: Tx,
  by: NodeMeasure,
  clusterId: string | undefined,
  slice: Slice,
): Promise<NodesSummaryView[]> => {
  const values = { org_id: tx.orgId, cluster_id: clusterId ?? null, ...rowsOf(slice) };
  return tx.query<NodesSummaryView & Record<string, unknown>>(SUMMARY[by], values);
};

const INSTANCE_TYPES = `
  select distinct instance_type from nodes where org_id = $org_id and instance_type <> ''
  order by instance_type limit $limit offset $offset`;

/** Of nodes in any state. */
export async function listInstanceTypes(tx: Tx, slice: Slice): Promise<string[]> {
  const rows = await tx.query<{ instance_type: string }>(INSTANCE_TYPES, { org_id: tx.orgId, ...rowsOf(slice) });
  return rows.map((row) => row.instance_type);
}

/** A node that a listed pod names stays: the pod is hidden with it. */
export const OLD_NODES = {
  table: 'nodes',
  at: 'synced_at',
  among: 'r.deleted',
  key: { id: 'uuid' },
  unneeded: `not exists (
    select from pods p
    where p.org_id = r.org_id and p.node_name = r.name and p.cluster_id = r.cluster_id and not p.deleted
  )`,
} as const satisfies AgingRows;
