import type { QueryResultRow } from 'pg';
import { newId } from '../../1-platform/common/ids';
import { statement, type Statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { appendEvents } from '../../1-platform/outbox/outbox';
import { POD_WORKLOADS } from '../../2-inventory/pods/pods.queries';
import { SLURM_WORKLOADS } from '../../2-inventory/slurm/jobs/slurm-jobs.queries';
import type { ActionType } from './actions/action.states';
import type { WorkloadType } from './checkpoint.states';
import { ACTION_EVENTS } from './checkpoints.events';

/** The checkpoint to request. */
export interface CheckpointAsk {
  readonly type: Exclude<ActionType, 'restore_pod'>;
  readonly reason: string;
  readonly kind: string;
  /** Whether the workload continues after the dump. */
  readonly leaveRunning: boolean;
  /** Of a pod: all running containers, unless `containers` names some. Default: those of its annotation. */
  readonly coversAll?: boolean;
  /** Names of the containers to checkpoint; missing: those that a request for the pod covers. */
  readonly containers?: readonly string[];
  /** Skip workloads whose last checkpoint action is open. Such requests are serialised. */
  readonly unlessOpen?: boolean;
  /** The request as received. */
  readonly details: object;
  /** By the clock of the service. */
  readonly createdAt: Date;
  /** The time in which a node has to report. */
  readonly answerWithinSeconds: number;
  /** Missing if no policy makes the request. */
  readonly policy?: { readonly id: string; readonly beatAt: Date };
}

/** A created action with its first checkpoint. */
export interface RequestedCheckpoint {
  readonly id: string;
  readonly checkpoint_id: string;
  readonly cluster_id: string;
  readonly checkpoint_name: string | null;
  readonly platform: WorkloadType;
  readonly leave_running: boolean;
  readonly containers: string[] | null;
  readonly pod_uid: string;
  readonly slurm_job_id: number | null;
}

/** Whether the newest checkpoint action of a workload is open. @param sameWorkload condition on it, `last` */
export const lastIsOpen = (sameWorkload: string): string => `coalesce((
  select last.status in ('initialized', 'processing', 'checkpoint_created') from actions last
  where last.org_id = $org_id and last.type <> 'restore_pod' and ${sameWorkload}
  order by last.created_at desc, last.id desc limit 1), false)`;

/** Requests checkpoints of workloads of one kind. */
export type WorkloadSource = Statement;

/**
 * @param relation the workloads, with the columns that an action stores; `workload` is the key
 * @param containers expression for the containers that a request without names covers; null if unknown.
 *   `$covers_all` says whether all running ones are covered, whatever the pod's annotation names
 * @param sameWorkload condition on an action `last` of the same workload
 */
const source = (
  name: string,
  relation: string,
  keyType: 'uuid' | 'bigint',
  containers: string,
  sameWorkload: string,
): WorkloadSource =>
  statement(
    `actions-ask-${name}`,
    `
      insert into actions (
        org_id, id, cluster_id, type, status, reason, kind, platform, checkpoint_id, pod_id, pod_uid,
        pod_name, namespace, node_name, node_region, instance_type, capacity_type, node_gpu, slurm_job_id,
        workload_kind, checkpoint_name, policy_id, beat_at, details, pod_metadata, pod_spec, created_at,
        answer_by, leave_running, containers
      )
      select $org_id, asked.id, w.cluster_id, $type, 'initialized', $reason, $kind, w.platform,
        asked.checkpoint_id, w.pod_id, w.pod_uid, w.name, w.namespace, w.node_name, w.node_region,
        w.instance_type, w.capacity_type, w.node_gpu, w.slurm_job_id, w.workload_kind, w.checkpoint_name,
        $policy_id, $beat_at, $details, w.pod_metadata, w.pod_spec, $created_at,
        clock_timestamp() + make_interval(secs => $answer_within_seconds), $leave_running,
        covered.containers
      from json_to_recordset($workloads::json) as asked(workload ${keyType}, id uuid, checkpoint_id uuid)
      join (${relation}) w using (workload)
      -- Not part of what it is used in, so it is found once for each workload.
      cross join lateral (
        select coalesce($containers::text[], ${containers}) as containers offset 0
      ) covered
      where coalesce(cardinality(covered.containers) > 0, true)
        and not ($unless_open and ${lastIsOpen(sameWorkload)})
      on conflict do nothing
      returning id, checkpoint_id, cluster_id, checkpoint_name, platform, leave_running, containers, pod_uid,
        slurm_job_id`,
    // A beat makes actions by the thousand: a plan for fewer would read all of them for each workload.
    { planned_each_time: true },
  );

/** Pods, by the id of their row. */
export const PODS = source(
  'pods',
  POD_WORKLOADS,
  'uuid',
  'case when $covers_all::boolean then w.running_containers else w.containers end',
  'last.pod_uid = w.pod_uid and last.pod_id = w.pod_id',
);
/** Slurm jobs, by the id of their row. */
export const SLURM_JOBS = source(
  'slurm-jobs',
  SLURM_WORKLOADS,
  'bigint',
  'null::text[]',
  'last.slurm_job_id = w.slurm_job_id and last.cluster_id = w.cluster_id',
);

const FIRST_CHECKPOINTS = statement(
  'checkpoints-first',
  `
    insert into checkpoints (
      org_id, id, cluster_id, action_id, name, workload_type, status, claimed, gpu, platform,
      delta, created_at
    )
    select $org_id, asked.checkpoint_id, asked.cluster_id, asked.id, asked.checkpoint_name, asked.platform,
      'initializing', false, '', '', false, $created_at
    from json_to_recordset($actions::json)
      as asked(id uuid, checkpoint_id uuid, cluster_id uuid, checkpoint_name text, platform text)`,
);

/** Workloads per statement: an action stores the pod's specification, which has some kilobytes. */
const WORKLOADS_A_STATEMENT = 500;

/**
 * Requests a checkpoint of each workload: creates an action, its first checkpoint, and the event for the
 * controller. Workloads that no longer run are skipped, and so are those that this beat of the policy has
 * already requested.
 */
export async function requestCheckpoints(
  tx: Tx,
  from: WorkloadSource,
  workloads: readonly (string | number)[],
  ask: CheckpointAsk,
): Promise<RequestedCheckpoint[]> {
  const made: RequestedCheckpoint[] = [];
  for (let start = 0; start < workloads.length; start += WORKLOADS_A_STATEMENT)
    made.push(...(await request(tx, from, workloads.slice(start, start + WORKLOADS_A_STATEMENT), ask)));
  return made;
}

async function request(
  tx: Tx,
  from: WorkloadSource,
  workloads: readonly (string | number)[],
  ask: CheckpointAsk,
): Promise<RequestedCheckpoint[]> {
  const asked = workloads.map((workload) => ({ workload, id: newId(), checkpoint_id: newId() }));
  const made = await tx.prepared<RequestedCheckpoint & QueryResultRow>(from, {
    org_id: tx.orgId,
    workloads: JSON.stringify(asked),
    type: ask.type,
    reason: ask.reason,
    kind: ask.kind,
    policy_id: ask.policy?.id ?? null,
    beat_at: ask.policy?.beatAt ?? null,
    details: JSON.stringify(ask.details),
    created_at: ask.createdAt,
    answer_within_seconds: ask.answerWithinSeconds,
    leave_running: ask.leaveRunning,
    covers_all: ask.coversAll ?? false,
    containers: ask.containers ?? null,
    unless_open: ask.unlessOpen ?? false,
  });
  if (made.length === 0) return made;
  await tx.prepared(FIRST_CHECKPOINTS, {
    org_id: tx.orgId,
    actions: JSON.stringify(made),
    created_at: ask.createdAt,
  });
  await appendEvents(
    tx,
    made.map((action) => ({
      type: ACTION_EVENTS[action.platform].checkpointRequested,
      aggregateId: action.id,
      clusterId: action.cluster_id,
      payload: {
        action_id: action.id,
        checkpoint_id: action.checkpoint_id,
        cluster_id: action.cluster_id,
        leave_running: action.leave_running,
        ...(action.containers === null ? {} : { containers: action.containers }),
        ...(action.platform === 'slurm' ? { job_id: action.slurm_job_id } : { pod_uid: action.pod_uid }),
      },
    })),
  );
  return made;
}
