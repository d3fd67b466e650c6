import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement } from '../../1-platform/database/transactions/statement';
import { lockNumber, takeTurn } from '../../1-platform/database/transactions/advisory-locks';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UNLIMITED } from '../../1-platform/database/transactions/unlimited';
import { Cluster, type ClusterKind } from './cluster.entity';

/** Lists of what runs leave out a cluster or a node without a report for this long. */
export const SILENT_AFTER = "interval '5 minutes'";

export interface ClusterRow {
  id: string;
  name: string;
  kind: ClusterKind;
  status: 'active' | 'inactive';
  last_sync: Date | null;
  metadata: unknown;
}

/** A new cluster counts as active until it has had time for a first report. */
export const CLUSTER_STATUS = `
  case when coalesce(last_sync, created_at) > clock_timestamp() - ${SILENT_AFTER}
    then 'active' else 'inactive' end`;

const LIST = boundedPage({
  as: 'c',
  found: `
    select * from clusters where org_id = $org_id and ($kind::text is null or kind = $kind)
    order by name, id limit $limit offset $offset`,
  bytes: 'coalesce(octet_length(c.metadata::text), 0)',
  order: 'c.name, c.id',
  columns: `c.id, c.name, c.kind, ${CLUSTER_STATUS} as status, c.last_sync, c.metadata`,
});

export const listClusters = (tx: Tx, kind: string | undefined, slice: Slice): Promise<Page<ClusterRow>> =>
  readPage(tx, LIST, { org_id: tx.orgId, kind: kind ?? null, ...rowsOf(slice) }, slice);

const COUNT = `
  select count(*) as total from clusters
  where org_id = $org_id and ($status::text is null or ${CLUSTER_STATUS} = $status)`;

export async function countClusters(tx: Tx, status: string | undefined): Promise<number> {
  const [row] = await tx.query<{ total: number }>(COUNT, { org_id: tx.orgId, status: status ?? null });
  return row?.total ?? 0;
}

const SAVE = `
  insert into clusters (org_id, id, name, kind) values ($org_id, $id, $name, coalesce($kind, 'kubernetes'))
  on conflict (org_id, name) do update set kind = coalesce($kind, clusters.kind)
  returning id`;

/** Registers a cluster, or finds the one with this name. Without a kind, the stored kind stays. */
export async function saveCluster(tx: Tx, id: string, name: string, kind: ClusterKind | null): Promise<string> {
  const [row] = await tx.query<{ id: string }>(SAVE, { org_id: tx.orgId, id, name, kind });
  return row?.id ?? id;
}

/** A cluster with this name and kind; undefined if there is none, or if its kind differs. */
export async function registeredCluster(tx: Tx, name: string, kind: ClusterKind | null): Promise<string | undefined> {
  const where = kind === null ? { name } : { name, kind };
  return (await tx.store(Cluster).findOne(where, { select: { id: true } }))?.id;
}

/** The organisation's only cluster; undefined if it has none or several. */
export async function onlyCluster(tx: Tx): Promise<string | undefined> {
  const rows = await tx.store(Cluster).find({}, { select: { id: true }, take: 2 });
  return rows.length === 1 ? rows[0]?.id : undefined;
}

const KIND = statement('cluster-kind', 'select kind from clusters where org_id = $org_id and id = $id');

export async function clusterKind(tx: Tx, id: string): Promise<ClusterKind | undefined> {
  const [row] = await tx.prepared<{ kind: ClusterKind }>(KIND, { org_id: tx.orgId, id });
  return row?.kind;
}

// Not row locks: syncs of several agents could then delay a deletion for ever, because later ones share a
// lock that an earlier one holds. Advisory locks are granted in order.
const LOCK_NUMBER = lockNumber('cluster');
const HOLD = statement('cluster-hold', `select pg_advisory_xact_lock_shared(${LOCK_NUMBER})`);

/**
 * Prevents the deletion of a cluster until the transaction ends. A transaction that will write many rows of a
 * cluster takes this lock first, so that it and a deletion cannot deadlock.
 * @returns whether the cluster exists, after the wait
 */
export async function holdCluster(tx: Tx, id: string): Promise<boolean> {
  await tx.prepared(HOLD, { id: id.toLowerCase() });
  return (await clusterKind(tx, id)) !== undefined;
}

const TRY_HOLD = statement(
  'cluster-try-hold',
  `
    select pg_try_advisory_xact_lock_shared(${LOCK_NUMBER}) as held`,
);

/**
 * As `holdCluster`, but does not wait. @returns whether the lock was taken: not while the cluster is being
 * deleted
 */
