import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { PARENT_IF_KEPT } from './actions/actions.queries';
import type { CheckpointStatus, WorkloadType } from './checkpoint.states';
import { Checkpoint } from './checkpoint.entity';

/** The action of a checkpoint; null if it has none; undefined if there is no such checkpoint. */
export async function ownerOf(tx: Tx, id: string, of: WorkloadType | undefined): Promise<string | null | undefined> {
  const where = { id, ...(of === undefined ? {} : { workloadType: of }) };
  return (await tx.store(Checkpoint).findOne(where, { select: { id: true, actionId: true } }))?.actionId;
}

export interface CheckpointRow {
  id: string;
  status: CheckpointStatus;
  failed: boolean;
  claimed: boolean;
  cluster_id: string | null;
  workload_type: WorkloadType;
  name: string | null;
  gpu: string;
  platform: string;
  info: unknown;
  restore_path: string | null;
  created_at: Date;
}

const ROW = `
  id, status, error is not null as failed, claimed, cluster_id, workload_type, name, gpu, platform, info,
  restore_path, created_at`;
const FIND = statement(
  'checkpoint-find',
  `select ${ROW} from checkpoints where org_id = $org_id and id = $id for update`,
);
const HOLD_PARENT = statement(
  'checkpoint-hold-parent',
  `select from checkpoints where org_id = $org_id and id = $id for share`,
);
const UNFINISHED = statement(
  'checkpoints-unfinished',
  `
    select ${ROW}, action_id from checkpoints
    where org_id = $org_id and action_id = any($action_ids::uuid[])
      and status = any($statuses::text[])
    order by id for update`,
);

/** Locks the checkpoint, so that a decision on its status stays valid. */
export async function lockCheckpoint(tx: Tx, id: string): Promise<CheckpointRow | undefined> {
  const [row] = await tx.prepared<CheckpointRow & QueryResultRow>(FIND, { org_id: tx.orgId, id });
  return row;
}

/**
 * Nobody changes the parent of a delta until the delta is there: a policy that gives checkpoints up looks for
 * deltas, and would not see this one.
 * @returns false if there is no such checkpoint
 */
export const holdParent = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.prepared(HOLD_PARENT, { org_id: tx.orgId, id })).length > 0;

export const lockUnfinished = (
  tx: Tx,
  actionIds: readonly string[],
  statuses: readonly CheckpointStatus[],
): Promise<(CheckpointRow & { action_id: string })[]> =>
  tx.prepared<CheckpointRow & { action_id: string } & QueryResultRow>(UNFINISHED, {
    org_id: tx.orgId,
    action_ids: actionIds,
    statuses,
  });

/** Progress reports are stored at this interval. Reports in between only count as signs of life. */
const PROGRESS_EVERY = "interval '1 second'";

const PROGRESS_STATE = statement(
  'checkpoint-progress-state',
  `
    select action_id, status, coalesce(progressed_at > clock_timestamp() - ${PROGRESS_EVERY}, false) as fresh
    from checkpoints where org_id = $org_id and id = $id`,
);

export interface ProgressState {
  action_id: string | null;
  status: CheckpointStatus;
  /** A report was stored within the last second. */
  fresh: boolean;
}

/**
 * The state that decides on a progress report, read without a lock; undefined if there is no such checkpoint.
 */
export async function progressState(tx: Tx, id: string): Promise<ProgressState | undefined> {
  const [row] = await tx.prepared<ProgressState & QueryResultRow>(PROGRESS_STATE, { org_id: tx.orgId, id });
  return row;
}

const KEEP_PROGRESS = statement(
  'checkpoint-progress-keep',
  `
    update checkpoints set
      progress_stage = $stage, bytes_done = $bytes_done, bytes_total = $bytes_total,
      progressed_at = clock_timestamp(), claimed = true
    where org_id = $org_id and id = $id
      and (progressed_at is null or progressed_at <= clock_timestamp() - ${PROGRESS_EVERY})`,
);

/** The checkpoint is locked, and has not ended. */
export async function keepProgress(tx: Tx, id: string, { stage, bytesDone, bytesTotal }: Progress): Promise<void> {
  await tx.prepared(KEEP_PROGRESS, {
    org_id: tx.orgId,
    id,
    stage,
    bytes_done: bytesDone,
    bytes_total: bytesTotal,
  });
}

/** The progress that a node reports. */
export interface Progress {
  readonly stage: string;
  readonly bytesDone: number | null;
  readonly bytesTotal: number | null;
}

const PROGRESS_OF_ACTION = statement(
  'checkpoint-progress-of-action',
  `
    select container_name, progress_stage as stage, bytes_done, bytes_total
    from checkpoints
    where org_id = $org_id and action_id = $action_id and progress_stage is not null
      and status not in ('ready', 'deprecated')
    order by created_at, id limit 100`,
);

export interface CheckpointProgressRow {
  container_name: string | null;
  stage: string;
  bytes_done: number | null;
  bytes_total: number | null;
}

