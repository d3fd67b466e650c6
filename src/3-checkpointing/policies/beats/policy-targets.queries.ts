import type { QueryResultRow } from 'pg';
import { lastIsOpen } from '../../checkpoints/requested-checkpoints.queries';
import { SILENT_AFTER } from '../../../2-inventory/clusters/clusters.queries';
import { MAX_ROWS } from '../../../1-platform/common/answers/paging';
import { statement, type Statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { JOB_PRIORITY, OPEN_JOB, UNFINISHED_JOB } from '../../../2-inventory/jobs/jobs.queries';
import type { PoliciesByRow } from '../../../2-inventory/kubernetes/monitoring.ports';
import { LIVE_POD, SILENT_POD } from '../../../2-inventory/pods/pods.queries';
import { LIVE_SLURM_JOB } from '../../../2-inventory/slurm/jobs/slurm-jobs.queries';

/*
 * The targets of a policy are found when they are needed, and never stored: pods come and go too fast. Each
 * relation belongs to one policy, a row aliased `policy` in the organisation `$org_id`. PostgreSQL skips the
 * branches for other filters than the policy's.
 */

/** @param open condition on the job */
const matchingJob = (open: string) => `
  policy.resource = 'jobs' and r.org_id = $org_id and r.cluster_id = policy.cluster_id and ${open}
    and (policy.namespace is null or r.namespace = policy.namespace)
    and (policy.priority is null or ${JOB_PRIORITY} = policy.priority)`;
const MATCHING_JOB = matchingJob(UNFINISHED_JOB);

/**
 * Conditions on the pods of a filter, by its kind.
 * @param state condition on the pod, and one on the job that owns it, of a job filter
 */
function podConditions(state: string, ofJob: string): Record<'namespace' | 'pods' | 'jobs', string> {
  const where = (condition: string) => `r.org_id = $org_id and ${condition} and ${state}`;
  return {
    namespace: where(`
      policy.resource = 'namespace' and r.cluster_id = policy.cluster_id and r.namespace = policy.namespace`),
    pods: where(`policy.resource = 'pods' and r.id = any(policy.pod_ids)`),
    jobs: where(`
      policy.resource = 'jobs' and r.cluster_id = policy.cluster_id
      and r.owner_uid in (select r.uid from jobs r where ${ofJob})`),
  };
}

const podsOf = (state: string, ofJob: string): string =>
  Object.values(podConditions(state, ofJob))
    .map(
      (condition) => `
    select r.id, r.name, r.namespace, r.phase as status, r.cluster_id, r.owner_uid, r.uid, r.created_at
    from pods r where ${condition}`,
    )
    .join(' union all ');

/** Running pods. */
export const TARGET_PODS = podsOf(LIVE_POD, MATCHING_JOB);

const { pods: NAMED_PODS, jobs: PODS_OF_JOBS } = podConditions(LIVE_POD, MATCHING_JOB);
/**
 * How many running pods a policy acts on. The statement has `LISTED_PODS` as `listed_pods`: those of a
 * namespace are not counted again.
 */
export const TARGET_POD_COUNT = `
  coalesce((
    select listed.rows from listed_pods listed
    where policy.resource = 'namespace' and listed.cluster_id = policy.cluster_id
      and listed.namespace = policy.namespace and listed.status = 'Running'
  ), 0)
  + (select count(*) from pods r where ${NAMED_PODS})
  + (select count(*) from pods r where ${PODS_OF_JOBS})`;

const slurmJobsWhere = (state: string) => `
  select r.id, r.job_id, r.name, r.cluster_id from slurm_jobs r
  where policy.resource = 'slurm_jobs' and r.org_id = $org_id and r.cluster_id = policy.cluster_id
    and r.job_id = any(policy.slurm_job_ids) and ${state}`;

/** Slurm jobs that run now, by the id of their row. */
export const TARGET_SLURM_JOBS = slurmJobsWhere(LIVE_SLURM_JOB);
const INT32_MAX = 2 ** 31 - 1;

const jobsWhere = (condition: string) => `
  select r.id, r.name, r.namespace, r.status, ${JOB_PRIORITY} as priority, r.cluster_id, r.uid
  from jobs r where ${condition}`;

const FILTERED_JOBS = jobsWhere(MATCHING_JOB);
/**
 * Jobs of Kubernetes that have not ended: those that a job filter matches, or those that own the pods of
 * another filter.
 */
const TARGET_KUBERNETES_JOBS = [
  FILTERED_JOBS,
  jobsWhere(`
    policy.resource in ('namespace', 'pods') and r.org_id = $org_id and r.cluster_id = policy.cluster_id
    and not r.deleted and r.uid in (select target.owner_uid from (${TARGET_PODS}) target)`),
].join(' union all ');

/** And Slurm's: jobs of the filter that wait or run and were reported recently. */
const withSlurmJobs = (jobs: string) => `
  select job.id::text as id, job.name, job.namespace, job.status, job.priority, job.cluster_id, job.uid
  from (${jobs}) job
  union all
  select r.job_id::text, r.name, coalesce(r.partition, ''), r.status,
    case when r.priority <= ${INT32_MAX} then r.priority::int end, r.cluster_id, null
  from slurm_jobs r
  where policy.resource = 'slurm_jobs' and r.org_id = $org_id and r.cluster_id = policy.cluster_id
    and r.job_id = any(policy.slurm_job_ids) and r.event_time is null
    and r.synced_at > clock_timestamp() - ${SILENT_AFTER}`;

/** Jobs that the policy acts on, or whose pods it acts on. */
export const TARGET_JOBS = withSlurmJobs(TARGET_KUBERNETES_JOBS);
/** Those that a filter of jobs matches, without what it takes to find the jobs of other filters. */
export const MATCHING_JOBS = withSlurmJobs(FILTERED_JOBS);

/** The policy `$policy_id`. */
const STORED = '(select * from policies where org_id = $org_id and id = $policy_id)';

/** @param policy a relation with the filter of one policy, stored or not */
export const targetsOf = (policy: string, targets: string) =>
  `from ${policy} policy, lateral (${targets}) target where true`;
const ofOne = (targets: string) => targetsOf(STORED, targets);

/**
 * Not requested in this beat: as `not in`, which looks each workload up in a table in memory. For
 * `not exists`, PostgreSQL expects few such actions, and compares each workload with all of them.
 * @param workload the column of actions that names it
 */
const notAskedYet = (id: string, workload: string) => `
  and ${id} not in (
    select asked.${workload} from actions asked
    where asked.org_id = $org_id and asked.policy_id = $policy_id and asked.beat_at = $beat_at
      and asked.${workload} is not null
  )`;
/** The owner of the pod that the action `a` was asked for: by its row `left_pod`, or as the action has it. */
const LEFT_OWNER = `
    left join lateral (
      select left_pod.owner_uid as uid, left_pod.owner_kind as kind where left_pod.owner_uid is not null
      union all
      (
        select owner.one ->> 'uid', owner.one ->> 'kind'
        from json_array_elements(case json_typeof(a.pod_metadata -> 'ownerReferences')
          when 'array' then a.pod_metadata -> 'ownerReferences' else '[]' end)
          with ordinality as owner(one, place)
        where left_pod.owner_uid is null and json_typeof(owner.one) = 'object'
        order by (owner.one -> 'controller')::text is distinct from 'true', owner.place limit 1
      )
    ) left_owner on true`;
/*
 * Whoever empties a node in a window restores its pods elsewhere, as new ones. Each goes on with a workload
 * on which the window has acted: if the window acted on the new pod too, it would be moved again and again,
 * and one node after the other be cordoned. So the pods are left out that restore a checkpoint of a
 * maintenance policy, requested since the window began: those that the reports of the restore name by uid or
 * name. A pod that its owner makes gets no name from them. Of a StatefulSet, it has the name of the one
 * before it; of another owner, it is each pod of that owner that was first seen after the move began, by the
 * database's clock. A controller that was away reports no more of a pod than that it is gone. So the owner is
 * also read from what the action knows of the pod (`LEFT_OWNER`). A move that failed without a new pod, while
 * the old one is still there, has moved nothing. If the old one was deleted, its owner may yet make the new
 * one.
 *
 * `not exists` joins the pods with all moves at once. With `not in`, PostgreSQL may expect more rows than fit
 * into its memory for a hash table, and then compares each pod with each move.
 */
const WITH_MOVES = `
  moves as materialized (
    select a.cluster_id, f.pod_uid, f.namespace, f.name, left_owner.uid as owner_uid,
      left_owner.kind as owner_kind, a.namespace as left_namespace, a.pod_name as left_name,
      case when left_owner.uid is not null and left_owner.kind is distinct from 'StatefulSet' then (
        select min(e.received_at) from restore_events e where e.org_id = $org_id and e.restore_id = r.id
      ) end as began_at,
      not (f.result = 'failed' and f.pod_uid = '' and left_pod.id is not null and not left_pod.deleted)
        as by_owner
    from restores r
    join operation_facts f on f.org_id = $org_id and f.operation_id = r.restore_uuid
    join checkpoints c on c.org_id = $org_id and c.id = r.checkpoint_id
    join actions a on a.org_id = $org_id and a.id = c.action_id
    left join pods left_pod on left_pod.org_id = $org_id and left_pod.id = a.pod_id
    ${LEFT_OWNER}
    -- The clocks of service and database may differ a little.
    where r.org_id = $org_id and r.created_at >= $beat_at::timestamptz - interval '1 minute'
      and a.cluster_id = (select policy.cluster_id from ${STORED} policy)
      and a.reason = 'maintenance' and (a.beat_at >= $beat_at or a.created_at >= $beat_at)
      and exists (select from candidates where candidates.moves)
  ), moved_names as materialized (
    select cluster_id, namespace, name from moves
    union
    select cluster_id, left_namespace, left_name from moves where by_owner and owner_kind = 'StatefulSet'
  ), moved_owners as materialized (
    select cluster_id, owner_uid, min(began_at) as began_at from moves
    where by_owner and began_at is not null
    group by cluster_id, owner_uid
  )`;
const NOT_MOVED = `
  not exists (select from moves m where m.cluster_id = c.cluster_id and m.pod_uid = c.uid and m.pod_uid <> '')
  and not exists (
    select from moved_names m
    where m.cluster_id = c.cluster_id and m.namespace = c.namespace and m.name = c.name
  ) and not exists (
    select from moved_owners m
    where m.cluster_id = c.cluster_id and m.owner_uid = c.owner_uid and c.created_at >= m.began_at
  )`;

/** @param last condition on an action `last` of the same workload */
const openColumn = (last: string) => `
  (policy.trigger = 'heartbeat' and ${lastIsOpen(last)}) as open`;
// A beat makes actions by the thousand: a plan for those before it would read all of them for each workload.
const BEAT_PODS = statement(
  'policy-beat-pods',
  `
    with candidates as materialized (
      select target.id, target.uid, target.cluster_id, target.namespace, target.name, target.owner_uid,
        target.created_at, policy.trigger = 'maintenance' as moves,
        ${openColumn('last.pod_uid = target.uid and last.pod_id = target.id')}
      ${ofOne(TARGET_PODS)} ${notAskedYet('target.id', 'pod_id')}
    ), ${WITH_MOVES}
    select target.id, target.open, all_candidates.count as candidates
    from (select count(*) as count from candidates) all_candidates
    left join (select c.id, c.open from candidates c where ${NOT_MOVED}) target on true`,
  { planned_each_time: true },
);
const BEAT_SLURM_JOBS = statement(
  'policy-beat-slurm-jobs',
  `
    select target.id,
      ${openColumn('last.slurm_job_id = target.job_id and last.cluster_id = target.cluster_id')}
    ${ofOne(TARGET_SLURM_JOBS)} ${notAskedYet('target.job_id', 'slurm_job_id')}`,
  { planned_each_time: true },
);

/** A policy at the time of one of its beats. */
interface ActingPolicy {
  readonly id: string;
  readonly beat_at: Date;
}

interface BeatTarget<Id> {
  /** Of its row. */
  readonly id: Id;
  /** A heartbeat skips it, because a checkpoint of it is open. */
  readonly open: boolean;
}

/** What a beat finds. */
interface BeatTargets<Id> {
  readonly targets: readonly BeatTarget<Id>[];
  /** How many pods it left alone because workloads were moved to them: each look compares them anew. */
  readonly moved: number;
}

interface BeatPod extends BeatTarget<string> {
  readonly candidates: number;
}

/**
 * Pods that a policy acts on now, without those that it has already requested in this beat, and without those
 * to which it has moved them.
 */
export async function targetPods(tx: Tx, { id: policyId, beat_at }: ActingPolicy): Promise<BeatTargets<string>> {
  const values = { org_id: tx.orgId, policy_id: policyId, beat_at };
  const rows = await tx.prepared<(BeatPod | { id: null; candidates: number }) & QueryResultRow>(BEAT_PODS, values);
  const targets = rows.filter((row): row is BeatPod => row.id !== null);
  return { targets, moved: (rows[0]?.candidates ?? 0) - targets.length };
}

/** The same of Slurm jobs. */
export async function targetSlurmJobs(tx: Tx, { id: policyId, beat_at }: ActingPolicy): Promise<BeatTargets<number>> {
  const values = { org_id: tx.orgId, policy_id: policyId, beat_at };
  return { targets: await tx.prepared<BeatTarget<number> & QueryResultRow>(BEAT_SLURM_JOBS, values), moved: 0 };
}

const SILENT = statement(
  'policy-silent',
  `
    select exists (select ${ofOne(podsOf(SILENT_POD, matchingJob(OPEN_JOB)))})
      or exists (select ${ofOne(slurmJobsWhere("r.status = 'RUNNING'"))}) as silent`,
);

/**
 * Whether a target of a policy ran at its last report, but that report is too old. For policies without
 * current targets.
 */
export async function hasSilentTargets(tx: Tx, policyId: string): Promise<boolean> {
  const [row] = await tx.prepared<{ silent: boolean }>(SILENT, { org_id: tx.orgId, policy_id: policyId });
  return row?.silent === true;
}

export interface TargetPod {
  id: string;
  name: string;
  namespace: string;
  status: string;
}

/** Pods that the policy of a relation acts on, in order. */
export const listPodsOf = (policy: string): string => `
  select target.id, target.name, target.namespace, target.status, count(*) over () as total
  ${targetsOf(policy, TARGET_PODS)}
  order by target.namespace, target.name, target.id limit $limit offset $offset`;
const LIST_PODS = listPodsOf(STORED);

export async function listTargetPods(tx: Tx, policyId: string, limit: number, offset = 0): Promise<TargetPod[]> {
  const values = { org_id: tx.orgId, policy_id: policyId, limit, offset };
  const rows = await tx.query<TargetPod & { total: number }>(LIST_PODS, values);
  return rows.map(({ total: _total, ...pod }) => pod);
}

export interface TargetJob {
  id: string;
  name: string;
  namespace: string;
  status: string;
  priority: number | null;
  pod_count: number;
}

/** Jobs that the policy of a relation acts on, in order. */
export const listJobsOf = (policy: string): string => `
  select target.id, target.name, target.namespace, target.status, target.priority,
    (
      select count(*) from pods r
      where r.org_id = $org_id and r.cluster_id = target.cluster_id and r.owner_uid = target.uid
        and ${LIVE_POD}
    ) as pod_count,
    count(*) over () as total
  ${targetsOf(policy, TARGET_JOBS)}
  order by target.namespace, target.name, target.id limit $limit`;
const LIST_JOBS = listJobsOf(STORED);

/** A page of them, and their total number. */
export async function listTargetJobs(tx: Tx, policyId: string): Promise<{ jobs: TargetJob[]; total: number }> {
  const values = { org_id: tx.orgId, policy_id: policyId, limit: MAX_ROWS };
  const rows = await tx.query<TargetJob & { total: number }>(LIST_JOBS, values);
  return { jobs: rows.map(({ total: _total, ...job }) => job), total: rows[0]?.total ?? 0 };
}

/**
 * Active policies by the rows of a page that they act on. The rows are found first and compared with each
 * policy: to find the targets of each would read all pods of its namespace. Prepared: every page asks, and to
 * plan it takes longer than to run it.
 * @param shown relations of the page, the first of them `shown`
 * @param targets relations of ids among the page's, for the policy `policy`
 */
const monitoring = (name: string, shown: string, targets: readonly string[]) =>
  statement(
    name,
    `
      with ${shown}
      select target.id, array_agg(policy.id::text order by policy.created_at, policy.id) as policies
      from policies policy, lateral (${targets.join(' union all ')}) target
      where policy.org_id = $org_id and policy.status = 'active' and policy.resource <> 'slurm_jobs'
      group by target.id`,
  );

const SHOWN_PODS = podConditions('true', MATCHING_JOB);
const OF_PODS = monitoring(
  'policies-of-pods',
  `
    shown as materialized (
      select r.org_id, r.id, r.cluster_id, r.namespace, r.owner_uid
      from pods r where r.org_id = $org_id and r.id = any($ids::uuid[]) and ${LIVE_POD}
    )`,
  [
    `select r.id from shown r where ${SHOWN_PODS.namespace}`,
    `select r.id from shown r where ${SHOWN_PODS.jobs}`,
    // By their key, which the arrays of the policy and of the page have in common.
    `select r.id from pods r where ${NAMED_PODS} and r.id = any($ids::uuid[])`,
  ],
);

// An owner is in the namespace of its pods, so one running pod of a job answers for all: `limit` keeps
// PostgreSQL from reading the others. The owners of pods that a policy names are kept in a table in memory:
// without `is true`, PostgreSQL may compare each of them with each job.
const OF_JOBS = monitoring(
  'policies-of-jobs',
  `
    shown as materialized (
      select r.org_id, r.id, r.cluster_id, r.uid, r.namespace, r.status, r.priority, r.deleted
      from jobs r where r.org_id = $org_id and r.id = any($ids::uuid[]) and not r.deleted
    ), with_pods as materialized (
      select job.id, job.cluster_id, job.namespace from shown job cross join lateral (
        select from pods r
        where r.org_id = $org_id and r.cluster_id = job.cluster_id and r.owner_uid = job.uid and ${LIVE_POD}
        limit 1
      ) pod
    )`,
  [
    `select r.id from shown r where ${MATCHING_JOB}`,
    `
      select job.id from with_pods job
      where policy.resource = 'namespace' and job.cluster_id = policy.cluster_id
        and job.namespace = policy.namespace`,
    `
      select job.id from shown job
      where policy.resource = 'pods' and job.cluster_id = policy.cluster_id
        and (job.uid in (select r.owner_uid from pods r where ${NAMED_PODS})) is true`,
  ],
);

/** Active policies by the pods, of these, that they act on. */
export const policiesOfPods = (tx: Tx, podIds: readonly string[]): Promise<PoliciesByRow> => byRow(tx, OF_PODS, podIds);
/** Active policies by the jobs, of these, that they act on. */
export const policiesOfJobs = (tx: Tx, jobIds: readonly string[]): Promise<PoliciesByRow> => byRow(tx, OF_JOBS, jobIds);

async function byRow(tx: Tx, policies: Statement, ids: readonly string[]): Promise<PoliciesByRow> {
  const rows = await tx.prepared<{ id: string; policies: string[] }>(policies, { org_id: tx.orgId, ids });
  return new Map(rows.map(({ id, policies: its }) => [id, its]));
}
