import type { QueryResultRow } from 'pg';
import type { Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import type { ActionStatus, ActionType, CheckpointProgress } from './action.states';
import type { CheckpointStatus } from './checkpoint.states';

// ---- actions

/** An action that this transaction holds a lock on: reports on it and on its checkpoints take turns. */
export interface LockedAction {
  id: string;
  type: ActionType;
  status: ActionStatus;
  cluster_id: string;
  checkpoint_id: string;
  checkpoint_name: string | null;
  kind: string;
  reason: string;
  pod_uid: string;
  pod_name: string;
  namespace: string;
  node_name: string;
  platform: string;
  created_at: Date;
}

const LOCKED =
  'id, type, status, cluster_id, checkpoint_id, checkpoint_name, kind, reason, pod_uid, pod_name, namespace, node_name, platform, created_at';
const LOCK = {
  name: 'action-lock',
  text: `select ${LOCKED} from actions where org_id = $1 and id = $2 for no key update`,
};
const LOCK_UNANSWERED = {
  name: 'action-lock-unanswered',
  text: `
    select ${LOCKED} from actions
    where org_id = $1 and id = $2 and status = 'initialized' and answer_by < clock_timestamp() for no key update skip locked`,
};

export async function lockAction(tx: Tx, id: string): Promise<LockedAction | undefined> {
  const [row] = await tx.prepared<LockedAction & QueryResultRow>(LOCK, [tx.orgId, id]);
  return row;
}

/** Undefined when it was answered meanwhile, or another replica has it in hand. */
export async function lockUnanswered(tx: Tx, id: string): Promise<LockedAction | undefined> {
  const [row] = await tx.prepared<LockedAction & QueryResultRow>(LOCK_UNANSWERED, [tx.orgId, id]);
  return row;
}

const UNANSWERED = {
  name: 'actions-unanswered',
  text: "select org_id, id from actions where status = 'initialized' and answer_by < clock_timestamp() order by answer_by limit 200",
};

/** Over all organisations: only for the service's own transactions. */
export const unansweredActions = (tx: Tx): Promise<{ org_id: string; id: string }[]> => tx.prepared(UNANSWERED, []);

const PROGRESS = {
  name: 'action-progress',
  text: 'select status, error is not null as failed, claimed from checkpoints where org_id = $1 and action_id = $2',
};

export const progressOf = (tx: Tx, actionId: string): Promise<CheckpointProgress[]> =>
  tx.prepared<CheckpointProgress & QueryResultRow>(PROGRESS, [tx.orgId, actionId]);

const SET_STATUS = {
  name: 'action-status',
  text: `
    update actions set status = $3, error = coalesce(error, $4), ended_at = coalesce(ended_at, case when $5 then clock_timestamp() end)
    where org_id = $1 and id = $2`,
};

/** @param ended it is over, or its node says so */
export async function setActionStatus(
  tx: Tx,
  id: string,
  status: ActionStatus,
  error: string | null,
  ended: boolean,
): Promise<void> {
  await tx.prepared(SET_STATUS, [tx.orgId, id, status, error, ended]);
}

const REOPEN = {
  name: 'action-reopen',
  text: "update actions set status = 'processing', ended_at = null where org_id = $1 and id = $2 and status = 'ready'",
};

export async function reopenAction(tx: Tx, id: string): Promise<void> {
  await tx.prepared(REOPEN, [tx.orgId, id]);
}

const KEEP_POD = {
  name: 'action-keep-pod',
  text: `
    update actions set pod_metadata = coalesce($3::jsonb, pod_metadata), pod_spec = coalesce($4::jsonb, pod_spec),
      persistent_volume_claim = coalesce($5::jsonb, persistent_volume_claim)
    where org_id = $1 and id = $2`,
};

export async function keepPod(
  tx: Tx,
  id: string,
  metadata: unknown,
  spec: unknown,
  volumeClaim: unknown,
): Promise<void> {
  const json = (value: unknown) => (value == null ? null : JSON.stringify(value));
  await tx.prepared(KEEP_POD, [tx.orgId, id, json(metadata), json(spec), json(volumeClaim)]);
}

const NEWEST_OF_POD = {
  name: 'action-newest-of-pod',
  text: `
    select id from actions where org_id = $1 and (pod_uid = $2 or pod_id = $3)
    order by created_at desc, id desc limit 1`,
};

/** @param rowId the same id when it is a UUID */
export async function newestActionOfPod(tx: Tx, id: string, rowId: string | null): Promise<string | undefined> {
  const [row] = await tx.prepared<{ id: string }>(NEWEST_OF_POD, [tx.orgId, id, rowId]);
  return row?.id;
}

export interface ActionRow {
  action_id: string;
  type: ActionType;
  status: ActionStatus;
  error: string | null;
  details: unknown;
  reason: string;
  node_name: string;
  workload_kind: string | null;
  pod_metadata: unknown;
  pod_spec: unknown;
  action_timestamp: Date;
  checkpoint_id: string;
  checkpoint_ids: string[];
  checkpoint_name: string | null;
  checkpoint_completed_timestamp: Date | null;
  checkpoint_info: unknown;
  restore_path: string | null;
  gpu: string;
  platform: string;
  delta: boolean | null;
  parent_checkpoint_id: string | null;
}

const PARENT_IF_KEPT = `(select p.id from checkpoints p where p.org_id = c.org_id and p.id = c.parent_checkpoint_id)`;

const ACTION_COLUMNS = `
  a.id as action_id, a.type, a.status, a.error, a.details, a.reason, a.node_name, a.workload_kind, a.created_at as action_timestamp,
  a.checkpoint_id, coalesce(c.name, a.checkpoint_name) as checkpoint_name, c.restore_path, coalesce(c.gpu, '') as gpu,
  coalesce(nullif(c.platform, ''), a.platform) as platform, c.delta, ${PARENT_IF_KEPT} as parent_checkpoint_id,
  (select max(uploaded_at) from checkpoints own where own.org_id = a.org_id and own.action_id = a.id) as checkpoint_completed_timestamp`;
const ACTION_JOIN = 'from actions a left join checkpoints c on c.org_id = a.org_id and c.id = a.checkpoint_id';

const LIST_ACTIONS = `
  select ${ACTION_COLUMNS} ${ACTION_JOIN}
  where a.org_id = $1 and ($2::text is null or a.type = $2) order by a.created_at desc, a.id desc limit $3 offset $4`;
const GET_ACTION = `
  select ${ACTION_COLUMNS}, a.pod_metadata, a.pod_spec, c.info as checkpoint_info,
    array(select own.id from checkpoints own where own.org_id = a.org_id and own.action_id = a.id order by own.created_at, own.id)::text[] as checkpoint_ids
  ${ACTION_JOIN} where a.org_id = $1 and a.id = $2`;

export const listActions = (tx: Tx, type: string | undefined, { limit, offset }: Slice): Promise<ActionRow[]> =>
  tx.query<ActionRow & QueryResultRow>(LIST_ACTIONS, [tx.orgId, type ?? null, limit + 1, offset]);

export async function getAction(tx: Tx, id: string): Promise<ActionRow | undefined> {
  const [row] = await tx.query<ActionRow & QueryResultRow>(GET_ACTION, [tx.orgId, id]);
  return row;
}

// ---- checkpoints

const OWNER = { name: 'checkpoint-owner', text: 'select action_id from checkpoints where org_id = $1 and id = $2' };

/** The action of a checkpoint, null when it stands alone; undefined when there is no such checkpoint. */
export async function ownerOf(tx: Tx, id: string): Promise<string | null | undefined> {
  const [row] = await tx.prepared<{ action_id: string | null }>(OWNER, [tx.orgId, id]);
  return row && row.action_id;
}

export interface CheckpointRow {
  id: string;
  status: CheckpointStatus;
  failed: boolean;
  claimed: boolean;
  cluster_id: string | null;
  name: string | null;
  gpu: string;
  platform: string;
  info: unknown;
  created_at: Date;
}

const ROW = 'id, status, error is not null as failed, claimed, cluster_id, name, gpu, platform, info, created_at';
const FIND = {
  name: 'checkpoint-find',
  text: `select ${ROW} from checkpoints where org_id = $1 and id = $2 for update`,
};
const UNFINISHED = {
  name: 'checkpoints-unfinished',
  text: `
    select ${ROW} from checkpoints
    where org_id = $1 and action_id = $2 and status in ('initializing', 'updated_info', 'possibly_uploaded') order by id for update`,
};

/** Locked, so that what is decided on its status holds. */
export async function lockCheckpoint(tx: Tx, id: string): Promise<CheckpointRow | undefined> {
  const [row] = await tx.prepared<CheckpointRow & QueryResultRow>(FIND, [tx.orgId, id]);
  return row;
}

export const lockUnfinished = (tx: Tx, actionId: string): Promise<CheckpointRow[]> =>
  tx.prepared<CheckpointRow & QueryResultRow>(UNFINISHED, [tx.orgId, actionId]);

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

const LIST = `
  select c.id, c.status, c.gpu, c.platform, c.delta, c.checksum, c.info, c.name, ${PARENT_IF_KEPT} as parent_checkpoint_id, c.action_id,
    c.container_name, a.pod_name, a.namespace, c.cluster_id, c.created_at
  from checkpoints c left join actions a on a.org_id = c.org_id and a.id = c.action_id
  where c.org_id = $1 and ($2::uuid[] is null or c.id = any($2)) order by c.created_at desc, c.id desc limit $3 offset $4`;

export const listCheckpoints = <R extends object>(
  tx: Tx,
  ids: string[] | undefined,
  { limit, offset }: Slice,
): Promise<R[]> => tx.query<R & QueryResultRow>(LIST, [tx.orgId, ids ?? null, limit + 1, offset]);

const PATH = {
  name: 'checkpoint-path',
  text: `
    select restore_path from checkpoints
    where org_id = $1 and name = $2 and status = 'ready' and restore_path is not null order by uploaded_at desc, id desc limit 1`,
};

export async function restorePath(tx: Tx, name: string): Promise<string | undefined> {
  const [row] = await tx.prepared<{ restore_path: string }>(PATH, [tx.orgId, name]);
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

// An upload whose report is lost is no failure: the artefact may well be there.
const PRESUME_UPLOADED = {
  name: 'checkpoints-presume-uploaded',
  text: `
    update checkpoints c set status = 'possibly_uploaded' from actions a
    where a.org_id = c.org_id and a.id = c.action_id and c.status = 'updated_info' and a.ended_at < clock_timestamp() - interval '10 minutes'`,
};

/** Over all organisations: only for the service's own transactions. */
export async function presumeUploaded(tx: Tx): Promise<void> {
  await tx.prepared(PRESUME_UPLOADED, []);
}