/** The progress of each checkpoint of an action that has not ended and that was reported on. */
export const progressOfAction = (tx: Tx, actionId: string): Promise<CheckpointProgressRow[]> =>
  tx.prepared<CheckpointProgressRow & QueryResultRow>(PROGRESS_OF_ACTION, { org_id: tx.orgId, action_id: actionId });

const DEPRECATE_FAILED = statement(
  'checkpoints-deprecate-failed',
  `
    update checkpoints set status = 'deprecated', error = $error
    where org_id = $org_id and id = any($ids::uuid[])`,
);

/** They are locked. */
export async function deprecateFailed(tx: Tx, ids: readonly string[], error: string): Promise<void> {
  await tx.prepared(DEPRECATE_FAILED, { org_id: tx.orgId, ids, error });
}

const CLAIM = statement(
  'checkpoint-claim',
  `
    update checkpoints set
      claimed = true, name = coalesce($name, name), container_name = $container_name,
      parent_checkpoint_id = $parent_id, delta = $delta
    where org_id = $org_id and action_id = $action_id and not claimed and status = 'initializing'
    returning id`,
);
export interface Claim {
  name: string | null;
  containerName: string | null;
  parentId: string | null;
  delta: boolean;
}

/** Takes the checkpoint that was created with the action; undefined if it is already taken. */
export async function claimFirst(
  tx: Tx,
  actionId: string,
  { name, containerName, parentId, delta }: Claim,
): Promise<string | undefined> {
  const [row] = await tx.prepared<{ id: string }>(CLAIM, {
    org_id: tx.orgId,
    action_id: actionId,
    name,
    container_name: containerName,
    parent_id: parentId,
    delta,
  });
  return row?.id;
}

export async function checkpointOfContainer(
  tx: Tx,
  actionId: string,
  containerName: string,
): Promise<string | undefined> {
  const where = { actionId, containerName, claimed: true };
  return (await tx.store(Checkpoint).findOne(where, { select: { id: true } }))?.id;
}

/** @param found rows of `checkpoints`, aliased `c`, in the order of the list */
const listed = (found: string): string =>
  boundedPage({
    as: 'c',
    found,
    bytes: 'coalesce(octet_length(c.info::text), 0)',
    order: 'c.created_at desc, c.id desc',
    columns: `c.id, c.status, c.gpu, c.platform, c.delta, c.checksum, c.info, c.name,
      ${PARENT_IF_KEPT} as parent_checkpoint_id, c.action_id, c.container_name, c.restore_path,
      a.slurm_job_id, a.pod_name, a.namespace,
      c.cluster_id, c.created_at, c.bytes_removed_at`,
    joins: 'left join actions a on a.org_id = c.org_id and a.id = c.action_id',
  });

/** @param which of all: a condition on a row `c` */
const listOf = (which: string): string =>
  listed(`
    select c.* from checkpoints c
    where c.org_id = $org_id and ${which}
      and ($ids::uuid[] is null or c.id = any($ids))
      and ($workload_type::text is null or c.workload_type = $workload_type)
      and ($slurm_job_id::bigint is null or c.action_id in (
        select id from actions where org_id = $org_id and slurm_job_id = $slurm_job_id
      ))
      and ($cluster_id::uuid is null or c.cluster_id = $cluster_id)
      and ($status::text is null or c.status = $status)
      and ($name::text is null or c.name ilike $name)
      and ($exact_name::text is null or c.name = $exact_name)
    order by c.created_at desc, c.id desc limit $limit offset $offset`);

// Every row has such a time. The index of their order serves only statements that compare it.
const LIST = listOf("c.created_at >= '-infinity'");

// A statement of its own, for its index: controllers ask again and again, mostly for nothing.
const LIST_AWAITING_REMOVAL = listOf(
  "c.status = 'deprecated' and c.restore_path is not null and c.bytes_removed_at is null",
);

export interface CheckpointFilter {
  readonly ids?: string[];
  readonly of?: WorkloadType;
  readonly slurmJobId?: number;
  readonly clusterId?: string;
  readonly status?: CheckpointStatus;
  /** Part of the name, in any case. */
  readonly name?: string;
  /** The whole name. */
  readonly exactName?: string;
}

/** A checkpoint of a list. Each operation shows some of the columns. */
export interface ListedCheckpoint {
  id: string;
  status: CheckpointStatus;
  gpu: string;
  platform: string;
  delta: boolean;
  checksum: string | null;
  info: unknown;
  name: string | null;
  parent_checkpoint_id: string | null;
  action_id: string | null;
  container_name: string | null;
  restore_path: string | null;
  slurm_job_id: number | null;
  pod_name: string | null;
  namespace: string | null;
  cluster_id: string | null;
  created_at: Date;
  bytes_removed_at: Date | null;
}

/**
 * @param isAwaiting only uploaded ones that are deprecated, and whose bytes nobody has confirmed to be gone
 */
