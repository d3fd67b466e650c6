import type { QueryResultRow } from 'pg';
import { MAX_ROWS, type Slice } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PolicyResource, PolicyStatus, PolicyTrigger } from './policy.states';
import { MATCHING_JOBS, TARGET_JOBS, TARGET_POD_COUNT } from './beats/policy-targets.queries';
import { OF_POLICY } from './beats/policy-actions.queries';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { CLUSTER_STATUS } from '../../2-inventory/clusters/clusters.queries';
import { LISTED_PODS } from '../../2-inventory/pods/pod-counts.queries';
import { Policy } from './policy.entity';

/** A policy to create. */
export interface NewPolicy {
  readonly id: string;
  readonly clusterId: string;
  readonly name: string | null;
  readonly trigger: PolicyTrigger;
  readonly intervalSeconds: number | null;
  readonly maxCheckpoints: number | null;
  readonly keepLast: number | null;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly resource: PolicyResource;
  readonly namespace: string | null;
  readonly podIds: string[] | null;
  readonly slurmJobIds: number[] | null;
  readonly priority: number | null;
  readonly kind: string;
  readonly runcRoot: string | null;
}

/** A heartbeat is first due after its first interval, a window at its start. */
export const FIRST_AT = `
  coalesce($starts_at::timestamptz, clock_timestamp() + make_interval(secs => $interval_seconds::int))`;
/** Of a window: it is not over. */
export const NOT_OVER = '($ends_at::timestamptz is null or $ends_at > clock_timestamp())';

const INSERT = `
  insert into policies (
    org_id, id, cluster_id, name, status, trigger, interval_seconds, max_checkpoints, keep_last,
    starts_at, ends_at, resource, namespace, pod_ids, slurm_job_ids, priority, kind, runc_root, next_at
  )
  select $org_id, $id, $cluster_id, $name, 'active', $trigger, $interval_seconds::int, $max_checkpoints::int,
    $keep_last::int, $starts_at::timestamptz, $ends_at::timestamptz, $resource, $namespace, $pod_ids::uuid[],
    $slurm_job_ids::bigint[], $priority::int, $kind, $runc_root,
    ${FIRST_AT}
  where ${NOT_OVER}
  returning id`;

/** @returns false if its window is already over */
export async function insertPolicy(tx: Tx, policy: NewPolicy): Promise<boolean> {
  const rows = await tx.query(INSERT, {
    org_id: tx.orgId,
    id: policy.id,
    cluster_id: policy.clusterId,
    name: policy.name,
    trigger: policy.trigger,
    interval_seconds: policy.intervalSeconds,
    max_checkpoints: policy.maxCheckpoints,
    keep_last: policy.keepLast,
    starts_at: policy.startsAt,
    ends_at: policy.endsAt,
    resource: policy.resource,
    namespace: policy.namespace,
    pod_ids: policy.podIds,
    slurm_job_ids: policy.slurmJobIds,
    priority: policy.priority,
    kind: policy.kind,
    runc_root: policy.runcRoot,
  });
  return rows.length > 0;
}

/** Counts of the actions of a policy's last beat that requested any. */
export interface LastFiring {
  /** ISO 8601. */
  due_at: string;
  requested: number;
  ready: number;
  failed: number;
}

export interface PolicyRow {
  id: string;
  cluster_id: string;
  name: string | null;
  status: PolicyStatus;
  trigger: PolicyTrigger;
  interval_seconds: number | null;
  max_checkpoints: number | null;
  keep_last: number | null;
  starts_at: Date | null;
  ends_at: Date | null;
  resource: PolicyResource;
  namespace: string | null;
  pod_ids: string[] | null;
  slurm_job_ids: number[] | null;
  priority: number | null;
  kind: string;
  runc_root: string | null;
  next_at: Date | null;
  last_beat_at: Date | null;
  matched_at: Date | null;
  created_at: Date;
  cluster_name: string;
  cluster_status: 'active' | 'inactive';
  last_firing: LastFiring | null;
  /** Running pods that it acts on. */
  pod_count: number;
  /** Jobs that it acts on; null if its filter is not for jobs. */
  job_count: number | null;
  /** Row ids of the jobs that a job filter matches, a page of them. */
  matching_job_ids: string[];
}

