import type { QueryResultRow } from 'pg';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { liftTimeout, UNLIMITED } from '../../1-platform/database/transactions/unlimited';

/**
 * The checkpoint of a ready action `a`. An action is ready when the checkpoints of all its containers are;
 * failed actions and restores have none. Its time is that of the last container's upload: before that there
 * was nothing to restore from. Its duration and size are the sums over its containers. A checkpoint that was
 * deprecated later protected its pod all the same.
 */
const MADE = `lateral (
          select max(completed_at) as at, sum(duration_ns) as duration_ns, sum(physical_bytes) as size_bytes,
            max(nullif(gpu_model, '')) as gpu, max(nullif(platform, '')) as platform
          from operation_facts
          where org_id = a.org_id and action_id = a.id and op_type = 'checkpoint' and result = 'succeeded'
        ) f on a.status = 'ready' and a.type <> 'restore_pod' and f.at is not null`;
// What was reported with the checkpoint takes precedence over what its node reported.
const CHECKPOINT = `
          a.id as action_id, a.type, a.reason, f.at, f.duration_ns, f.size_bytes, a.pod_name, a.namespace,
          a.node_name, nullif(a.node_region, '') as node_region, nullif(a.instance_type, '') as instance_type,
          nullif(a.capacity_type, '') as capacity_type, coalesce(f.gpu, nullif(a.node_gpu, '')) as gpu,
          case when a.platform = 'slurm' then a.platform
            else coalesce(f.platform, a.platform) end as platform`;

/** From the last checkpoint of a pod. */
const LAST = ['pod_name', 'namespace', 'node_name', 'node_region', 'instance_type', 'capacity_type', 'gpu', 'platform'];
const COUNTS = ['checkpoint_count', 'heartbeat_checkpoints', 'manual_checkpoints', 'duration_ns', 'size_bytes'];
const STORED = [...LAST, 'first_checkpoint', 'last_checkpoint', ...COUNTS, 'min_interval_ms', 'max_interval_ms'];

/*
 * Takes the changes of checkpoints since the last run, for the next workloads of a cluster, with all
 * uncounted changes of each. It is one statement, so it sees one snapshot: exactly the changes that it
 * removes from `uncounted_checkpoints`. So nothing is counted twice or missed.
 *
 * Each action is looked up by an index, whatever number the planner expects: `offset 0` keeps it from reading
 * whole tables.
 *
 * If all new checkpoints of a workload are later than its counted ones, they are added to its sums (`newer`).
 * Otherwise its sums are computed from the beginning (`anew`): if a checkpoint was reported late, was made at
 * the same moment as another, or was taken back, or if there are too many to pass on. So the order of the
 * reports makes no difference. Both results are JSON text, which keeps every digit, for the statements that
 * follow.
 */
const TAKE = statement(
  'savings-take',
  `
    with due as materialized (
      select distinct workload from (
        select workload from uncounted_checkpoints where org_id = $org_id and cluster_id = $cluster_id
        order by workload limit $checkpoints
      ) first order by workload limit $workloads
    ), next as materialized (
      select n.* from due cross join lateral (
        select u.ctid as at from uncounted_checkpoints u
        where u.org_id = $org_id and u.cluster_id = $cluster_id and u.workload = due.workload offset 0
      ) n
    ), taken as (
      delete from uncounted_checkpoints u where u.ctid = any(array(select at from next))
      returning u.workload, u.action_id, u.taken_back
    ), changed as materialized (
      select t.workload, t.taken_back, c.* from (
        select workload, action_id, bool_or(taken_back) as taken_back from taken group by workload, action_id
      ) t cross join lateral (
        select a.pod_id, a.pod_uid, a.slurm_job_id, ${CHECKPOINT}
        from actions a left join ${MADE} where a.org_id = $org_id and a.id = t.action_id offset 0
      ) c
    ), decided as materialized (
      select t.workload, s.last_checkpoint as known_until, bool_or(t.taken_back) or count(t.at) > $checkpoints
        or coalesce(min(t.at) <= s.last_checkpoint, false) as anew
      from changed t left join pod_savings s
        on s.org_id = $org_id and s.cluster_id = $cluster_id and s.workload = t.workload
      group by t.workload, s.last_checkpoint
    )
    select (select count(*) from due) = $workloads or (select count(*) from taken) >= $checkpoints as more,
      (
        select json_agg(n)::text from (
          select t.*, d.known_until from changed t join decided d using (workload)
          where not d.anew and t.at is not null
        ) n
      ) as newer,
      (
        select json_agg(w)::text from (
          select distinct t.workload, t.pod_id, t.pod_uid, t.slurm_job_id
          from changed t join decided d using (workload) where d.anew
        ) w
      ) as anew`,
  UNLIMITED,
);

