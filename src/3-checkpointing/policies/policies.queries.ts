import type { QueryResultRow } from 'pg';
import { MAX_ROWS, type Slice } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { PolicyResource, PolicyStatus, PolicyTrigger } from './policy.states';
import { TARGET_JOBS, TARGET_PODS } from './beats/policy-targets.queries';

/** What a policy is made of: its columns, but for those that change. */
export interface NewPolicy {
  readonly id: string;
  readonly clusterId: string;
  readonly name: string | null;
  readonly trigger: PolicyTrigger;
  readonly intervalSeconds: number | null;
  readonly maxCheckpoints: number | null;
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

// A heartbeat is due for the first time when its first interval is over, a window when it starts.
const INSERT = `
  insert into policies (org_id, id, cluster_id, name, status, trigger, interval_seconds, max_checkpoints, starts_at, ends_at, resource, namespace,
    pod_ids, slurm_job_ids, priority, kind, runc_root, next_at)
  select $1, $2, $3, $4, 'active', $5, $6::int, $7::int, $8::timestamptz, $9::timestamptz, $10, $11, $12::uuid[], $13::bigint[], $14::int, $15, $16,
    coalesce($8::timestamptz, clock_timestamp() + make_interval(secs => $6::int))
  where $9::timestamptz is null or $9 > clock_timestamp()
  returning id`;

/** @returns false when its window is over already */
export async function insertPolicy(tx: Tx, policy: NewPolicy): Promise<boolean> {
  const rows = await tx.query(INSERT, [
    tx.orgId,
    policy.id,
    policy.clusterId,
    policy.name,
    policy.trigger,
    policy.intervalSeconds,
    policy.maxCheckpoints,
    policy.startsAt,
    policy.endsAt,
    policy.resource,
    policy.namespace,
    policy.podIds,
    policy.slurmJobIds,
    policy.priority,
    policy.kind,
    policy.runcRoot,
  ]);
  return rows.length > 0;
}

export async function deletePolicy(tx: Tx, id: string): Promise<boolean> {
  return (await tx.query('delete from policies where org_id = $1 and id = $2 returning id', [tx.orgId, id])).length > 0;
}

export interface PolicyRow {
  id: string;
  cluster_id: string;
  name: string | null;
  status: PolicyStatus;
  trigger: PolicyTrigger;
  interval_seconds: number | null;
  max_checkpoints: number | null;
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
  /** Running pods it acts on. */
  pod_count: number;
  /** Jobs it acts on; null where the filter is not of jobs. */
  job_count: number | null;
  /** Row ids of the jobs that a job filter matches, a page of them. */
  matching_job_ids: string[];
}

// Jobs are matched once, however they are shown: the inner select is not taken apart.
const withTargets = (policies: string) => `
  select found.*, cardinality(found.job_ids) as job_count, coalesce(found.job_ids[:${MAX_ROWS}], '{}') as matching_job_ids
  from (
    select policy.*, (select count(*) from (${TARGET_PODS}) target) as pod_count,
      case when policy.resource in ('jobs', 'slurm_jobs') then array(select target.id from (${TARGET_JOBS}) target order by 1) end as job_ids
    from ${policies} policy offset 0
  ) found`;

const GET = withTargets('(select * from policies where org_id = $1 and id = $2)');

export async function getPolicy(tx: Tx, id: string): Promise<PolicyRow | undefined> {
  const [row] = await tx.query<PolicyRow & QueryResultRow>(GET, [tx.orgId, id]);
  return row;
}

const RESOURCE = 'select resource from policies where org_id = $1 and id = $2';

/** What the filter of a policy is of; undefined when there is no such policy. */
export async function resourceOfPolicy(tx: Tx, id: string): Promise<PolicyResource | undefined> {
  const [row] = await tx.query<{ resource: PolicyResource }>(RESOURCE, [tx.orgId, id]);
  return row?.resource;
}

export interface PolicyFilter {
  readonly status?: string;
  readonly resource?: string;
}

const FILTERED =
  'from policies where org_id = $1 and ($2::text is null or status = $2) and ($3::text is null or resource = $3)';
// The page first: what its policies act on is found for those alone.
const LIST = `
  ${withTargets(`(select * ${FILTERED} order by created_at desc, id desc limit $4 offset $5)`)}
  order by found.created_at desc, found.id desc`;

const COUNT = `select count(*) as total ${FILTERED}`;

/** Newest first. */
export const listPolicies = (
  tx: Tx,
  { status, resource }: PolicyFilter,
  { limit, offset }: Slice,
): Promise<PolicyRow[]> =>
  tx.query<PolicyRow & QueryResultRow>(LIST, [tx.orgId, status ?? null, resource ?? null, limit, offset]);

export async function countPolicies(tx: Tx, { status, resource }: PolicyFilter): Promise<number> {
  const [row] = await tx.query<{ total: number }>(COUNT, [tx.orgId, status ?? null, resource ?? null]);
  return row?.total ?? 0;
}

const KNOWN_PODS = `
  select id, uid from pods where org_id = $1 and cluster_id = $2 and not deleted and (id = any($3::uuid[]) or uid = any($4::text[]))`;

/** Pods of a cluster by the ids of their rows, or their uids. */
export const knownPods = (
  tx: Tx,
  clusterId: string,
  rowIds: readonly string[],
  uids: readonly string[],
): Promise<{ id: string; uid: string }[]> => tx.query(KNOWN_PODS, [tx.orgId, clusterId, rowIds, uids]);

const MATCHED = `
  select policy.id, (select count(*) from (${TARGET_PODS}) target) as pods, (select count(*) from (${TARGET_JOBS}) target) as jobs
  from policies policy where policy.org_id = $1 and policy.status = 'active'`;
const NOTE_MATCHED = 'update policies set matched_at = clock_timestamp() where org_id = $1 and id = any($2::uuid[])';

/** Holds the filter of every active policy against what runs now. Beats wait for the note of it alone. */
export async function matchAll(tx: Tx): Promise<{ pods: number; jobs: number }[]> {
  const matched = await tx.query<{ id: string; pods: number; jobs: number }>(MATCHED, [tx.orgId]);
  await tx.query(NOTE_MATCHED, [tx.orgId, matched.map(({ id }) => id)]);
  return matched;
}
