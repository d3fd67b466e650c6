import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../../1-platform/old-rows/old-rows.queries';
import { NIL } from 'uuid';
import type { Page, Slice } from '../../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../../1-platform/database/rows/bounded-page';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { Action } from './action.entity';
import type { ActionStatus, ActionType, CheckpointProgress, Containers } from './action.states';

/**
 * An action that this transaction has locked: reports on it and on its checkpoints are processed one by one.
 */
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
  policy_id: string | null;
  containers: string[] | null;
  created_at: Date;
  ended_at: Date | null;
  /** No report arrived in time. If it was not in error before, it is for that reason. */
  given_up: boolean;
}

export const LOCKED = `
  id, type, status, cluster_id, checkpoint_id, checkpoint_name, kind, reason, pod_uid, pod_name, namespace,
  node_name, platform, policy_id, containers, created_at, ended_at, given_up_at is not null as given_up`;
export const OPEN = "status in ('initialized', 'processing', 'checkpoint_created')";
const LOCK = statement(
  'action-lock',
  `select ${LOCKED} from actions where org_id = $org_id and id = $id for no key update`,
);
const LOCK_UNANSWERED = statement(
  'actions-lock-unanswered',
  `
    select ${LOCKED} from actions
    where org_id = $org_id and id = any($ids::uuid[]) and ${OPEN} and answer_by < clock_timestamp()
    order by id for no key update skip locked`,
);

export async function lockAction(tx: Tx, id: string): Promise<LockedAction | undefined> {
  const [row] = await tx.prepared<LockedAction & QueryResultRow>(LOCK, { org_id: tx.orgId, id });
  return row;
}

/** Actions in error by one of their checkpoints: nodes may go on with the others. */
export const PARTLY_FAILED = "status = 'error' and given_up_at is null and type <> 'restore_pod'";
const REPORTED = statement(
  'action-reported',
  `
    update actions set answer_by = clock_timestamp() + make_interval(secs => $within_seconds)
    where org_id = $org_id and id = $id and (${OPEN} or ${PARTLY_FAILED})`,
);

/**
 * After a report on an action that goes on, or may go on in part, its node has the full time again for the
 * next one. The action is locked.
 */
export async function noteActionReport(tx: Tx, id: string, withinSeconds: number): Promise<void> {
  await tx.prepared(REPORTED, { org_id: tx.orgId, id, within_seconds: withinSeconds });
}

/** Leaves out actions that got a report meanwhile, and those that another transaction has locked. */
export const lockUnanswered = (tx: Tx, ids: readonly string[]): Promise<LockedAction[]> =>
  tx.prepared<LockedAction & QueryResultRow>(LOCK_UNANSWERED, { org_id: tx.orgId, ids });

/** An action past its deadline, with the columns that order all of them. */
export interface UnansweredAction {
  org_id: string;
  id: string;
  answer_by: Date;
}

// The time of the statement: `clock_timestamp()` changes during the statement, so no index can use it.
const UNANSWERED = statement(
  'actions-unanswered',
  `
    select org_id, id, answer_by from actions
    where ${OPEN} and answer_by < statement_timestamp()
      and answer_by >= $after and (answer_by, org_id, id) > ($after, $after_org_id, $after_id)
    order by answer_by, org_id, id limit $limit`,
);

/** The position before all actions. */
const NO_ACTION = { org_id: NIL, id: NIL, answer_by: '-infinity' };

/** The values of a page of actions in the order of their deadlines, after `last`. */
export function pageBehind(limit: number, last: UnansweredAction | undefined): Record<string, unknown> {
  const { answer_by, org_id, id } = last ?? NO_ACTION;
  return { limit, after: answer_by, after_org_id: org_id, after_id: id };
}

/** The actions after `last`, of all organisations: only for the service's own transactions. */
export const unansweredActions = (tx: Tx, limit: number, last?: UnansweredAction): Promise<UnansweredAction[]> =>
  tx.prepared<UnansweredAction & QueryResultRow>(UNANSWERED, pageBehind(limit, last));

