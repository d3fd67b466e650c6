import type { QueryResultRow } from 'pg';
import { NIL } from 'uuid';
import { auditEntryOf } from '../../../1-platform/audit/audit-entry.queries';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { OPEN as OPEN_ACTION } from '../../checkpoints/actions/actions.queries';
import type { PolicyResource } from '../policy.states';

/*
 * A policy with `keep_last` keeps the newest ready checkpoints of each workload. A workload is the row of a
 * pod or the number of a Slurm job, as in the keys by which a beat requests each workload once. What counts
 * is an action of the policy: it has one checkpoint of each container. They are in the order of their beats,
 * whose times are the database's.
 *
 * An action retires when so many newer ones can be restored as a whole. So one that failed, or is missing,
 * never costs an older one, and the only one of a workload stays. Its ready checkpoints are then deprecated.
 */

/**
 * The actions `a` of a row `policy` that did not retire. The index `actions_kept_idx` has these, and no
 * others.
 */
export const KEPT = `
  a.org_id = $org_id and a.policy_id = policy.id and a.status in ('ready', 'error') and a.retired_at is null`;

/** Whether all that an action `a` took can be restored. */
const WHOLE = `
  a.status = 'ready' and coalesce((
    select bool_and(c.status = 'ready') from checkpoints c where c.org_id = $org_id and c.action_id = a.id
  ), false)`;

/**
 * Of each workload, so many are looked at besides those that its policy keeps. One retires with each new one,
 * as a rule. More are due after what kept them has ended, or after the policy keeps fewer.
 */
const BEYOND = 20;

/** @param ofWorkload condition on an action `a` of the workload `w` */
const newest = (ofWorkload: string): string => `
  (
    select a.id, a.beat_at, ${WHOLE} as whole from actions a where ${KEPT} and ${ofWorkload}
    order by a.beat_at desc limit policy.keep_last + ${BEYOND}
  )`;

/**
 * The actions that newer ones of the policy `$policy_id` make superfluous, of the workloads of the actions
 * `$action_ids`.
 */
const SUPERFLUOUS = `
  superfluous as materialized (
    select counted.id from policies policy, (
      select distinct pod_id, slurm_job_id from actions
      where org_id = $org_id and id = any($action_ids::uuid[])
    ) w, lateral (
      select id, count(*) filter (where whole) over (
        order by beat_at desc rows between unbounded preceding and 1 preceding
      ) as newer
      from (
        ${newest('a.pod_id = w.pod_id')}
        union all
        ${newest('a.pod_id is null and a.slurm_job_id = w.slurm_job_id')}
      ) of_workload
    ) counted
    where policy.org_id = $org_id and policy.id = $policy_id::uuid and policy.keep_last is not null
      and counted.newer >= policy.keep_last
  )`;

/*
 * A plan for tables as they were when they were small would read all of them for each workload.
 *
 * Whoever reports on an action, asks for its restore or takes a delta of its checkpoint holds one of these
 * rows. Then it is left for the next time: nobody waits, so nobody waits for another in a circle.
 */
const HOLD = statement(
  'policy-hold-superfluous',
  `
    with ${SUPERFLUOUS}
    select a.id as action_id, c.id as checkpoint_id, c.restore_path as place
    from actions a join checkpoints c on c.org_id = a.org_id and c.action_id = a.id
    where a.org_id = $org_id and a.id in (select id from superfluous)
    for no key update of a, c skip locked`,
  { planned_each_time: true },
);

/** A restore without an action is open until its node has been silent for so long. */
const RESTORE_SILENT_AFTER = "interval '1 day'";

/** As of a deprecation that somebody requests. */
const ENTRIES = `(
  select $org_id::uuid as audit_org_id, gen_random_uuid() as audit_id,
    $policy_id::uuid::text as audit_actor_id, 'policy' as audit_actor_role,
    'deprecate_checkpoint' as audit_action, 'checkpoint' as audit_resource_type,
    id::text as audit_resource_id, '' as audit_request_id,
    json_build_object('from', 'ready', 'to', 'deprecated') as audit_details
  from deprecated
) entries`;

