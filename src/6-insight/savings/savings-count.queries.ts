import type { QueryResultRow } from 'pg';
import type { Tx } from '../../1-platform/database/transactions/tx';

/**
 * The checkpoint of a ready action `a`. An action is ready when the checkpoints of all its containers are;
 * failed actions and restores have none. Its time is that of the last container's upload: before that there
 * was nothing to restore from. Its duration and size are the sums over its containers. A checkpoint that was
 * deprecated later protected its pod all the same.
 */
const MADE = `
  join lateral (
    select max(completed_at) as at, sum(duration_ns) as duration_ns, sum(physical_bytes) as size_bytes,
      max(nullif(gpu_model, '')) as gpu, max(nullif(platform, '')) as platform
    from operation_facts where org_id = a.org_id and action_id = a.id and op_type = 'checkpoint' and result = 'succeeded'
  ) f on a.status = 'ready' and a.type <> 'restore_pod' and f.at is not null`;
// What was told with the checkpoint stands before what its node told of itself.
const CHECKPOINT = `
  a.id as action_id, a.type, a.reason, f.at, f.duration_ns, f.size_bytes, a.pod_name, a.namespace, a.node_name,
  nullif(a.node_region, '') as node_region, nullif(a.instance_type, '') as instance_type, nullif(a.capacity_type, '') as capacity_type,
  coalesce(f.gpu, nullif(a.node_gpu, '')) as gpu, case when a.platform = 'slurm' then a.platform else coalesce(f.platform, a.platform) end as platform`;

/** From the last checkpoint of a pod. */
const LAST = ['pod_name', 'namespace', 'node_name', 'node_region', 'instance_type', 'capacity_type', 'gpu', 'platform'];
const COUNTS = ['checkpoint_count', 'heartbeat_checkpoints', 'manual_checkpoints', 'duration_ns', 'size_bytes'];
const STORED = [...LAST, 'first_checkpoint', 'last_checkpoint', ...COUNTS, 'min_interval_ms', 'max_interval_ms'];

/**
 * Adds up what became of checkpoints since the last time, of the next workloads of a cluster,
 * with all that is uncounted of each. One statement, and so one moment: what it sees of actions
 * is what it takes out of `uncounted_checkpoints`, so that nothing is counted twice or never.
 * Nobody else may do it for this organisation meanwhile.
 *
 * Each of them is looked up by an index, whatever the planner thinks of how many there are:
 * `offset 0` keeps it from reading whole tables instead.
 *
 * Checkpoints that are newer than all before are added to what those came to. Where one is not (it was told
 * late, it was made at the same moment as another, or it was taken back), its pod is added up from the
 * beginning: in which order checkpoints were told makes no difference.
 */
const COUNT = {
  name: 'savings-count',
  text: `
    with due as materialized (
      select distinct workload from (
        select workload from uncounted_checkpoints where org_id = $1 and cluster_id = $2 order by workload limit $4
      ) first order by workload limit $3
    ), next as materialized (
      select n.* from due cross join lateral (
        select u.ctid as at from uncounted_checkpoints u where u.org_id = $1 and u.cluster_id = $2 and u.workload = due.workload offset 0
      ) n
    ), taken as (
      delete from uncounted_checkpoints u where u.ctid = any(array(select at from next)) returning u.workload, u.action_id, u.taken_back
    ), told as materialized (
      select workload, action_id, bool_or(taken_back) as taken_back from taken group by workload, action_id
    ), fresh as materialized (
      select told.workload, c.* from told cross join lateral (
        select ${CHECKPOINT} from actions a ${MADE} where a.org_id = $1 and a.id = told.action_id offset 0
      ) c
    ), decided as materialized (
      select due.workload, s.last_checkpoint as known_until, coalesce(t.taken_back or f.earliest <= s.last_checkpoint, false) as anew
      from due left join pod_savings s on s.org_id = $1 and s.cluster_id = $2 and s.workload = due.workload
        left join (select workload, bool_or(taken_back) as taken_back from told group by workload) t on t.workload = due.workload
        left join (select workload, min(at) as earliest from fresh group by workload) f on f.workload = due.workload
    ), whole as materialized (
      select distinct d.workload, a.pod_id, a.pod_uid, a.slurm_job_id
      from decided d join told t on t.workload = d.workload cross join lateral (
        select pod_id, pod_uid, slurm_job_id from actions where org_id = $1 and id = t.action_id offset 0
      ) a where d.anew
    ), checkpoints as (
      select f.*, d.known_until from fresh f join decided d on d.workload = f.workload where not d.anew
      union all
      select w.workload, c.*, null from whole w cross join lateral (
        -- By the uid, because an index begins with it.
        select ${CHECKPOINT} from actions a ${MADE} where a.org_id = $1 and a.pod_uid = w.pod_uid and a.pod_id = w.pod_id
        union all
        select ${CHECKPOINT} from actions a ${MADE} where a.org_id = $1 and a.slurm_job_id = w.slurm_job_id and a.cluster_id = $2
        offset 0
      ) c
    ), spaced as (
      -- [intervals] From each checkpoint to the next one, in milliseconds, as moments are kept.
      select *, round(extract(epoch from at - lag(at, 1, known_until) over (partition by workload order by at, action_id)) * 1000) as interval_ms
      from checkpoints
    ), added as (
      -- [checkpoint_count, heartbeat_checkpoints, manual_checkpoints] Ready actions, by their type and their reason; those of neither count in all.
      -- [total_checkpoint_duration_ns, total_checkpoint_size_bytes] Sums over actions, and over the containers of each.
      select workload, min(at) as first_checkpoint, max(at) as last_checkpoint, count(*) as checkpoint_count,
        count(*) filter (where type = 'heartbeat') as heartbeat_checkpoints, count(*) filter (where reason = 'manual') as manual_checkpoints,
        sum(duration_ns) as duration_ns, sum(size_bytes) as size_bytes, min(interval_ms) as min_interval_ms, max(interval_ms) as max_interval_ms
      from spaced group by workload
    ), latest as (
      select distinct on (workload) workload, ${LAST.join(', ')} from checkpoints order by workload, at desc, action_id desc
    ), gone as (
      delete from pod_savings s using decided d
      where d.anew and s.org_id = $1 and s.cluster_id = $2 and s.workload = d.workload and not exists (select from added n where n.workload = d.workload)
    ), saved as (
      insert into pod_savings (org_id, cluster_id, workload, ${STORED.join(', ')})
      select $1, $2, n.workload, ${LAST.map((name) => `l.${name}`).join(', ')},
        coalesce(s.first_checkpoint, n.first_checkpoint), n.last_checkpoint, ${COUNTS.map((name) => `coalesce(s.${name}, 0) + n.${name}`).join(', ')},
        least(s.min_interval_ms, n.min_interval_ms), greatest(s.max_interval_ms, n.max_interval_ms)
      from added n join latest l on l.workload = n.workload join decided d on d.workload = n.workload
        left join pod_savings s on not d.anew and s.org_id = $1 and s.cluster_id = $2 and s.workload = n.workload
      on conflict (org_id, cluster_id, workload) do update set ${STORED.map((name) => `${name} = excluded.${name}`).join(', ')}
    )
    select (select count(*) from due) = $3 or (select count(*) from taken) >= $4 as more`,
  // However many checkpoints one pod has.
  query_timeout: 2 ** 31 - 1,
};