export const listCheckpoints = (
  tx: Tx,
  { ids, of, slurmJobId, clusterId, status, name, exactName }: CheckpointFilter,
  slice: Slice,
  isAwaiting = false,
): Promise<Page<ListedCheckpoint>> => {
  const values = {
    org_id: tx.orgId,
    ids: ids ?? null,
    workload_type: of ?? null,
    slurm_job_id: slurmJobId ?? null,
    cluster_id: clusterId ?? null,
    status: status ?? null,
    name: likeContaining(name),
    exact_name: exactName ?? null,
    ...rowsOf(slice),
  };
  return readPage(tx, isAwaiting ? LIST_AWAITING_REMOVAL : LIST, values, slice);
};

// The condition on the status is checked again behind whoever changes the row, so that the bytes of a
// checkpoint that can be restored are never said to be gone.
const CONFIRM_REMOVAL = statement(
  'checkpoint-confirm-removal',
  `
    update checkpoints set bytes_removed_at = clock_timestamp()
    where org_id = $org_id and id = $id and status = 'deprecated' and bytes_removed_at is null
    returning bytes_removed_at`,
);

/**
 * Notes that the bytes of a deprecated checkpoint are gone.
 * @returns when; undefined if that is noted already, or there is no deprecated checkpoint of this id
 */
export async function confirmRemoval(tx: Tx, id: string): Promise<Date | undefined> {
  const [row] = await tx.prepared<{ bytes_removed_at: Date }>(CONFIRM_REMOVAL, { org_id: tx.orgId, id });
  return row?.bytes_removed_at;
}

// Of one kind of workload only: a Slurm job may have the name of a pod's checkpoint, and another image. So
// may a workload of another cluster.
const PATH = statement(
  'checkpoint-path',
  `
    select restore_path from checkpoints
    where org_id = $org_id and workload_type = $workload_type and name = $name
      and status = 'ready' and restore_path is not null
      and ($cluster_id::uuid is null or cluster_id = $cluster_id)
    order by uploaded_at desc, id desc limit 1`,
);

export async function restorePath(
  tx: Tx,
  { name, of, clusterId }: { name: string; of: WorkloadType; clusterId: string | undefined },
): Promise<string | undefined> {
  const values = { org_id: tx.orgId, name, workload_type: of, cluster_id: clusterId ?? null };
  const [row] = await tx.prepared<{ restore_path: string }>(PATH, values);
  return row?.restore_path;
}

const FIRST_READY = statement(
  'checkpoint-first-ready',
  `
    select id, max(uploaded_at) over () as last_uploaded_at from checkpoints
    where org_id = $org_id and action_id = $action_id and status = 'ready'
    order by created_at, id limit 1`,
);

export interface FirstReady {
  readonly id: string;
  /** When the last of all ready ones was uploaded. */
  readonly last_uploaded_at: Date;
}

export async function firstReady(tx: Tx, actionId: string): Promise<FirstReady | undefined> {
  const values = { org_id: tx.orgId, action_id: actionId };
  const [row] = await tx.prepared<FirstReady & QueryResultRow>(FIRST_READY, values);
  return row;
}

const BESIDE = statement(
  'checkpoints-beside',
  `
    select id, container_name as container, status = 'ready' and uploaded_at <= $at as "isRequested"
    from checkpoints
    where org_id = $org_id
      and action_id = (select action_id from checkpoints where org_id = $org_id and id = $id)`,
);

/**
 * All checkpoints of the action that took one, that one included; none if it has no action.
 * @param at the request of a restore: a checkpoint that became ready later is not requested
 */
export const checkpointsBeside = (
  tx: Tx,
  id: string,
  at: Date,
): Promise<{ id: string; container: string | null; isRequested: boolean }[]> =>
  tx.prepared(BESIDE, { org_id: tx.orgId, id, at });

// If the report of an upload is lost, the upload may still have succeeded. Checkpoints that a report has
// locked are left to it.
const PRESUME_UPLOADED = statement(
  'checkpoints-presume-uploaded',
  `
    with due as (
      select c.org_id, c.id from checkpoints c join actions a on a.org_id = c.org_id and a.id = c.action_id
      where c.status = 'updated_info' and a.ended_at < clock_timestamp() - interval '10 minutes'
      limit $limit for no key update of c skip locked
    )
    update checkpoints c set status = 'possibly_uploaded' from due
    where c.org_id = due.org_id and c.id = due.id
    returning c.id`,
);

/**
 * Over all organisations: only for the service's own transactions. @returns the number of changed
 * checkpoints; fewer than the limit if no more are unlocked
 */
export async function presumeUploaded(tx: Tx, limit: number): Promise<number> {
  return (await tx.prepared(PRESUME_UPLOADED, { limit })).length;
}

/** Checkpoints without an action. The others go with theirs. */
export const OLD_CHECKPOINTS: AgingRows = {
  table: 'checkpoints',
  at: 'created_at',
  key: { id: 'uuid' },
  unneeded: "r.action_id is null and r.status <> 'ready'",
};