const PROGRESS = statement(
  'action-progress',
  `
    select status, error is not null as failed, claimed, container_name as container
    from checkpoints where org_id = $org_id and action_id = $action_id`,
);

export const progressOf = (tx: Tx, actionId: string): Promise<CheckpointProgress[]> =>
  tx.prepared<CheckpointProgress & QueryResultRow>(PROGRESS, { org_id: tx.orgId, action_id: actionId });

const SET_STATUS = statement(
  'action-status',
  `
    update actions set
      status = $status, error = coalesce(error, $error),
      ended_at = coalesce(ended_at, case when $ended then clock_timestamp() end)
    where org_id = $org_id and id = any($ids::uuid[])`,
);

/** The actions are locked. @param ended they are over, or their node reports that they are */
export async function setActionStatus(
  tx: Tx,
  ids: readonly string[],
  status: ActionStatus,
  error: string | null,
  ended: boolean,
): Promise<void> {
  await tx.prepared(SET_STATUS, { org_id: tx.orgId, ids, status, error, ended });
}

const GIVE_UP = statement(
  'actions-give-up',
  `
    update actions set
      status = 'error', error = coalesce(error, $error),
      ended_at = coalesce(ended_at, clock_timestamp()), given_up_at = clock_timestamp()
    where org_id = $org_id and id = any($ids::uuid[])`,
);

/** The actions are locked, and no report on them arrived in time. */
export async function giveUpActions(tx: Tx, ids: readonly string[], error: string): Promise<void> {
  await tx.prepared(GIVE_UP, { org_id: tx.orgId, ids, error });
}

const END_RESTORE = statement(
  'action-end-restore',
  `
    update actions set status = $status, error = $error, ended_at = clock_timestamp(), given_up_at = null
    where org_id = $org_id and id = $id and type = 'restore_pod'`,
);

/** How a restore ended, even if it had been given up, or had ended differently. It is locked. */
export async function endRestore(tx: Tx, id: string, status: ActionStatus, error: string | null): Promise<void> {
  await tx.prepared(END_RESTORE, { org_id: tx.orgId, id, status, error });
}

const REOPEN = statement(
  'action-reopen',
  `
    update actions set
      status = 'processing', ended_at = null,
      answer_by = clock_timestamp() + make_interval(secs => $within_seconds)
    where org_id = $org_id and id = $id and status = 'ready'`,
);

export async function reopenAction(tx: Tx, id: string, answerWithinSeconds: number): Promise<void> {
  await tx.prepared(REOPEN, { org_id: tx.orgId, id, within_seconds: answerWithinSeconds });
}

const KEEP_POD = statement(
  'action-keep-pod',
  `
    update actions set
      pod_metadata = coalesce($metadata::json, pod_metadata), pod_spec = coalesce($spec::json, pod_spec),
      persistent_volume_claim = coalesce($volume_claim::json, persistent_volume_claim),
      containers = coalesce(containers, $containers)
    where org_id = $org_id and id = $id`,
);

/** @param containers those of the specification, for an action whose containers were unknown */
export async function keepPod(
  tx: Tx,
  id: string,
  metadata: unknown,
  spec: unknown,
  volumeClaim: unknown,
  containers: Containers,
): Promise<void> {
  const json = (value: unknown) => (value == null ? null : JSON.stringify(value));
  await tx.prepared(KEEP_POD, {
    org_id: tx.orgId,
    id,
    metadata: json(metadata),
    spec: json(spec),
    volume_claim: json(volumeClaim),
    containers,
  });
}

/** Each id has an index of its own. With both in one condition, all actions would be read. */
const newestOf = (id: string): string => `
  (
    select created_at, id from actions
    where org_id = $org_id and ${id} order by created_at desc, id desc limit 1
  )`;
const NEWEST_OF_POD = statement(
  'action-newest-of-pod',
  `
    select id from (
      ${newestOf('pod_uid = $pod_uid')} union all ${newestOf('pod_id = $pod_id')}
    ) newest
    order by created_at desc, id desc limit 1`,
);

