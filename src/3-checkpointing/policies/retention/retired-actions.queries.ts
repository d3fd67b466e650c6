import type { QueryResultRow } from 'pg';
import { auditEntryOf } from '../../../1-platform/audit/audit-entry.queries';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { OPEN as OPEN_ACTION } from '../../checkpoints/actions/actions.queries';
import { SILENT_AFTER } from '../../checkpoints/actions/silent-restores.queries';

/*
 * A policy with `keep_last` keeps the newest ready checkpoints of each workload. A workload is the row of a
 * pod or the number of a Slurm job, as in the keys by which a beat requests each workload once. What counts
 * is an action of the policy: it has one checkpoint of each container. They are in the order of their beats,
 * whose times are the database's.
 *
 * An action retires when so many newer ones can be restored as a whole, and each of them has every container
 * that it has. So one that failed, is missing or lacks a container never costs an older one, and the only one
 * of a workload stays. The ready checkpoints of an action that retires are deprecated.
 *
 * Nothing retires in an organisation that has a delta, whatever became of it: what it builds on need not be
 * known, may have failed, or may belong to another workload.
 */

/**
 * The actions `a` of the policy `$policy_id` that did not retire. The index `actions_kept_idx` has these, and
 * no others, with all that is read of them.
 */
export const KEPT = `
  a.org_id = $org_id and a.policy_id = $policy_id::uuid and a.status in ('ready', 'error')
  and a.retired_at is null`;

/** An organisation keeps all that its policies made while this does not hold. */
export const HAS_NO_DELTA = `
  not exists (
    select from checkpoints d where d.org_id = $org_id and (d.delta or d.parent_checkpoint_id is not null)
  )`;

/**
 * What an action `a` has: the containers that can be restored, and those of them whose path is known.
 * Containers without a name are counted.
 */
const TAKEN = `
  lateral (
    select coalesce(bool_and(status = 'ready'), false) as is_whole,
      coalesce(array_agg(part order by part) filter (where status = 'ready'), '{}')
        || coalesce(array_agg('at ' || part order by part)
          filter (where status = 'ready' and restore_path is not null), '{}') as parts
    from (
      select status, restore_path, coalesce(
        '=' || container_name, '#' || row_number() over (partition by container_name, status)
      ) as part
      from checkpoints c where c.org_id = $org_id and c.action_id = a.id
    ) c
    having count(*) > 0
  ) taken`;

/**
 * The newest actions `a` of the workload `w` in the order of their index, which is that of their beats: one
 * of the two columns of a workload is always null.
 */
const newest = (columns: string, condition: string, limit: string): string => {
  const walk = (workload: string, isNull: string) => `
    (
      select ${columns}
      where ${KEPT} and a.${workload} = w.${workload} and a.${isNull} is null and ${condition}
      order by a.${isNull} desc, a.beat_at desc limit ${limit}
    )`;
  return `(${walk('pod_id', 'slurm_job_id')} union all ${walk('slurm_job_id', 'pod_id')})`;
};

/** Of the workloads `w`: the newest actions that are whole, as many as the policy keeps. */
const KEEPERS = `
  workloads as materialized (
    select w.*, policy.keep_last from policies policy, unnest(
      $pod_ids::uuid[], $slurm_job_ids::bigint[], $befores::timestamptz[]
    ) with ordinality as w (pod_id, slurm_job_id, before, place)
    where policy.org_id = $org_id and policy.id = $policy_id::uuid and policy.keep_last is not null
      and ${HAS_NO_DELTA}
  ), keepers as materialized (
    select w.place, found.beat_at, found.parts from workloads w, lateral ${newest(
      `a.beat_at, taken.parts from actions a, ${TAKEN}`,
      "a.status = 'ready' and taken.is_whole",
      'w.keep_last',
    )} found
  ), cuts as materialized (
    select w.place, min(keepers.beat_at) as at from workloads w join keepers using (place)
    group by w.place, w.keep_last having count(*) = w.keep_last
  )`;

/**
 * Which of the actions in `candidates` newer ones make superfluous. What the newest whole ones do not have is
 * looked for behind them.
 */