/** How much one statement does. */
export interface CountLimits {
  readonly workloads: number;
  /** From this many on, it takes no further workload. */
  readonly checkpoints: number;
}

/**
 * What one transaction adds up: some 100 milliseconds. A pod that is added up from the beginning
 * may be a thousand times as much as one that goes on.
 */
export const AT_ONCE: CountLimits = { workloads: 100, checkpoints: 5_000 };

/** @returns whether there may be more. The cluster is held, and the refresh is begun. */
export async function countCheckpoints(tx: Tx, clusterId: string, limits: CountLimits): Promise<boolean> {
  const values = [tx.orgId, clusterId, limits.workloads, limits.checkpoints];
  const [row] = await tx.prepared<{ more: boolean }>(COUNT, values);
  return row?.more ?? false;
}

const CLUSTERS_TO_COUNT = {
  name: 'savings-clusters-to-count',
  text: `select id from clusters c where org_id = $1 and exists (select from uncounted_checkpoints u where u.org_id = $1 and u.cluster_id = c.id) order by id`,
};

export async function clustersToCount(tx: Tx): Promise<string[]> {
  return (await tx.prepared<{ id: string }>(CLUSTERS_TO_COUNT, [tx.orgId])).map(({ id }) => id);
}

const DUE = {
  name: 'savings-due',
  text: `
    select not exists (select from savings_refreshes where org_id = $1 and refreshed_at > clock_timestamp() - make_interval(secs => $2)) as due`,
};

/** @param olderThanSeconds the maximal age of the last result */
export async function refreshDue(tx: Tx, olderThanSeconds: number): Promise<boolean> {
  const [row] = await tx.prepared<{ due: boolean }>(DUE, [tx.orgId, olderThanSeconds]);
  return row?.due ?? true;
}

// The row is there from the first refresh on, and of long ago until that is over.
const KNOWN = {
  name: 'savings-refresh-known',
  text: "insert into savings_refreshes (org_id, refreshed_at) values ($1, 'epoch') on conflict do nothing",
};
const BEGIN = {
  name: 'savings-refresh-begin',
  text: `
    select clock_timestamp() as began_at from savings_refreshes
    where org_id = $1 and refreshed_at <= clock_timestamp() - make_interval(secs => $2) for no key update`,
};

/**
 * Takes the next step of a refresh, until the transaction ends: a concurrent caller waits for the first.
 * @returns its begin: everything committed before is seen; undefined if none is due any more
 */
export async function beginRefresh(tx: Tx, olderThanSeconds: number): Promise<Date | undefined> {
  await tx.query("select set_config('statement_timeout', '0', true)");
  await tx.prepared(KNOWN, [tx.orgId]);
  const [row] = await tx.prepared<{ began_at: Date }>(BEGIN, [tx.orgId, olderThanSeconds]);
  return row?.began_at;
}

const END = {
  name: 'savings-refresh-end',
  text: 'update savings_refreshes set refreshed_at = $2 where org_id = $1',
};

export async function endRefresh(tx: Tx, beganAt: Date): Promise<void> {
  await tx.prepared(END, [tx.orgId, beganAt]);
}

/** An organisation, with the key that sorts all of them. */
export interface DueOrganisation {
  readonly id: string;
}

const DUE_ORGANISATIONS = {
  name: 'savings-due-organisations',
  text: `
    select o.id from organisations o
    where ($2::uuid is null or o.id > $2)
      and not exists (select from savings_refreshes r where r.org_id = o.id and r.refreshed_at > clock_timestamp() - make_interval(secs => $3))
    order by o.id limit $1`,
};

/** For all organisations: only for the service's own transactions. */
export const dueOrganisations = (
  tx: Tx,
  limit: number,
  behind: DueOrganisation | undefined,
  olderThanSeconds: number,
): Promise<DueOrganisation[]> =>
  tx.prepared<DueOrganisation & QueryResultRow>(DUE_ORGANISATIONS, [limit, behind?.id ?? null, olderThanSeconds]);
