import type { QueryResultRow } from 'pg';
import type { Slice } from '../../../1-platform/common/answers/paging';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { OF_POLICY } from '../beats/policy-actions.queries';
import { CLUSTER_OF_POLICY } from '../policies.queries';
import type { PolicyStatus, PolicyTrigger } from '../policy.states';

/** The part of time that a schedule covers, cut into buckets of equal length; the last one may be shorter. */
export interface Span {
  readonly from: Date;
  readonly until: Date;
  readonly bucketSeconds: number;
}

const bucketsOf = ({ from, until, bucketSeconds }: Span): number =>
  Math.ceil((until.getTime() - from.getTime()) / (bucketSeconds * 1_000));

/** A policy with beats in the span. */
export interface ScheduledRow {
  id: string;
  name: string | null;
  status: PolicyStatus;
  trigger: PolicyTrigger;
  interval_seconds: number | null;
  starts_at: Date | null;
  ends_at: Date | null;
  next_at: Date | null;
  matched_at: Date | null;
  cluster_id: string;
  cluster_name: string;
  cluster_status: 'active' | 'inactive';
}

// A disabled heartbeat had no beat after its last one, and a paused one has none.
const IN_SPAN = `
  policy.org_id = $org_id and ($policy_id::uuid is null or policy.id = $policy_id)
  and case policy.trigger when 'maintenance' then policy.starts_at < $until and policy.ends_at > $from
    else policy.created_at + make_interval(secs => policy.interval_seconds) < $until
      and (policy.status = 'active' or coalesce(policy.paused_at, policy.last_beat_at) >= $from) end`;

const POLICIES = `
  select policy.id, policy.name, policy.status, policy.trigger, policy.interval_seconds, policy.starts_at,
    policy.ends_at, policy.next_at, policy.matched_at, policy.cluster_id, cluster.name as cluster_name,
    cluster.status as cluster_status
  from policies policy, lateral (${CLUSTER_OF_POLICY}) cluster where ${IN_SPAN}
  order by policy.status, policy.created_at desc, policy.id desc limit $limit offset $offset`;

const COUNT = `select count(*) as total, now() as at from policies policy where ${IN_SPAN}`;

/** Policies with beats in the span, the active ones first, then the newest. `at` is the database's time. */
export async function scheduledPolicies(
  tx: Tx,
  { from, until }: Span,
  policyId: string | undefined,
  slice: Slice,
): Promise<{ policies: ScheduledRow[]; total: number; at: Date }> {
  const values = { org_id: tx.orgId, policy_id: policyId ?? null, from, until };
  const [counted] = await tx.query<{ total: number; at: Date }>(COUNT, values);
  const policies = await tx.query<ScheduledRow & QueryResultRow>(POLICIES, { ...values, ...slice });
  return { policies, total: counted?.total ?? 0, at: counted?.at ?? from };
}

/** The beats of a policy in one bucket. */
export interface FiringRow {
  id: string;
  /** Number of the bucket, from 0. */
  bucket: number;
  beats: number;
  planned: number;
  overdue: number;
  fired: number;
  requested: number;
  ready: number;
  failed: number;
  late: number;
  missed: number;
}

/** A beat that requested its first checkpoint this long after it was due was late. */
export const LATE_AFTER_SECONDS = 60;

/** Moments of the grid of `b` before a time; both are seconds since the Unix epoch. */
const before = (time: string) => `ceil((${time} - b.grid) / b.every)`;
const moments = (from: string, to: string) => `greatest(0, ${before(to)} - ${before(from)})`;
/** Times have milliseconds. */
const INSTANT = '0.001';
const NOW = 'extract(epoch from now())';

/** How the actions of each beat went. `$margin`: beats around the span tell what happened at its ends. */
const REQUESTED = `
  select b.id, b.every, asked.beat_at, count(*) as requested,
    count(*) filter (where asked.status = 'ready') as ready,
    count(*) filter (where asked.status = 'error') as failed,
    min(asked.created_at) as first_at, min(asked.ended_at) as free_at
  from beating b, lateral (
    select policy.* from (select b.id) policy
  ) policy, lateral (
    select beat_at, status, created_at, ended_at ${OF_POLICY.pods}
      and beat_at >= $from::timestamptz - b.margin and beat_at < $until::timestamptz + b.margin
    union all
    select beat_at, status, created_at, ended_at ${OF_POLICY.slurmJobs}
      and beat_at >= $from::timestamptz - b.margin and beat_at < $until::timestamptz + b.margin
  ) asked
  group by b.id, b.every, asked.beat_at`;

/** Another request's checkpoint of the workload of `after`, for which beats of the gap would have waited. */
const askedMeanwhile = (same: string) => `
  exists (
    select from actions other
    where other.org_id = $org_id and ${same} and other.type <> 'restore_pod' and other.id <> earlier.id
      and other.created_at > gap.prior_at and other.created_at < gap.beat_at
  )`;