/** The cluster of a row aliased `policy`, as one row. */
export const CLUSTER_OF_POLICY = `
  select name, ${CLUSTER_STATUS} as status from clusters
  where org_id = $org_id and id = policy.cluster_id`;

// The newest beat with an action is found in the index of either kind of workload.
const LAST_FIRING = `
  select json_build_object('due_at', to_char(a.beat_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'requested', count(*), 'ready', count(*) filter (where a.status = 'ready'),
    'failed', count(*) filter (where a.status = 'error'))
  from (
    select max(last.beat_at) as at from (
      (select beat_at ${OF_POLICY.pods} order by beat_at desc limit 1)
      union all (select beat_at ${OF_POLICY.slurmJobs} order by beat_at desc limit 1)
    ) last
  ) newest, lateral (
    select beat_at, status ${OF_POLICY.pods} and beat_at = newest.at
    union all select beat_at, status ${OF_POLICY.slurmJobs} and beat_at = newest.at
  ) a
  group by a.beat_at`;

// Several policies often have the same filter, for example with different intervals. Its targets are searched
// once.
const withTargets = (policies: string) => `
  with listed_pods as materialized (${LISTED_PODS}),
  policy as materialized (${policies}),
  filters as materialized (
    select cluster_id, resource, namespace, pod_ids, slurm_job_ids, priority, array_agg(id) as policy_ids
    from policy group by 1, 2, 3, 4, 5, 6
  ),
  targets as materialized (
    select policy.policy_ids,
      ${TARGET_POD_COUNT} as pod_count,
      case when policy.resource in ('jobs', 'slurm_jobs')
        then array(select target.id from (${MATCHING_JOBS}) target order by 1) end as job_ids
    from filters policy
  )
  select policy.*, cluster.name as cluster_name, cluster.status as cluster_status,
    (${LAST_FIRING}) as last_firing, targets.pod_count, cardinality(targets.job_ids) as job_count,
    coalesce(targets.job_ids[:${MAX_ROWS}], '{}') as matching_job_ids
  from policy join targets on policy.id = any(targets.policy_ids), lateral (${CLUSTER_OF_POLICY}) cluster`;

const GET = withTargets('select * from policies where org_id = $org_id and id = $id');

export async function getPolicy(tx: Tx, id: string): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<PolicyRow & QueryResultRow>(GET, { org_id: tx.orgId, id });
  return row;
}

/** The resource of a policy's filter; undefined if there is no such policy. */
export const resourceOfPolicy = async (tx: Tx, id: string): Promise<PolicyResource | undefined> =>
  (await tx.store(Policy).findOne({ id }, { select: { id: true, resource: true } }))?.resource;

/** Rows of the pods that a policy names, which may be gone; undefined if there is no such policy. */
export async function podsOfPolicy(tx: Tx, id: string): Promise<readonly string[] | undefined> {
  const policy = await tx.store(Policy).findOne({ id }, { select: { id: true, podIds: true } });
  return policy ? (policy.podIds ?? []) : undefined;
}

export interface PolicyFilter {
  readonly status?: string;
  readonly resource?: string;
  /** A part of the name; case does not matter. */
  readonly name?: string;
}

const FILTERED = `
  from policies
  where org_id = $org_id and ($status::text is null or status = $status
      or $status = 'active' and status = 'paused')
    and ($resource::text is null or resource = $resource) and ($name::text is null or name ilike $name)`;
// The page comes first, so that only the targets of its policies are searched.
const LIST = `
  ${withTargets(`select * ${FILTERED} order by created_at desc, id desc limit $limit offset $offset`)}
  order by policy.created_at desc, policy.id desc`;

