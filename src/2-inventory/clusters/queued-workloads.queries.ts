import type { Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import { removalOfOldest } from '../../1-platform/database/rows/oldest-rows';
import type { QueryResultRow } from 'pg';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { QueuedWorkload, type WorkloadKind, type WorkloadOutcome, type WorkloadStatus } from './queued-workload.entity';

/** How long a manifest is kept if no outcome is reported. */
const KEPT = "interval '7 days'";
/** How long it is kept after its controller has reported the outcome. */
const KEPT_WHEN_TAKEN = "interval '24 hours'";

export interface ListedWorkloadRow {
  id: string;
  cluster_id: string;
  kind: WorkloadKind;
  status: WorkloadStatus;
  created_at: Date;
  taken_at: Date | null;
  taken_by: string | null;
  error: string | null;
}

export interface QueuedWorkloadRow extends ListedWorkloadRow {
  manifest: unknown;
}

const LISTED = 'id, cluster_id, kind, status, created_at, taken_at, taken_by, error';
// A manifest is not shown after this time, even if the sweep is late.
const COLUMNS = `${LISTED}, case when forget_at > clock_timestamp() then manifest end as manifest`;

export async function insertWorkload(
  tx: Tx,
  workload: { id: string; clusterId: string; kind: WorkloadKind; manifest: object },
): Promise<void> {
  const forgetAt = () => `clock_timestamp() + ${KEPT}`;
  await tx.store(QueuedWorkload).insert({ ...workload, status: 'queued', forgetAt });
}

const FIND = `select ${COLUMNS} from queued_workloads where org_id = $org_id and id = $id`;

export async function findWorkload(tx: Tx, id: string): Promise<QueuedWorkloadRow | undefined> {
  const [row] = await tx.query<QueuedWorkloadRow & QueryResultRow>(FIND, { org_id: tx.orgId, id });
  return row;
}

interface WorkloadFilter {
  readonly cluster_id?: string;
  readonly status?: WorkloadStatus;
  /** Those that are older than this one. */
  readonly after?: string;
}

// Ids sort by creation, and none is greater than this one.
const LIST = `
  select ${LISTED} from queued_workloads
  where org_id = $org_id and id < coalesce($after::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and ($cluster_id::uuid is null or cluster_id = $cluster_id)
    and ($status::text is null or status = $status)
  order by id desc limit $limit offset $offset`;

/** Newest first, up to one more than the slice has. */
export const listWorkloads = (tx: Tx, filter: WorkloadFilter, slice: Slice): Promise<ListedWorkloadRow[]> => {
  const { cluster_id = null, status = null, after = null } = filter;
  const values = { org_id: tx.orgId, cluster_id, status, after, ...rowsOf(slice) };
  return tx.query<ListedWorkloadRow & QueryResultRow>(LIST, values);
};

const TAKE = `
  update queued_workloads set
    status = $status, taken_at = clock_timestamp(), taken_by = $taken_by, error = $error,
    forget_at = least(forget_at, clock_timestamp() + ${KEPT_WHEN_TAKEN})
  where org_id = $org_id and id = $id and status = 'queued'
  returning ${COLUMNS}`;

/**
 * Stores the first outcome of a workload. @returns undefined if an outcome is stored already, or if there is
 * no such workload
 */
export async function takeWorkload(
  tx: Tx,
  id: string,
  outcome: { status: WorkloadOutcome; takenBy: string; error: string | null },
): Promise<QueuedWorkloadRow | undefined> {
  const values = { org_id: tx.orgId, id, status: outcome.status, taken_by: outcome.takenBy, error: outcome.error };
  const [row] = await tx.query<QueuedWorkloadRow & QueryResultRow>(TAKE, values);
  return row;
}

const FORGET = statement(
  'queued-workloads-forget',
  `
    update queued_workloads w set manifest = null from (
      select org_id, id from queued_workloads
      where manifest is not null and forget_at <= (select clock_timestamp())
      order by forget_at limit $limit for no key update skip locked
    ) due where w.org_id = due.org_id and w.id = due.id returning w.id`,
);

/**
 * Over all organisations: only for the service's own transactions. @returns the number of deleted manifests;
 * fewer than the limit if no more are unlocked
 */
export async function forgetManifests(tx: Tx, limit: number): Promise<number> {
  return (await tx.prepared(FORGET, { limit })).length;
}

const REMOVE = removalOfOldest('queued-workloads-remove', {
  table: 'queued_workloads',
  at: 'forget_at',
  among: 'manifest is null',
});

/**
 * Over all organisations: workloads whose manifest was deleted this many days ago. @returns as
 * `forgetManifests`
 */
export async function removeWorkloads(tx: Tx, limit: number, days: number): Promise<number> {
  return (await tx.prepared(REMOVE, { limit, days })).length;
}