export async function tryHoldCluster(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.prepared<{ held: boolean }>(TRY_HOLD, { id: id.toLowerCase() });
  return row?.held === true && (await clusterKind(tx, id)) !== undefined;
}

const REPORTED = statement(
  'cluster-reported',
  `
    update clusters set last_sync = clock_timestamp(), metadata = 
      case when $reported then $metadata::json else metadata end
    where org_id = $org_id and id = $id
    returning id`,
);

/** @param metadata undefined keeps the stored value. @returns false if the cluster is gone */
export async function noteReport(tx: Tx, id: string, metadata: unknown): Promise<boolean> {
  const reported = metadata !== undefined;
  const values = { org_id: tx.orgId, id, reported, metadata: reported ? JSON.stringify(metadata) : null };
  return (await tx.prepared(REPORTED, values)).length > 0;
}

const CLOSE = statement('cluster-close', `select pg_advisory_xact_lock(${LOCK_NUMBER})`, UNLIMITED);
const LOCK_REPORTED = [
  statement(
    'cluster-lock-restores',
    'select from restores where org_id = $org_id and cluster_id = $cluster_id order by id for update',
    UNLIMITED,
  ),
  statement(
    'cluster-lock-actions',
    'select from actions where org_id = $org_id and cluster_id = $cluster_id order by id for update',
    UNLIMITED,
  ),
];
// An attempt in progress is deleted with its action or its restore, because nobody will report how it ended.
// Attempts that have ended were counted, and stay.
const FORGET_RUNNING = statement(
  'cluster-forget-running',
  `
    with gone as (
      delete from operation_facts
      where org_id = $org_id and cluster_id = $cluster_id and result = 'running' returning operation_id
    )
    delete from operation_stages s using gone
    where s.org_id = $org_id and s.operation_id = gone.operation_id`,
  UNLIMITED,
);
// Events without a number were shown to no consumer, and their controller has nothing left to control.
// Numbered events stay, because ids have no gaps.
const FORGET_EVENTS = statement(
  'cluster-forget-events',
  'delete from outbox_events where org_id = $org_id and cluster_id = $cluster_id and event_id is null',
  UNLIMITED,
);

// No timeout may end this statement, neither the server's nor the driver's: it deletes any number of rows.
const DELETE = statement(
  'cluster-delete',
  'delete from clusters where org_id = $org_id and id = $cluster_id returning name',
  UNLIMITED,
);

/**
 * Waits until no transaction writes to the cluster, and prevents new ones, for as long as its deletion takes.
 * An organisation deletes one cluster at a time. Its other deletions wait no longer than for any lock, so
 * they do not all keep a connection until the first one ends.
 * @returns false if the cluster does not exist; then nothing was waited for
 */
export async function closeCluster(tx: Tx, id: string): Promise<boolean> {
  if ((await clusterKind(tx, id)) === undefined) return false;
  await takeTurn(tx, 'clusterDeletion', tx.orgId);
  await tx.query("select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)");
  await tx.prepared(CLOSE, { id: id.toLowerCase() });
  return true;
}

/**
 * Deletes a closed cluster and, through the foreign keys, its inventory and everything that controls it.
 * Facts and totals have no such key: they stay.
 */
export async function deleteCluster(tx: Tx, id: string): Promise<string | undefined> {
  // In the order in which reports lock them, and before the cluster, to which their rows refer.
  const values = { org_id: tx.orgId, cluster_id: id };
  for (const step of [...LOCK_REPORTED, FORGET_RUNNING]) await tx.prepared(step, values);
  const [row] = await tx.prepared<{ name: string }>(DELETE, values);
  // Last, because transactions that number events wait for these rows.
  await tx.prepared(FORGET_EVENTS, values);
  return row?.name;
}

/**
 * Condition on a row of another table with `cluster_id`, aliased `r`, in the organisation `$org_id`: its
 * cluster is active. It names no other column of the row, so that the active clusters are found once and not
 * for every row.
 */
export const OF_ACTIVE_CLUSTER = `
  r.cluster_id in (select id from clusters where org_id = $org_id and ${CLUSTER_STATUS} = 'active')`;

/** Ids of the clusters of `$org_id` that are not active: few, mostly none. */
export const INACTIVE_CLUSTERS = `
  select id from clusters where org_id = $org_id and ${CLUSTER_STATUS} <> 'active'`;

/**
 * The same, for conditions on very many rows. As there are few inactive clusters, a row costs a fourth of
 * what it takes to find its cluster among the active ones. Each row has a cluster.
 */
export const OF_NO_INACTIVE_CLUSTER = `r.cluster_id not in (${INACTIVE_CLUSTERS})`;