const SAME_SLURM_JOB = 'other.slurm_job_id = after.slurm_job_id and other.cluster_id = after.cluster_id';
const ranThrough = (workload: string, otherOfSame: string) => `
  select earlier.ended_at from actions after join actions earlier
    on earlier.org_id = after.org_id and earlier.policy_id = after.policy_id
      and earlier.${workload} = after.${workload} and earlier.beat_at = gap.prior_at
  where after.org_id = $org_id and after.policy_id = gap.id and after.beat_at = gap.beat_at
    and after.${workload} is not null and earlier.${workload} is not null
    and earlier.ended_at is not null and not ${askedMeanwhile(otherOfSame)}`;

/*
 * Nothing records a beat that was replaced by a later one, so it is concluded: between two beats that
 * requested one workload, and while no checkpoint of it was open, each beat would have requested it again. An
 * interval without one such workload stays unexplained: there may have been nothing to request.
 */
const GAPS = `
  select gap.id, gap.beat_at, greatest(gap.prior_at, free.at) as since
  from (
    select requested.*, lag(beat_at) over earlier as prior_at, lag(free_at) over earlier as prior_free_at
    from requested window earlier as (partition by id order by beat_at)
  ) gap, lateral (
    select min(ended_at) as at from (
      ${ranThrough('pod_id', 'other.pod_uid = after.pod_uid')}
      union all
      ${ranThrough('slurm_job_id', SAME_SLURM_JOB)}
    ) through
  ) free
  -- Only where a moment of the grid fits in, so that policies without gaps cost nothing.
  where gap.beat_at - make_interval(secs => gap.every) > greatest(gap.prior_at, gap.prior_free_at)
    and free.at is not null`;

const FIRINGS = `
  with beating as materialized (
    select id, interval_seconds as every, extract(epoch from coalesce(next_at, last_beat_at)) as grid,
      -- The first beat is an interval after the insertion, which took a moment itself.
      extract(epoch from created_at) + interval_seconds - 0.5 as first_at,
      case status when 'disabled' then extract(epoch from last_beat_at)
        when 'paused' then extract(epoch from paused_at) end as last_at,
      case when status = 'active' and next_at <= now()
        then extract(epoch from next_at) end as overdue_since,
      case when status = 'active' and next_at <= now() then extract(epoch from next_at)
        + interval_seconds * floor((${NOW} - extract(epoch from next_at)) / interval_seconds) end as due_at,
      greatest(interval '1 day', make_interval(secs => 2.0 * interval_seconds)) as margin
    from policies
    where org_id = $org_id and id = any($ids::uuid[]) and trigger = 'heartbeat'
      and coalesce(next_at, last_beat_at) is not null
  ), requested as materialized (${REQUESTED}
  ), gaps as materialized (${GAPS}
  ), asked as (
    select id, floor(extract(epoch from beat_at - $from::timestamptz) / $bucket_seconds::int) as bucket,
      count(*) as fired, sum(requested) as requested, sum(ready) as ready, sum(failed) as failed,
      count(*) filter (where first_at > beat_at + interval '${LATE_AFTER_SECONDS} seconds') as late
    from requested where beat_at >= $from and beat_at < $until
    group by 1, 2
  ), cut as (
    select b.*, k as bucket, greatest(start_at, first_at) as lo,
      least(start_at + $bucket_seconds::int, extract(epoch from $until::timestamptz),
        last_at + ${INSTANT}) as hi
    from beating b, generate_series(0, $buckets::int - 1) k,
      lateral (select extract(epoch from $from::timestamptz) + k * $bucket_seconds::int as start_at) at
  ), counted as (
    select b.id, b.bucket, ${moments('b.lo', 'b.hi')} as beats,
      case when b.last_at is null
        then ${moments(`greatest(b.lo, ${NOW} + ${INSTANT})`, 'b.hi')} else 0 end as planned,
      case when b.due_at >= b.lo and b.due_at < b.hi then 1 else 0 end as overdue,
      -- Between the first beat that is overdue and the newest one, which will replace it.
      case when b.due_at is null then 0
        else ${moments('greatest(b.lo, b.overdue_since)', 'least(b.hi, b.due_at)')} end as waiting,
      (
        select coalesce(sum(${moments(
          `greatest(b.lo, extract(epoch from g.since) + ${INSTANT})`,
          'least(b.hi, extract(epoch from g.beat_at))',
        )}), 0)
        from gaps g where g.id = b.id and extract(epoch from g.since) < b.hi
          and extract(epoch from g.beat_at) > b.lo
      ) as replaced
    from cut b where b.hi > b.lo
  )
  select id, bucket::int, greatest(coalesce(beats, 0), coalesce(fired, 0))::bigint as beats,
    coalesce(planned, 0)::bigint as planned, coalesce(overdue, 0) as overdue,
    coalesce(fired, 0)::bigint as fired, coalesce(requested, 0)::bigint as requested,
    coalesce(ready, 0)::bigint as ready, coalesce(failed, 0)::bigint as failed,
    coalesce(late, 0)::bigint as late, coalesce(waiting + replaced, 0)::bigint as missed
  from counted full join asked using (id, bucket)
  where beats > 0 or fired > 0
  order by id, bucket`;