/** @param condition on a checkpoint `c` of the superfluous action `s` */
const noCheckpoint = (condition: string, joined = ''): string => `
  not exists (
    select from checkpoints c ${joined} where c.org_id = $org_id and c.action_id = s.id and ${condition}
  )`;

/*
 * A statement of its own, which sees what was committed until the rows were held. What an action is needed
 * for keeps all of it: an open restore, a place that somebody else uses, an upload that has not ended, or a
 * delta that stays and builds on it, directly or through others.
 */
const RETIRE = statement(
  'policy-retire-superfluous',
  `
    with recursive ${SUPERFLUOUS}, going as materialized (
      select s.id from superfluous s
      where s.id = any($held::uuid[])
        and ${noCheckpoint('not (c.id = any($held_checkpoints::uuid[]))')}
        and ${noCheckpoint("c.status not in ('ready', 'deprecated')")}
        and ${noCheckpoint('c.restore_path = any($used::text[])')}
        and ${noCheckpoint(
          `o.type = 'restore_pod' and o.${OPEN_ACTION}`,
          'join actions o on o.org_id = c.org_id and o.checkpoint_id = c.id',
        )}
        and ${noCheckpoint(
          `o.status = 'started' and o.updated_at > clock_timestamp() - ${RESTORE_SILENT_AFTER}`,
          'join restores o on o.org_id = c.org_id and o.checkpoint_id = c.id',
        )}
    ), built_on (action_id, id) as (
      select c.action_id, c.id from checkpoints c
      where c.org_id = $org_id and c.action_id in (select id from going)
      union
      select b.action_id, delta.id from built_on b join checkpoints delta
        on delta.org_id = $org_id and delta.parent_checkpoint_id = b.id
    ), retired as (
      update actions a set retired_at = clock_timestamp()
      where a.org_id = $org_id and a.id in (select id from going) and a.id not in (
        select b.action_id from built_on b join checkpoints c on c.org_id = $org_id and c.id = b.id
        where c.status <> 'deprecated'
          and (c.action_id is null or c.action_id not in (select id from going))
      )
      returning a.id
    ), deprecated as (
      update checkpoints c set status = 'deprecated'
      where c.org_id = $org_id and c.action_id in (select id from retired) and c.status = 'ready'
      returning c.id
    ), audited as (${auditEntryOf(ENTRIES, '')})
    select (select count(*) from retired) as actions, (select count(*) from deprecated) as checkpoints`,
  { planned_each_time: true },
);

const KEEPS = statement(
  'policy-keeps',
  'select from policies where org_id = $org_id and id = $id and keep_last is not null',
);

/** Whether a policy gives anything up. */
export const keepsSome = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.prepared(KEEPS, { org_id: tx.orgId, id })).length > 0;

/** Of which workloads superfluous actions are looked for. */
export interface Sought {
  readonly policyId: string;
  /** An action of each of these workloads. */
  readonly actionIds: readonly string[];
}

/** A checkpoint of a superfluous action. Both are locked until the transaction ends. */
export interface Held {
  action_id: string;
  checkpoint_id: string;
  place: string | null;
}

const valuesOf = (tx: Tx, { policyId, actionIds }: Sought) => ({
  org_id: tx.orgId,
  policy_id: policyId,
  action_ids: actionIds,
});

/** Finds superfluous actions, and locks them with their checkpoints. */
export const holdSuperfluous = (tx: Tx, sought: Sought): Promise<Held[]> =>
  tx.prepared<Held & QueryResultRow>(HOLD, valuesOf(tx, sought));

export interface Retired {
  readonly actions: number;
  readonly checkpoints: number;
}

/** @param used places whose bytes somebody else needs */
export async function retireSuperfluous(
  tx: Tx,
  sought: Sought,
  held: readonly Held[],
  used: ReadonlySet<string>,
): Promise<Retired> {
  const [row] = await tx.prepared<Retired & QueryResultRow>(RETIRE, {
    ...valuesOf(tx, sought),
    held: [...new Set(held.map(({ action_id: id }) => id))],
    held_checkpoints: held.map(({ checkpoint_id: id }) => id),
    used: [...used],
  });
  return row ?? { actions: 0, checkpoints: 0 };
}

