import type { Slice } from '../common/paging';
import type { Tx } from '../database/tx';

/** A job as the wire has it. */
export interface SlurmJobRow {
  id: number;
  job_id: number;
  cluster_id: string;
  name: string;
  nodes: string;
  priority: number;
  status: string;
  start_time: number;
  submit_time: number;
  account: string | null;
  partition: string | null;
  work_dir: string | null;
  num_cpus: number | null;
  num_nodes: number | null;
  exit_code: number | null;
  derived_ec: number | null;
  derived_es: string | null;
  end_time: number | null;
  failed_node: string | null;
  kill_requid: number | null;
  state_reason_prev: number | null;
  time_suspended: number | null;
}

const COLUMNS = `r.id, r.job_id, r.cluster_id, r.name, r.nodes, r.priority, r.status, r.start_time, r.submit_time, r.account, r.partition,
  r.work_dir, r.num_cpus, r.num_nodes, r.exit_code, r.derived_ec, r.derived_es, r.end_time, r.failed_node, r.kill_requid,
  r.state_reason_prev, r.time_suspended`;

/** Condition on a row aliased `r`: the job runs now. One that is not told of any more says nothing of now. */
export const LIVE_SLURM_JOB = "(r.status = 'RUNNING' and r.synced_at > clock_timestamp() - interval '5 minutes')";

/**
 * Running jobs as workloads that a checkpoint is asked of, as pods have them: the partition stands for the namespace. A
 * relation of the organisation `$1`.
 */
export const SLURM_WORKLOADS = `
  select r.id as workload, r.cluster_id, 'slurm' as platform, null::uuid as pod_id, '' as pod_uid, r.name, coalesce(r.partition, '') as namespace,
    r.nodes as node_name, 'SlurmJob' as workload_kind, nullif(r.name, '') as checkpoint_name, null::jsonb as pod_metadata,
    null::jsonb as pod_spec, r.job_id as slurm_job_id
  from slurm_jobs r where r.org_id = $1 and r.status = 'RUNNING'`;

// The ids of a page are found in the index alone, whatever the offset: rows are read of the page only.
const page = (condition: string) => `
  select ${COLUMNS} from (
    select id from slurm_jobs where org_id = $1 ${condition} order by id desc limit $2 offset $3
  ) as page join slurm_jobs r on r.org_id = $1 and r.id = page.id
  order by r.id desc`;
const PAGE = { name: 'slurm-jobs-page', text: page('') };
const PAGE_OF_CLUSTER = { name: 'slurm-jobs-of-cluster', text: page('and cluster_id = $4') };

// By the key, for each cluster: the organisation alone and a job's number are no index of their own.
const BY_NUMBERS = {
  name: 'slurm-jobs-by-numbers',
  text: `
    select ${COLUMNS} from slurm_jobs r
    where r.org_id = $1 and r.job_id = any($4::bigint[])
      and r.cluster_id in (select id from clusters where org_id = $1 and ($5::uuid is null or id = $5))
    order by r.id desc limit $2 offset $3`,
};

export interface SlurmJobFilter {
  clusterId?: string;
  jobIds?: number[];
}

/** Newest first: in the order in which they were told first. @returns up to `limit + 1` rows */
export function listSlurmJobs(
  tx: Tx,
  { clusterId, jobIds }: SlurmJobFilter,
  { limit, offset }: Slice,
): Promise<SlurmJobRow[]> {
  const values = [tx.orgId, limit + 1, offset];
  if (jobIds !== undefined) return tx.prepared(BY_NUMBERS, [...values, jobIds, clusterId ?? null]);
  if (clusterId !== undefined) return tx.prepared(PAGE_OF_CLUSTER, [...values, clusterId]);
  return tx.prepared(PAGE, values);
}

const BY_NUMBER = {
  name: 'slurm-job-by-number',
  text: `select ${COLUMNS} from slurm_jobs r where r.org_id = $1 and r.cluster_id = $2 and r.job_id = $3`,
};

const newestNamed = (condition: string) =>
  `(select ${COLUMNS} from slurm_jobs r where r.org_id = $1 and r.cluster_id = $2 and r.name = $3 ${condition} order by r.id desc limit 1)`;
const BY_NAME = {
  name: 'slurm-job-by-name',
  text: `${newestNamed("and r.status = 'RUNNING'")} union all ${newestNamed('')} limit 1`,
};

/** A job of a cluster by Slurm's number, or by its name: then the newest that runs, else the newest. */
export async function findSlurmJob(
  tx: Tx,
  clusterId: string,
  { jobId, name }: { jobId?: number; name?: string },
): Promise<SlurmJobRow | undefined> {
  const [row] =
    jobId === undefined
      ? await tx.prepared<SlurmJobRow & Record<string, unknown>>(BY_NAME, [tx.orgId, clusterId, name ?? ''])
      : await tx.prepared<SlurmJobRow & Record<string, unknown>>(BY_NUMBER, [tx.orgId, clusterId, jobId]);
  return row;
}
