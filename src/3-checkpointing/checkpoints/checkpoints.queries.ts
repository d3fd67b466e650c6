import type { QueryResultRow } from 'pg';
import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { PARENT_IF_KEPT } from './actions/actions.queries';
import type { CheckpointStatus, WorkloadType } from './checkpoint.states';

const OWNER = {
  name: 'checkpoint-owner',
  text: 'select action_id from checkpoints where org_id = $1 and id = $2 and ($3::text is null or workload_type = $3)',
};

/** The action of a checkpoint, null when it stands alone; undefined when there is no such checkpoint. */
export async function ownerOf(tx: Tx, id: string, of: WorkloadType | undefined): Promise<string | null | undefined> {
  const [row] = await tx.prepared<{ action_id: string | null }>(OWNER, [tx.orgId, id, of ?? null]);
  return row && row.action_id;
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

const ROW =
  'id, status, error is not null as failed, claimed, cluster_id, workload_type, name, gpu, platform, info, restore_path, created_at';
const FIND = {
  name: 'checkpoint-find',
  text: `select ${ROW} from checkpoints where org_id = $1 and id = $2 for update`,
};
const UNFINISHED = {
  name: 'checkpoints-unfinished',
  text: `
    select ${ROW}, action_id from checkpoints
    where org_id = $1 and action_id = any($2::uuid[]) and status = any($3::text[]) order by id for update`,
};

/** Locked, so that what is decided on its status holds. */
export async function lockCheckpoint(tx: Tx, id: string): Promise<CheckpointRow | undefined> {
  const [row] = await tx.prepared<CheckpointRow & QueryResultRow>(FIND, [tx.orgId, id]);
  return row;
}

export const lockUnfinished = (
  tx: Tx,
  actionIds: readonly string[],
  statuses: readonly CheckpointStatus[],
): Promise<(CheckpointRow & { action_id: string })[]> =>
  tx.prepared<CheckpointRow & { action_id: string } & QueryResultRow>(UNFINISHED, [tx.orgId, actionIds, statuses]);

/**
 * A node's reports of how far it is are kept this often; what it reports in
 * between is only a sign of life, which those are too.
 */
const PROGRESS_EVERY = "interval '1 second'";

const PROGRESS_STATE = {
  name: 'checkpoint-progress-state',
  text: `
    select action_id, status, coalesce(progressed_at > clock_timestamp() - ${PROGRESS_EVERY}, false) as fresh
    from checkpoints where org_id = $1 and id = $2`,
};

export interface ProgressState {
  action_id: string | null;
  status: CheckpointStatus;
  /** A report was kept within the last second. */
  fresh: boolean;
}

/** What decides on a report of progress, without a lock; undefined when there is no such checkpoint. */
export async function progressState(tx: Tx, id: string): Promise<ProgressState | undefined> {
  const [row] = await tx.prepared<ProgressState & QueryResultRow>(PROGRESS_STATE, [tx.orgId, id]);
  return row;
}

const KEEP_PROGRESS = {
  name: 'checkpoint-progress-keep',
  text: `
    update checkpoints set progress_stage = $3, bytes_done = $4, bytes_total = $5, progressed_at = clock_timestamp(), claimed = true
    where org_id = $1 and id = $2 and (progressed_at is null or progressed_at <= clock_timestamp() - ${PROGRESS_EVERY})`,
};

/** The checkpoint is locked, and has not ended. */
export async function keepProgress(tx: Tx, id: string, { stage, bytesDone, bytesTotal }: Progress): Promise<void> {
  await tx.prepared(KEEP_PROGRESS, [tx.orgId, id, stage, bytesDone, bytesTotal]);
}

/** How far a node says it is. */
export interface Progress {
  readonly stage: string;
  readonly bytesDone: number | null;
  readonly bytesTotal: number | null;
}

const PROGRESS_OF_ACTION = {
  name: 'checkpoint-progress-of-action',
  text: `
    select container_name, progress_stage as stage, bytes_done, bytes_total
    from checkpoints where org_id = $1 and action_id = $2 and progress_stage is not null and status not in ('ready', 'deprecated')
    order by created_at, id limit 100`,
};

export interface CheckpointProgressRow {
  container_name: string | null;
  stage: string;
  bytes_done: number | null;
  bytes_total: number | null;
}

/** How far each checkpoint of an action is that has not ended and was reported on. */
export const progressOfAction = (tx: Tx, actionId: string): Promise<CheckpointProgressRow[]> =>
  tx.prepared<CheckpointProgressRow & QueryResultRow>(PROGRESS_OF_ACTION, [tx.orgId, actionId]);

const DEPRECATE_FAILED = {
  name: 'checkpoints-deprecate-failed',
  text: "update checkpoints set status = 'deprecated', error = $3 where org_id = $1 and id = any($2::uuid[])",
};

/** They are locked. */
export async function deprecateFailed(tx: Tx, ids: readonly string[], error: string): Promise<void> {
  await tx.prepared(DEPRECATE_FAILED, [tx.orgId, ids, error]);
}

const CLAIM = {
  name: 'checkpoint-claim',
  text: `
    update checkpoints set claimed = true, name = coalesce($3, name), container_name = $4, parent_checkpoint_id = $5, delta = $6
    where org_id = $1 and action_id = $2 and not claimed and status = 'initializing'
    returning id`,
};
const OF_CONTAINER = {
  name: 'checkpoint-of-container',
  text: 'select id from checkpoints where org_id = $1 and action_id = $2 and container_name = $3 and claimed',
};

export interface Claim {
  name: string | null;
  containerName: string | null;
  parentId: string | null;
  delta: boolean;
}

/** Takes the checkpoint that the action was made with; undefined when it was taken. */
export async function claimFirst(
  tx: Tx,
  actionId: string,
  { name, containerName, parentId, delta }: Claim,
): Promise<string | undefined> {
  const [row] = await tx.prepared<{ id: string }>(CLAIM, [tx.orgId, actionId, name, containerName, parentId, delta]);
  return row?.id;
}

export async function checkpointOfContainer(
  tx: Tx,
  actionId: string,
  containerName: string,
): Promise<string | undefined> {
  const [row] = await tx.prepared<{ id: string }>(OF_CONTAINER, [tx.orgId, actionId, containerName]);
  return row?.id;
}

const LIST = boundedPage({
  as: 'c',
  found: `
    select c.* from checkpoints c
    where c.org_id = $1 and ($2::uuid[] is null or c.id = any($2)) and ($5::text is null or c.workload_type = $5)
      and ($6::bigint is null or c.action_id in (select id from actions where org_id = $1 and slurm_job_id = $6))
      and ($7::uuid is null or c.cluster_id = $7)
    order by c.created_at desc, c.id desc limit $3 offset $4`,
  bytes: 'coalesce(octet_length(c.info::text), 0)',
  order: 'c.created_at desc, c.id desc',
  columns: `c.id, c.status, c.gpu, c.platform, c.delta, c.checksum, c.info, c.name, ${PARENT_IF_KEPT} as parent_checkpoint_id, c.action_id,
    c.container_name, a.slurm_job_id, a.pod_name, a.namespace, c.cluster_id, c.created_at`,
  joins: 'left join actions a on a.org_id = c.org_id and a.id = c.action_id',
});

export interface CheckpointFilter {
  readonly ids?: string[];
  readonly of?: WorkloadType;
  readonly slurmJobId?: number;
  readonly clusterId?: string;
}

/** A checkpoint of a list; which of the columns an answer shows is for its operation. */
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
  slurm_job_id: number | null;
  pod_name: string | null;
  namespace: string | null;
  cluster_id: string | null;
  created_at: Date;
}