/** @param rowId the same id when it is a UUID */
export async function newestActionOfPod(tx: Tx, id: string, rowId: string | null): Promise<string | undefined> {
  const [row] = await tx.prepared<{ id: string }>(NEWEST_OF_POD, { org_id: tx.orgId, pod_uid: id, pod_id: rowId });
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
  leave_running: boolean | null;
  containers: string[] | null;
  pod_metadata: unknown;
  pod_spec: unknown;
  action_timestamp: Date;
  ended_at: Date | null;
  pod_name: string;
  namespace: string;
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

/** The parent of a checkpoint aliased `c`; null if it is gone. */
export const PARENT_IF_KEPT = `(
  select p.id from checkpoints p where p.org_id = c.org_id and p.id = c.parent_checkpoint_id
)`;

const ACTION_COLUMNS = `
  a.id as action_id, a.type, a.status, a.error, a.details, a.reason, a.node_name, a.workload_kind,
  a.containers,
  case when a.type <> 'restore_pod' then a.leave_running end as leave_running,
  a.created_at as action_timestamp, a.ended_at, a.pod_name, a.namespace, a.checkpoint_id,
  coalesce(c.name, a.checkpoint_name) as checkpoint_name, c.restore_path, coalesce(c.gpu, '') as gpu,
  case when a.platform = 'slurm' then a.platform
    else coalesce(nullif(c.platform, ''), a.platform) end as platform,
  c.delta, ${PARENT_IF_KEPT} as parent_checkpoint_id,
  (
    select max(uploaded_at) from checkpoints own where own.org_id = a.org_id and own.action_id = a.id
  ) as checkpoint_completed_timestamp`;
const FIRST_CHECKPOINT = 'left join checkpoints c on c.org_id = a.org_id and c.id = a.checkpoint_id';

const PAGE = {
  as: 'a',
  bytes: 'octet_length(a.details::text)',
  order: 'a.created_at desc, a.id desc',
  columns: ACTION_COLUMNS,
  joins: FIRST_CHECKPOINT,
};
const SOUGHT = `
      and ($id::uuid is null or id = $id)
      and ($type::text is null or type = $type)
      and ($policy_id::uuid is null or policy_id = $policy_id)
      and ($cluster_id::uuid is null or cluster_id = $cluster_id)
      and ($behind_at::timestamptz is null or (created_at, id) < ($behind_at, $behind_id::uuid))`;
// Every action has such a time: the index of their order serves only statements that compare it.
const LIST_ACTIONS = boundedPage({
  ...PAGE,
  found: `
    select * from actions
    where org_id = $org_id and created_at >= '-infinity' ${SOUGHT}
    order by created_at desc, id desc limit $limit offset $offset`,
});
// They are few, and have an index. Their order has one too: in that, PostgreSQL would read all actions that
// are over, which is why they are sorted behind a fence (offset 0).
const LIST_OPEN = boundedPage({
  ...PAGE,
  found: `
    select a.* from (
      select id, created_at from actions where org_id = $org_id and ${OPEN} ${SOUGHT} offset 0
    ) o join actions a on a.org_id = $org_id and a.id = o.id
    order by o.created_at desc, o.id desc limit $limit offset $offset`,
});
const GET_ACTION = `
  select ${ACTION_COLUMNS}, a.pod_metadata, a.pod_spec, c.info as checkpoint_info,
    array(
      select own.id from checkpoints own where own.org_id = a.org_id and own.action_id = a.id
      order by own.created_at, own.id
    )::text[] as checkpoint_ids
  from actions a ${FIRST_CHECKPOINT} where a.org_id = $org_id and a.id = $id`;

export interface ActionFilter {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly policyId?: string;
  readonly clusterId?: string | undefined;
  /** Only those that are not over. */
  readonly isOpen?: boolean;
}

/** Where a page begins: behind an action in the order of the list. */
export interface Behind {
  readonly id: string;
  readonly createdAt: Date;
}

/** @returns undefined if there is no such action */
export const beginningOf = async (tx: Tx, id: string): Promise<Behind | undefined> =>
  (await tx.store(Action).findOne({ id }, { select: { id: true, createdAt: true } })) ?? undefined;

export function listActions(
  tx: Tx,
  { id, type, policyId, clusterId, isOpen = false }: ActionFilter,
  slice: Slice,
  behind?: Behind,
): Promise<Page<ActionRow>> {
  const values = {
    org_id: tx.orgId,
    id: id ?? null,
    type: type ?? null,
    policy_id: policyId ?? null,
    cluster_id: clusterId ?? null,
    behind_at: behind?.createdAt ?? null,
    behind_id: behind?.id ?? null,
    ...rowsOf(slice),
  };
  return readPage(tx, isOpen ? LIST_OPEN : LIST_ACTIONS, values, slice);
}

/** Counts of the actions that a policy requested. */
export interface PolicyActions {
  asked: number;
  ready: number;
  failed: number;
  last_asked_at: Date | null;
}

// With those that retention has removed. Both parts on `actions` read an index alone.
const OF_POLICY = `
  select coalesce(sum(asked), 0)::bigint as asked, coalesce(sum(ready), 0)::bigint as ready,
    coalesce(sum(failed), 0)::bigint as failed, max(last_asked_at) as last_asked_at
  from (
    select count(*) as asked, count(*) filter (where status = 'ready') as ready,
      count(*) filter (where status = 'error') as failed, null::timestamptz as last_asked_at
    from actions where org_id = $org_id and policy_id = $policy_id
    union all
    (
      select 0, 0, 0, created_at from actions where org_id = $org_id and policy_id = $policy_id
      order by created_at desc, id desc limit 1
    )
    union all
    select asked, ready, failed, last_asked_at from past_actions
    where org_id = $org_id and policy_id = $policy_id
  ) counted`;

export async function countActionsOfPolicy(tx: Tx, policyId: string): Promise<PolicyActions> {
  const [row] = await tx.query<PolicyActions & QueryResultRow>(OF_POLICY, { org_id: tx.orgId, policy_id: policyId });
  return row ?? { asked: 0, ready: 0, failed: 0, last_asked_at: null };
}

export async function getAction(tx: Tx, id: string): Promise<ActionRow | undefined> {
  const [row] = await tx.query<ActionRow & QueryResultRow>(GET_ACTION, { org_id: tx.orgId, id });
  return row;
}

/*
 * Actions that ended, with their checkpoints. Those of a checkpoint that can be restored stay. So do those of
 * a workload that was checkpointed since: its savings may be computed again, from all of its actions. What a
 * policy has requested stays counted.
 */
export const OLD_ACTIONS: AgingRows = {
  table: 'actions',
  at: 'created_at',
  key: { id: 'uuid' },
  unneeded: `not (r.${OPEN}) and coalesce(r.ended_at, r.created_at) < $before
            and not exists (
              select from checkpoints c
              where c.org_id = $org_id and c.action_id = r.id and c.status = 'ready'
            )
            and case
              when r.slurm_job_id is null then not exists (
                select from actions n
                where n.org_id = $org_id and n.pod_uid = r.pod_uid and n.slurm_job_id is null
                  and n.created_at >= $before and n.type <> 'restore_pod'
              )
              else not exists (
                select from actions n
                where n.org_id = $org_id and n.slurm_job_id = r.slurm_job_id and n.created_at >= $before
                  and n.cluster_id = r.cluster_id and n.type <> 'restore_pod'
              )
            end`,
  counted: `
          insert into past_actions as p (org_id, policy_id, asked, ready, failed, last_asked_at)
          select $org_id, policy_id, count(*), count(*) filter (where status = 'ready'),
            count(*) filter (where status = 'error'), max(created_at)
          from gone where policy_id is not null group by policy_id order by policy_id
          on conflict (org_id, policy_id) do update set asked = p.asked + excluded.asked,
            ready = p.ready + excluded.ready, failed = p.failed + excluded.failed,
            last_asked_at = greatest(p.last_asked_at, excluded.last_asked_at)`,
};