const FORGET = statement(
  'savings-forget',
  `
    delete from pod_savings s using json_to_recordset($anew::json) as w(workload text)
    where s.org_id = $org_id and s.cluster_id = $cluster_id and s.workload = w.workload`,
);

/**
 * @param checkpoints a query of `CHECKPOINT`, `workload` and `known_until`, the time of its last counted one
 */
const adding = (checkpoints: string): string => `
    with checkpoints as materialized (${checkpoints}
    ), spaced as (
      -- [intervals] From each checkpoint to the next one, in milliseconds, as times are stored.
      select *, round(extract(epoch from
          at - lag(at, 1, known_until) over (partition by workload order by at, action_id)
        ) * 1000) as interval_ms
      from checkpoints
    ), added as (
      -- [checkpoint_count, heartbeat_checkpoints, manual_checkpoints] Ready actions, by their type and their
      -- reason; checkpoint_count includes those of neither kind.
      -- [total_checkpoint_duration_ns, total_checkpoint_size_bytes] Sums over actions, and over the
      -- containers of each.
      select workload, min(at) as first_checkpoint, max(at) as last_checkpoint, count(*) as checkpoint_count,
        count(*) filter (where type = 'heartbeat') as heartbeat_checkpoints,
        count(*) filter (where reason = 'manual') as manual_checkpoints,
        sum(duration_ns) as duration_ns, sum(size_bytes) as size_bytes, min(interval_ms) as min_interval_ms,
        max(interval_ms) as max_interval_ms
      from spaced group by workload
    ), latest as (
      select distinct on (workload) workload, ${LAST.join(', ')}
      from checkpoints order by workload, at desc, action_id desc
    )
    insert into pod_savings (org_id, cluster_id, workload, ${STORED.join(', ')})
    select $org_id, $cluster_id, n.workload, ${LAST.map((name) => `l.${name}`).join(', ')},
      coalesce(s.first_checkpoint, n.first_checkpoint), n.last_checkpoint,
      ${COUNTS.map((name) => `coalesce(s.${name}, 0) + n.${name}`).join(', ')},
      least(s.min_interval_ms, n.min_interval_ms), greatest(s.max_interval_ms, n.max_interval_ms)
    from added n join latest l on l.workload = n.workload left join pod_savings s
      on s.org_id = $org_id and s.cluster_id = $cluster_id and s.workload = n.workload
    on conflict (org_id, cluster_id, workload) do update
      set ${STORED.map((name) => `${name} = excluded.${name}`).join(', ')}`;

const ADD_NEWER = statement(
  'savings-add-newer',
  adding(`
      select * from json_to_recordset($newer::json) as c(workload text, known_until timestamptz,
        action_id uuid,
        type text, reason text, at timestamptz, duration_ns numeric, size_bytes numeric,
        ${LAST.map((name) => `${name} text`).join(', ')})`),
  UNLIMITED,
);

const ADD_ANEW = statement(
  'savings-add-anew',
  adding(`
      select w.workload, null::timestamptz as known_until, c.*
      from json_to_recordset($anew::json) as w(workload text, pod_id uuid, pod_uid text, slurm_job_id bigint)
      cross join lateral (
        -- By the uid, because an index begins with it.
        select ${CHECKPOINT} from actions a join ${MADE}
        where a.org_id = $org_id and a.pod_uid = w.pod_uid and a.pod_id = w.pod_id
        union all
        select ${CHECKPOINT} from actions a join ${MADE}
        where a.org_id = $org_id and a.slurm_job_id = w.slurm_job_id and a.cluster_id = $cluster_id
        offset 0
      ) c`),
  UNLIMITED,
);

/** How much one transaction does. */
export interface CountLimits {
  readonly workloads: number;
  /** If it has this many, it takes no further workload. */
  readonly checkpoints: number;
}

/**
 * The limits of one transaction, which then takes some 100 milliseconds. To compute a pod from the beginning
 * may take a thousand times as long as to add to its sums.
 */