export const listCheckpoints = (
  tx: Tx,
  { ids, of, slurmJobId, clusterId }: CheckpointFilter,
  slice: Slice,
): Promise<Page<ListedCheckpoint>> => {
  const { limit, offset } = slice;
  const values = [tx.orgId, ids ?? null, limit + 1, offset, of ?? null, slurmJobId ?? null, clusterId ?? null];
  return readPage(tx, LIST, values, slice);
};

// Of one kind: a Slurm job may have the name that a pod asks for, and has another's image.
const PATH = {
  name: 'checkpoint-path',
  text: `
    select restore_path from checkpoints
    where org_id = $1 and workload_type = $3 and name = $2 and status = 'ready' and restore_path is not null
    order by uploaded_at desc, id desc limit 1`,
};

export async function restorePath(tx: Tx, name: string, of: WorkloadType): Promise<string | undefined> {
  const [row] = await tx.prepared<{ restore_path: string }>(PATH, [tx.orgId, name, of]);
  return row?.restore_path;
}

const FIRST_READY = {
  name: 'checkpoint-first-ready',
  text: "select id from checkpoints where org_id = $1 and action_id = $2 and status = 'ready' order by created_at, id limit 1",
};

export async function firstReady(tx: Tx, actionId: string): Promise<string | undefined> {
  const [row] = await tx.prepared<{ id: string }>(FIRST_READY, [tx.orgId, actionId]);
  return row?.id;
}

// An upload whose report is lost is no failure: the artefact may
// well be there. One that a report holds is left to it.
const PRESUME_UPLOADED = {
  name: 'checkpoints-presume-uploaded',
  text: `
    with due as (
      select c.org_id, c.id from checkpoints c join actions a on a.org_id = c.org_id and a.id = c.action_id
      where c.status = 'updated_info' and a.ended_at < clock_timestamp() - interval '10 minutes'
      limit $1 for no key update of c skip locked
    )
    update checkpoints c set status = 'possibly_uploaded' from due where c.org_id = due.org_id and c.id = due.id
    returning c.id`,
};

/**
 * Over all organisations: only for the service's own transactions. @returns
 * how many; fewer than the limit when no more are free
 */
export async function presumeUploaded(tx: Tx, limit: number): Promise<number> {
  return (await tx.prepared(PRESUME_UPLOADED, [limit])).length;
}