/** The beats of heartbeats by bucket, without empty buckets. */
export const heartbeatFirings = (tx: Tx, ids: readonly string[], span: Span): Promise<FiringRow[]> =>
  tx.query<FiringRow & QueryResultRow>(FIRINGS, {
    org_id: tx.orgId,
    ids,
    from: span.from,
    until: span.until,
    bucket_seconds: span.bucketSeconds,
    buckets: bucketsOf(span),
  });

const WINDOWS = `
  select policy.id, count(*) as requested, count(*) filter (where asked.status = 'ready') as ready,
    count(*) filter (where asked.status = 'error') as failed
  from policies policy, lateral (
    select status ${OF_POLICY.pods} and beat_at = policy.starts_at
    union all select status ${OF_POLICY.slurmJobs} and beat_at = policy.starts_at
  ) asked
  where policy.org_id = $org_id and policy.id = any($ids::uuid[]) and policy.trigger = 'maintenance'
  group by policy.id`;

export interface WindowCounts {
  id: string;
  requested: number;
  ready: number;
  failed: number;
}

/** What maintenance policies requested in their windows; none of those that requested nothing. */
export const windowCounts = (tx: Tx, ids: readonly string[]): Promise<WindowCounts[]> =>
  tx.query<WindowCounts & QueryResultRow>(WINDOWS, { org_id: tx.orgId, ids });

/** Number of firings to come that a schedule names. */
export const NEXT_FIRINGS = 10;

export interface NextFiringRow {
  policy_id: string;
  name: string | null;
  trigger: PolicyTrigger;
  cluster_id: string;
  cluster_name: string;
  cluster_status: 'active' | 'inactive';
  at: Date;
  ends_at: Date | null;
}

// Nothing fires in a silent cluster, and what is due there is always the first.
const soonest = (clusterStatus: 'active' | 'inactive', columns = '') => `
  select policy.id, policy.name, policy.trigger, policy.cluster_id, policy.ends_at,
    make_interval(secs => coalesce(policy.interval_seconds, 0)) as every,
    -- What is overdue runs once, for the latest moment of its grid.
    case when policy.trigger = 'heartbeat' and policy.next_at <= now()
      then policy.next_at + make_interval(secs => policy.interval_seconds
        * floor(extract(epoch from now() - policy.next_at) / policy.interval_seconds)::float8)
      else policy.next_at end as due_at,
    cluster.name as cluster_name, cluster.status as cluster_status ${columns}
  from policies policy, lateral (${CLUSTER_OF_POLICY}) cluster
  where policy.org_id = $org_id and policy.status = 'active' and cluster.status = '${clusterStatus}'
    and (policy.trigger = 'heartbeat' or policy.starts_at > now())
  order by policy.next_at, policy.id limit ${NEXT_FIRINGS}`;

const COLUMNS = `
  soon.id as policy_id, soon.name, soon.trigger, soon.cluster_id, soon.ends_at,
  soon.cluster_name, soon.cluster_status`;

// The next ten firings are among the first ten of the ten policies that are due first.
const NEXT = `
  select ${COLUMNS}, soon.due_at + k * soon.every as at
  from (${soonest('active')}) soon, lateral (
    select * from generate_series(0, case soon.trigger when 'heartbeat' then ${NEXT_FIRINGS} - 1 else 0 end) k
  ) k
  order by at, soon.id limit ${NEXT_FIRINGS}`;

/** The next firings over all policies of clusters that report, in the order of time. */
export const nextFirings = (tx: Tx): Promise<NextFiringRow[]> =>
  tx.query<NextFiringRow & QueryResultRow>(NEXT, { org_id: tx.orgId });

const WAITING = `
  select ${COLUMNS}, soon.due_at as at, soon.total
  from (${soonest('inactive', ', count(*) over () as total')}) soon
  order by at, soon.id`;

export interface Waiting {
  readonly rows: NextFiringRow[];
  readonly total: number;
}

/** The first policies that wait because their cluster is silent, and the number of all. */
export async function waitingPolicies(tx: Tx): Promise<Waiting> {
  const found = await tx.query<NextFiringRow & QueryResultRow & { total: number }>(WAITING, { org_id: tx.orgId });
  return { rows: found.map(({ total: _total, ...row }) => row as NextFiringRow), total: found[0]?.total ?? 0 };
}