const SUPERFLUOUS = `
  limits as materialized (
    select w.place, sought.parts, case
      when w.keep_last = (select count(*) from keepers k where k.place = w.place and k.parts @> sought.parts)
      then cuts.at
      else (
        select beat_at from ${newest(
          `a.beat_at from actions a, ${TAKEN}`,
          `a.status = 'ready' and a.beat_at > sought.oldest
            and taken.is_whole and taken.parts @> sought.parts`,
          'w.keep_last',
        )} behind
        order by beat_at desc offset w.keep_last - 1 limit 1
      ) end as at
    from (select place, parts, min(beat_at) as oldest from candidates group by place, parts) sought
      join workloads w using (place) join cuts using (place)
  ), superfluous as materialized (
    select c.id from candidates c join limits using (place, parts) where c.beat_at < limits.at
  )`;

// A plan for tables as they were when they were small would read all of them for each workload.
const FIND = statement(
  'policy-find-superfluous',
  `
    with ${KEEPERS}, candidates as materialized (
      select w.place, found.* from workloads w join cuts using (place), lateral ${newest(
        `a.id, a.beat_at, taken.parts from actions a, ${TAKEN}`,
        'a.beat_at < least(cuts.at, w.before)',
        '$limit::int',
      )} found
    ), ${SUPERFLUOUS}
    select place::int, id, beat_at::text as beat, id in (select id from superfluous) as superfluous
    from candidates order by place, beat_at desc`,
  { planned_each_time: true },
);

/*
 * Whoever reports on an action, asks for its restore or takes a delta of its checkpoint holds one of these
 * rows. Then it is left for the next time: nobody waits, so nobody waits for another in a circle.
 */
const HOLD = statement(
  'policy-hold-superfluous',
  `
    select a.id as action_id, c.id as checkpoint_id, c.restore_path as place
    from actions a join checkpoints c on c.org_id = a.org_id and c.action_id = a.id
    where a.org_id = $org_id and a.id = any($ids::uuid[])
    for no key update of a, c skip locked`,
  { planned_each_time: true },
);

/** No restore takes so long. */
const RESTORE_OVER_AFTER = "interval '7 days'";

/** As of a deprecation that somebody requests. */
const ENTRIES = `(
  select $org_id::uuid as audit_org_id, gen_random_uuid() as audit_id,
    $policy_id::uuid::text as audit_actor_id, 'policy' as audit_actor_role,
    'deprecate_checkpoint' as audit_action, 'checkpoint' as audit_resource_type,
    id::text as audit_resource_id, '' as audit_request_id,
    json_build_object('from', 'ready', 'to', 'deprecated') as audit_details
  from deprecated
) entries`;

/**
 * A restored pod that lacks a checkpoint of its own of some container of the action of `c`: when the
 * container is restarted, its agent restores this one again.
 */
const RETURNS_TO_IT = `
  exists (
    select from operation_facts f join pods p on p.org_id = f.org_id and p.uid = f.pod_uid and not p.deleted
    where f.org_id = $org_id and f.checkpoint_id = c.id
      and f.op_type = 'restore' and f.result = 'succeeded' and f.pod_uid <> ''
      and p.phase not in ('Succeeded', 'Failed') and exists (
        select from checkpoints k
        where k.org_id = $org_id and k.action_id = c.action_id and k.status = 'ready' and not exists (
          select from actions own join checkpoints o on o.org_id = own.org_id and o.action_id = own.id
          where own.org_id = $org_id and own.pod_uid = f.pod_uid and own.id <> c.action_id
            and own.retired_at is null and o.status = 'ready' and o.restore_path is not null
            and o.container_name is not distinct from k.container_name
        )
      )
  )`;

// This one and the next see what was committed until the rows were held.
const STILL_SUPERFLUOUS = statement(
  'policy-still-superfluous',
  `
    with ${KEEPERS}, candidates as materialized (
      select w.place, a.id, a.beat_at, taken.parts
      from workloads w join cuts using (place), actions a, ${TAKEN}
      where ${KEPT} and a.id = any($held::uuid[]) and a.beat_at < cuts.at
        and (a.pod_id = w.pod_id or a.pod_id is null and a.slurm_job_id = w.slurm_job_id)
    ), ${SUPERFLUOUS}
    select id from superfluous`,
  { planned_each_time: true },
);

/*
 * What an action is needed for keeps all of it: a restore that is open, a restored pod that would return to
 * it, a place that somebody else uses, or an upload that has not ended.
 */
