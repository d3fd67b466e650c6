import type { QueryResultRow } from 'pg';
import { MAX_ROWS } from '../../../1-platform/common/answers/paging';
import type { Values } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import {
  listJobsOf,
  listPodsOf,
  TARGET_PODS,
  TARGET_SLURM_JOBS,
  targetsOf,
  type TargetJob,
  type TargetPod,
} from '../beats/policy-targets.queries';
import { CLUSTER_OF_POLICY, FIRST_AT, NOT_OVER } from '../policies.queries';
import type { PipelineColumns } from '../policies.service';
import { HAS_NO_DELTA, KEPT } from '../retention/retired-actions.queries';

/** A policy that is not stored, with the columns of its filter. */
const UNSTORED = `(
  select $cluster_id::uuid as cluster_id, $resource::text as resource, $namespace::text as namespace,
    $pod_ids::uuid[] as pod_ids, $slurm_job_ids::bigint[] as slurm_job_ids, $priority::int as priority
)`;

/** Pods and jobs in a preview; their numbers count all of them. */
export const SHOWN = 20;

const valuesOf = (tx: Tx, policy: PipelineColumns): Values => ({
  org_id: tx.orgId,
  cluster_id: policy.clusterId,
  resource: policy.resource,
  namespace: policy.namespace,
  pod_ids: policy.podIds,
  slurm_job_ids: policy.slurmJobIds,
  priority: policy.priority,
  interval_seconds: policy.intervalSeconds,
  starts_at: policy.startsAt,
  ends_at: policy.endsAt,
  limit: SHOWN,
  offset: 0,
});

export interface Matches<T> {
  readonly rows: T[];
  readonly total: number;
}

const PODS = listPodsOf(UNSTORED);
const JOBS = listJobsOf(UNSTORED);

export const matchingPods = (tx: Tx, policy: PipelineColumns): Promise<Matches<TargetPod>> =>
  matches<TargetPod>(tx, PODS, policy);
export const matchingJobs = (tx: Tx, policy: PipelineColumns): Promise<Matches<TargetJob>> =>
  matches<TargetJob>(tx, JOBS, policy);

async function matches<T>(tx: Tx, text: string, policy: PipelineColumns): Promise<Matches<T>> {
  const found = await tx.query<T & { total: number }>(text, valuesOf(tx, policy));
  return { rows: found.map(({ total: _total, ...row }) => row as unknown as T), total: found[0]?.total ?? 0 };
}

const FIRST = `
  select ${FIRST_AT} as first_at, ${NOT_OVER} as possible, now() as now,
    cluster.name as cluster_name, cluster.status as cluster_status, kind as cluster_kind,
    (select count(*) ${targetsOf(UNSTORED, TARGET_SLURM_JOBS)}) as running_slurm_jobs
  from (select $cluster_id::uuid as cluster_id) policy, lateral (${CLUSTER_OF_POLICY}) cluster,
    lateral (select kind from clusters where org_id = $org_id and id = policy.cluster_id) of_kind`;

export interface Circumstances {
  /** When the policy would be due first. */
  first_at: Date;
  /** False if its window is over. */
  possible: boolean;
  now: Date;
  cluster_name: string;
  cluster_status: 'active' | 'inactive';
  cluster_kind: 'kubernetes' | 'slurm';
  /** Of the jobs that the filter names. */
  running_slurm_jobs: number;
}

/** @returns undefined if the cluster is gone */
export const circumstancesOf = async (tx: Tx, policy: PipelineColumns): Promise<Circumstances | undefined> =>
  (await tx.query<Circumstances & QueryResultRow>(FIRST, valuesOf(tx, policy)))[0];

/** Actions of a policy that are looked at when its checkpoints are counted. */
export const COUNTED = 1_000_000;
const GOING = `
  select count(*) as going from (
    select id, count(*) filter (where status = 'ready') over (
      partition by pod_id, slurm_job_id order by beat_at desc rows between unbounded preceding and 1 preceding
    ) as newer
    from (
      select a.id, a.status, a.pod_id, a.slurm_job_id, a.beat_at from actions a where ${KEPT} limit ${COUNTED}
    ) kept
  ) placed join checkpoints c on c.org_id = $org_id and c.action_id = placed.id and c.status = 'ready'
  where placed.newer >= $keep_last::int and ${HAS_NO_DELTA}`;

/** How many checkpoints a policy has, at most, behind the newest actions of each workload. */
export async function goingOf(tx: Tx, policyId: string, keepLast: number): Promise<number> {
  const values = { org_id: tx.orgId, policy_id: policyId, keep_last: keepLast };
  const [row] = await tx.query<{ going: number }>(GOING, values);
  return row?.going ?? 0;
}

const NODES = `
  select count(distinct p.node_name) as nodes
  from (select target.id ${targetsOf(UNSTORED, TARGET_PODS)}) matching
  join pods p on p.org_id = $org_id and p.id = matching.id`;

/** The number of nodes on which matching pods run. */
export async function nodesOf(tx: Tx, policy: PipelineColumns): Promise<number> {
  const [row] = await tx.query<{ nodes: number }>(NODES, valuesOf(tx, policy));
  return row?.nodes ?? 0;
}

// A beat skips a workload while its last checkpoint is open: so this is how long a request stays open.
const took = (targets: string, same: string) => `
  select target.name, (
    select extract(epoch from a.ended_at - a.created_at) from actions a
    where a.org_id = $org_id and ${same} and a.type <> 'restore_pod' and a.status = 'ready'
    order by a.created_at desc limit 1
  )::float8 as seconds
  ${targetsOf(UNSTORED, targets)}`;

const SLOW = `
  select name, seconds, count(*) over () as total from (
    (${took(TARGET_PODS, 'a.pod_uid = target.uid')} limit ${MAX_ROWS})
    union all
    (${took(TARGET_SLURM_JOBS, 'a.slurm_job_id = target.job_id and a.cluster_id = target.cluster_id')}
      limit ${MAX_ROWS})
  ) took
  where seconds > $interval_seconds::int order by seconds desc limit 1`;

export interface SlowWorkload {
  name: string;
  seconds: number;
  /** Number of such workloads. */
  total: number;
}

/** The matching workload whose last checkpoint took longest, if that was longer than the interval. */
export const slowestWorkload = async (tx: Tx, policy: PipelineColumns): Promise<SlowWorkload | undefined> =>
  (await tx.query<SlowWorkload & QueryResultRow>(SLOW, valuesOf(tx, policy)))[0];