/** A policy that keeps fewer than before, while it has not looked at all its workloads since. */
export interface TrimmedPolicy {
  org_id: string;
  id: string;
}

const TRIMMED = statement(
  'policies-trimmed',
  `
    select org_id, id from policies
    where trim_after is not null and (org_id, id) > ($after_org_id::uuid, $after_id::uuid)
    order by org_id, id limit $limit`,
);

/** A page of them, over all organisations: only for the service's own transactions. */
export const trimmedPolicies = (tx: Tx, limit: number, behind?: TrimmedPolicy): Promise<TrimmedPolicy[]> =>
  tx.prepared<TrimmedPolicy & QueryResultRow>(TRIMMED, {
    limit,
    after_org_id: behind?.org_id ?? NIL,
    after_id: behind?.id ?? NIL,
  });

/** How far a policy has come. */
export interface Trim {
  resource: PolicyResource;
  keep_last: number;
  /** Empty before the first workload. */
  trim_after: string;
}

const TRIM = statement(
  'policy-trim',
  `
    select resource, keep_last, trim_after from policies
    where org_id = $org_id and id = $id and trim_after is not null`,
);

export async function trimOf(tx: Tx, id: string): Promise<Trim | undefined> {
  const [row] = await tx.prepared<Trim & QueryResultRow>(TRIM, { org_id: tx.orgId, id });
  return row;
}

/*
 * The next workloads in the order of their ids, each by one look into `actions_kept_idx`: a workload may have
 * thousands of actions.
 */
const nextWorkloads = (name: string, type: 'uuid' | 'bigint', column: string, which: string) => {
  const first = (after: string) => `
    select a.${column} as workload, a.id as action_id from actions a, (select $policy_id::uuid as id) policy
    where ${KEPT} and ${which} and a.${column} > ${after}
    order by a.${column} limit 1`;
  return statement(
    `policy-next-${name}`,
    `
      with recursive next (workload, action_id, place) as (
        select first.*, 1 from (${first(`$after::${type}`)}) first
        union all
        select behind.*, next.place + 1 from next, lateral (${first('next.workload')}) behind
        where next.place < $limit::int
      )
      select workload::text as workload, action_id from next order by place`,
  );
};
const NEXT_PODS = nextWorkloads('pods', 'uuid', 'pod_id', 'true');
const NEXT_SLURM_JOBS = nextWorkloads('slurm-jobs', 'bigint', 'slurm_job_id', 'a.pod_id is null');

export interface NextWorkload {
  workload: string;
  /** One of its actions. */
  action_id: string;
}

/** The workloads of a policy behind those that it has looked at. */
export const workloadsToTrim = (
  tx: Tx,
  policyId: string,
  { resource, trim_after: after }: Trim,
  limit: number,
): Promise<NextWorkload[]> => {
  const [next, first] = resource === 'slurm_jobs' ? [NEXT_SLURM_JOBS, '-1'] : [NEXT_PODS, NIL];
  const values = { org_id: tx.orgId, policy_id: policyId, after: after === '' ? first : after, limit };
  return tx.prepared<NextWorkload & QueryResultRow>(next, values);
};

// Whoever changes the number meanwhile begins anew, and so does not find the walk as it was.
const TRIMMED_TO = statement(
  'policy-trimmed-to',
  `
    update policies set trim_after = $to
    where org_id = $org_id and id = $id and trim_after = $from and keep_last = $keep_last`,
);

/** @param to null: it has looked at all workloads */
export async function noteTrimmed(tx: Tx, id: string, from: Trim, to: string | null): Promise<void> {
  const values = { org_id: tx.orgId, id, from: from.trim_after, keep_last: from.keep_last, to };
  await tx.prepared(TRIMMED_TO, values);
}