const RETIRE = statement(
  'policy-retire-actions',
  `
    with read_places as materialized (
      select members ->> 'restore_path' as place from restores
      where org_id = $org_id and status = 'started'
        and created_at > statement_timestamp() - ${RESTORE_OVER_AFTER}
        and updated_at > statement_timestamp() - ${SILENT_AFTER}
    ), unused as materialized (
      select s.id from unnest($ids::uuid[]) s (id)
      where not exists (
        select from checkpoints c
        where c.org_id = $org_id and c.action_id = s.id and (
          not (c.id = any($held_checkpoints::uuid[])) or c.status not in ('ready', 'deprecated')
            or c.restore_path = any($used::text[]) or c.restore_path in (select place from read_places)
            or exists (
              select from actions o
              where o.org_id = $org_id and o.checkpoint_id = c.id and o.type = 'restore_pod'
                and o.${OPEN_ACTION}
            )
            or exists (
              select from restores o
              where o.org_id = $org_id and o.checkpoint_id = c.id and o.status = 'started'
                and o.updated_at > clock_timestamp() - ${SILENT_AFTER}
            )
            or ${RETURNS_TO_IT}
        )
      )
    ), retired as (
      update actions a set retired_at = clock_timestamp()
      where a.org_id = $org_id and a.id in (select id from unused)
      returning a.id
    ), deprecated as (
      update checkpoints c set status = 'deprecated'
      where c.org_id = $org_id and c.action_id in (select id from retired) and c.status = 'ready'
      returning c.id
    ), audited as (${auditEntryOf(ENTRIES, '')})
    select count(*) as checkpoints from deprecated`,
  { planned_each_time: true },
);

/** A workload of a policy: one of the two is null. */
export interface Workload {
  readonly pod_id: string | null;
  readonly slurm_job_id: number | null;
}

const KEPT_WORKLOAD = statement(
  'policy-kept-workload',
  `
    select a.pod_id, a.slurm_job_id from actions a
    where a.org_id = $org_id and a.id = $id and exists (
      select from policies policy
      where policy.org_id = $org_id and policy.id = a.policy_id and policy.keep_last is not null
    )`,
);

/** The workload of an action; undefined if its policy gives nothing up. */
export async function keptWorkload(tx: Tx, id: string): Promise<Workload | undefined> {
  const [row] = await tx.prepared<Workload & QueryResultRow>(KEPT_WORKLOAD, { org_id: tx.orgId, id });
  return row;
}

/** Where superfluous actions are looked for. */
export interface Sought {
  readonly policyId: string;
  readonly workloads: readonly (Workload & {
    /** Only those of earlier beats. */
    readonly before?: string | undefined;
  })[];
}

/** An action behind those that a policy keeps of a workload at least. */
export interface Candidate {
  /** Of its workload among those sought, from 1. */
  place: number;
  id: string;
  beat: string;
  superfluous: boolean;
}

/** A checkpoint of a superfluous action. Both are locked until the transaction ends. */
export interface Held {
  action_id: string;
  checkpoint_id: string;
  place: string | null;
}

const valuesOf = (tx: Tx, { policyId, workloads }: Sought) => ({
  org_id: tx.orgId,
  policy_id: policyId,
  pod_ids: workloads.map(({ pod_id: id }) => id),
  slurm_job_ids: workloads.map(({ slurm_job_id: id }) => id),
  befores: workloads.map(({ before }) => before ?? null),
});

/** @param limit of each workload, the newest ones */
export const findCandidates = (tx: Tx, sought: Sought, limit: number): Promise<Candidate[]> =>
  tx.prepared<Candidate & QueryResultRow>(FIND, { ...valuesOf(tx, sought), limit });

/** Locks actions with their checkpoints, unless somebody else has locked them. */
export const holdActions = (tx: Tx, ids: readonly string[]): Promise<Held[]> =>
  tx.prepared<Held & QueryResultRow>(HOLD, { org_id: tx.orgId, ids });

/**
 * Retires what is held and needed for nothing.
 * @param used places whose bytes somebody else needs
 * @returns the number of checkpoints that it deprecated
 */
export async function retireSuperfluous(
  tx: Tx,
  sought: Sought,
  held: readonly Held[],
  used: ReadonlySet<string>,
): Promise<number> {
  const superfluous = await tx.prepared<{ id: string }>(STILL_SUPERFLUOUS, {
    ...valuesOf(tx, sought),
    held: [...new Set(held.map(({ action_id: id }) => id))],
  });
  const [row] = await tx.prepared<{ checkpoints: number }>(RETIRE, {
    org_id: tx.orgId,
    policy_id: sought.policyId,
    ids: superfluous.map(({ id }) => id),
    held_checkpoints: held.map(({ checkpoint_id: id }) => id),
    used: [...used],
  });
  return row?.checkpoints ?? 0;
}