export const AT_ONCE: CountLimits = { workloads: 100, checkpoints: 5_000 };

/** @returns whether there may be more. The cluster is held, and the refresh is begun. */
export async function countCheckpoints(tx: Tx, clusterId: string, limits: CountLimits): Promise<boolean> {
  const cluster = { org_id: tx.orgId, cluster_id: clusterId };
  const [taken] = await tx.prepared<{ more: boolean; newer: string | null; anew: string | null }>(TAKE, {
    ...cluster,
    ...limits,
  });
  if (!taken) return false;
  const { newer, anew, more } = taken;
  if (newer !== null) await tx.prepared(ADD_NEWER, { ...cluster, newer });
  if (anew !== null) {
    await tx.prepared(FORGET, { ...cluster, anew });
    await tx.prepared(ADD_ANEW, { ...cluster, anew });
  }
  return more;
}

const CLUSTERS_TO_COUNT = statement(
  'savings-clusters-to-count',
  `
    select id from clusters c
    where org_id = $org_id and exists (
      select from uncounted_checkpoints u where u.org_id = $org_id and u.cluster_id = c.id
    ) order by id`,
);

export async function clustersToCount(tx: Tx): Promise<string[]> {
  return (await tx.prepared<{ id: string }>(CLUSTERS_TO_COUNT, { org_id: tx.orgId })).map(({ id }) => id);
}

const DUE = statement(
  'savings-due',
  `
    select not exists (
      select from savings_refreshes
      where org_id = $org_id and refreshed_at > clock_timestamp() - make_interval(secs => $older_than_seconds)
    ) as due`,
);

/** @param olderThanSeconds the maximal age of the last result */
export async function refreshDue(tx: Tx, olderThanSeconds: number): Promise<boolean> {
  const [row] = await tx.prepared<{ due: boolean }>(DUE, { org_id: tx.orgId, older_than_seconds: olderThanSeconds });
  return row?.due ?? true;
}

// The row exists from the first refresh on. Until that refresh ends, its time is long ago.
const KNOWN = statement(
  'savings-refresh-known',
  "insert into savings_refreshes (org_id, refreshed_at) values ($org_id, 'epoch') on conflict do nothing",
);
const BEGIN = statement(
  'savings-refresh-begin',
  `
    select clock_timestamp() as began_at from savings_refreshes
    where org_id = $org_id and refreshed_at <= clock_timestamp() - make_interval(secs => $older_than_seconds)
    for no key update`,
);

/**
 * Takes the next step of a refresh, until the transaction ends: a concurrent caller waits for the first.
 * @returns its begin: everything committed before is seen; undefined if none is due any more
 */
export async function beginRefresh(tx: Tx, olderThanSeconds: number): Promise<Date | undefined> {
  // A pod may have any number of checkpoints.
  await liftTimeout(tx);
  await tx.prepared(KNOWN, { org_id: tx.orgId });
  const [row] = await tx.prepared<{ began_at: Date }>(BEGIN, {
    org_id: tx.orgId,
    older_than_seconds: olderThanSeconds,
  });
  return row?.began_at;
}

const END = statement(
  'savings-refresh-end',
  'update savings_refreshes set refreshed_at = $began_at where org_id = $org_id',
);

export async function endRefresh(tx: Tx, beganAt: Date): Promise<void> {
  await tx.prepared(END, { org_id: tx.orgId, began_at: beganAt });
}

/** An organisation, with the key that sorts all of them. */
export interface DueOrganisation {
  readonly id: string;
}

const DUE_ORGANISATIONS = statement(
  'savings-due-organisations',
  `
    select o.id from organisations o
    where ($behind::uuid is null or o.id > $behind)
      and not exists (
        select from savings_refreshes r
        where r.org_id = o.id
          and r.refreshed_at > clock_timestamp() - make_interval(secs => $older_than_seconds)
      )
    order by o.id limit $limit`,
);

/** For all organisations: only for the service's own transactions. */
export const dueOrganisations = (
  tx: Tx,
  limit: number,
  behind: DueOrganisation | undefined,
  olderThanSeconds: number,
): Promise<DueOrganisation[]> =>
  tx.prepared<DueOrganisation & QueryResultRow>(DUE_ORGANISATIONS, {
    limit,
    behind: behind?.id ?? null,
    older_than_seconds: olderThanSeconds,
  });