const COUNT = `select count(*) as total ${FILTERED}`;

/** Newest first. */
export const listPolicies = (
  tx: Tx,
  { status, resource, name }: PolicyFilter,
  { limit, offset }: Slice,
): Promise<PolicyRow[]> =>
  tx.query<PolicyRow & QueryResultRow>(LIST, {
    org_id: tx.orgId,
    status: status ?? null,
    resource: resource ?? null,
    name: likeContaining(name),
    limit,
    offset,
  });

export async function countPolicies(tx: Tx, { status, resource, name }: PolicyFilter): Promise<number> {
  const values = {
    org_id: tx.orgId,
    status: status ?? null,
    resource: resource ?? null,
    name: likeContaining(name),
  };
  const [row] = await tx.query<{ total: number }>(COUNT, values);
  return row?.total ?? 0;
}

const LOCK = `
  select status, keep_last from policies where org_id = $org_id and id = $id for no key update`;

/** What somebody may change of a policy. */
export interface Changeable {
  status: PolicyStatus;
  keep_last: number | null;
}

/** Locks a policy until the transaction ends: whoever changes it waits, and so does its beat. */
export async function lockPolicy(tx: Tx, id: string): Promise<Changeable | undefined> {
  const [row] = await tx.query<Changeable & QueryResultRow>(LOCK, { org_id: tx.orgId, id });
  return row;
}

/*
 * A heartbeat that goes on is due at the next time of its grid: the beats of the pause are over. A window is
 * due as it was, and finds itself that it is over.
 */
const CHANGE = `
  update policies set
    keep_last = $keep_last::int,
    trim_after = case when $keep_last::int is null then null
      when $keep_last < coalesce(keep_last, $keep_last + 1) then '' else trim_after end,
    status = $status, retry_at = null,
    paused_at = case when $status = 'paused' then coalesce(paused_at, clock_timestamp()) end,
    next_at = case when status = 'paused' and $status = 'active' and trigger = 'heartbeat'
        and next_at <= clock_timestamp()
      then next_at + make_interval(secs => interval_seconds) * (
        1 + floor(extract(epoch from clock_timestamp() - next_at) / interval_seconds)::float8
      ) else next_at end
  where org_id = $org_id and id = $id`;

/** The policy is locked. */
export async function changePolicy(tx: Tx, id: string, { status, keep_last }: Changeable): Promise<void> {
  await tx.query(CHANGE, { org_id: tx.orgId, id, status, keep_last });
}

const KNOWN_PODS = `
  select id, uid from pods
  where org_id = $org_id and cluster_id = $cluster_id and not deleted
    and (id = any($ids::uuid[]) or uid = any($uids::text[]))`;

/** Pods of a cluster by the ids of their rows, or their uids. */
export const knownPods = (
  tx: Tx,
  clusterId: string,
  rowIds: readonly string[],
  uids: readonly string[],
): Promise<{ id: string; uid: string }[]> =>
  tx.query(KNOWN_PODS, { org_id: tx.orgId, cluster_id: clusterId, ids: rowIds, uids });

const MATCHED = `
  with listed_pods as materialized (${LISTED_PODS})
  select policy.id,
    ${TARGET_POD_COUNT} as pods,
    (select count(*) from (${TARGET_JOBS}) target) as jobs
  from policies policy where policy.org_id = $org_id and policy.status = 'active'`;
const NOTE_MATCHED = `
  update policies set matched_at = clock_timestamp() where org_id = $org_id and id = any($ids::uuid[])`;

/**
 * Compares the filter of every active policy with what runs now. A beat waits only while the result is
 * stored.
 */
export async function matchAll(tx: Tx): Promise<{ pods: number; jobs: number }[]> {
  const matched = await tx.query<{ id: string; pods: number; jobs: number }>(MATCHED, { org_id: tx.orgId });
  await tx.query(NOTE_MATCHED, { org_id: tx.orgId, ids: matched.map(({ id }) => id) });
  return matched;
}
