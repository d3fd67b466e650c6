import { OF_ACTIVE_CLUSTER, SILENT_AFTER } from '../clusters/clusters.queries';
import type { Slice } from '../../1-platform/common/answers/paging';
import { ResourceUpsert } from '../../1-platform/database/rows/resource-upsert';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { NodeColumns } from './node-resource';
import type { NodeView } from './nodes.dto';

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

// A node that another sync holds is heard of by that one; to wait
// for it, while holding others, could be a deadlock.
const HEARD = {
  name: 'nodes-heard',
  text: `
    with free as materialized (select id from nodes where org_id = $1 and id = any($2::uuid[]) for no key update skip locked)
    update nodes set synced_at = clock_timestamp() from free where nodes.org_id = $1 and nodes.id = free.id`,
};

/** An unchanged node that is told again is a node that lives. */
export async function nodesHeardOf(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.prepared(HEARD, [tx.orgId, ids]);
}

const KNOWN = {
  name: 'nodes-known-names',
  text: 'select name from nodes where org_id = $1 and cluster_id = $2 and name = any($3::text[])',
};

export async function knownNodeNames(tx: Tx, clusterId: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await tx.prepared<{ name: string }>(KNOWN, [tx.orgId, clusterId, names]);
  return new Set(rows.map(({ name }) => name));
}

/** Condition on a row of `nodes`: it was heard of lately, and is not deleted. */
export const LIVE = `not deleted and synced_at > clock_timestamp() - ${SILENT_AFTER}`;

/**
 * Condition on a row of another table with `cluster_id` and `node_name`, aliased `r`, of the organisation
 * `$1`: no node holds it yet, or a live one does. The live nodes are found once.
 */
export const ON_LIVE_NODE = `
  (r.node_name = '' or (r.cluster_id, r.node_name) in (select cluster_id, name from nodes where org_id = $1 and ${LIVE}))`;

const VISIBLE = `from nodes r where r.org_id = $1 and ${LIVE} and ${OF_ACTIVE_CLUSTER}`;

const LIST = `
  select r.id, r.name, r.status, (select c.name from clusters c where c.org_id = r.org_id and c.id = r.cluster_id) as cluster_name,
    r.compute_type, r.instance_type, r.region, r.capacity_type
  ${VISIBLE} and ($2::uuid is null or r.id = $2)
  order by r.name, r.id limit $3 offset $4`;

export const listNodes = (tx: Tx, id: string | undefined, { limit, offset }: Slice): Promise<NodeView[]> =>
  tx.query<NodeView & Record<string, unknown>>(LIST, [tx.orgId, id ?? null, limit + 1, offset]);

const COUNT = `select count(*) as total ${VISIBLE} and ($2::text is null or r.status = $2)`;

export async function countNodes(tx: Tx, status: string | undefined): Promise<number> {
  const [row] = await tx.query<{ total: number }>(COUNT, [tx.orgId, status ?? null]);
  return row?.total ?? 0;
}

const INSTANCE_TYPES = `
  select distinct instance_type from nodes where org_id = $1 and instance_type <> '' order by instance_type limit $2 offset $3`;

/** Of nodes in any state. */
export async function listInstanceTypes(tx: Tx, { limit, offset }: Slice): Promise<string[]> {
  const rows = await tx.query<{ instance_type: string }>(INSTANCE_TYPES, [tx.orgId, limit + 1, offset]);
  return rows.map((row) => row.instance_type);
}
