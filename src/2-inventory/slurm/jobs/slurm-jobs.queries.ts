import { SILENT_AFTER } from '../../clusters/clusters.queries';
import type { Page, Slice } from '../../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../../1-platform/database/rows/bounded-page';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { MAX_CHECKPOINT_NAME } from '../../kubernetes/resource';
import { textBytes } from '../values/text-bytes';

/** A job as replies show it. */
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

const COLUMNS = `
  r.id, r.job_id, r.cluster_id, r.name, r.nodes, r.priority, r.status, r.start_time, r.submit_time,
  r.account, r.partition, r.work_dir, r.num_cpus, r.num_nodes, r.exit_code, r.derived_ec, r.derived_es,
  r.end_time, r.failed_node, r.kill_requid, r.state_reason_prev, r.time_suspended`;

/** Condition on a row aliased `r`: the job runs now. Without recent reports, its state is unknown. */
export const LIVE_SLURM_JOB = `(r.status = 'RUNNING' and r.synced_at > clock_timestamp() - ${SILENT_AFTER})`;

/**
 * Running jobs as workloads to checkpoint, with the same columns as pods: the partition stands for the
 * namespace. A relation in the organisation `$org_id`. A job's name may be longer than that of a checkpoint.
 */
export const SLURM_WORKLOADS = `
  select r.id as workload, r.cluster_id, 'slurm' as platform, null::uuid as pod_id, '' as pod_uid, r.name,
    coalesce(r.partition, '') as namespace, r.nodes as node_name, 'SlurmJob' as workload_kind,
    nullif(left(r.name, ${MAX_CHECKPOINT_NAME}), '') as checkpoint_name,
    null::json as pod_metadata, null::json as pod_spec, r.job_id as slurm_job_id,
    null as node_region, null as instance_type, null as capacity_type, null as node_gpu
  from slurm_jobs r where r.org_id = $org_id and ${LIVE_SLURM_JOB}`;

const BYTES = textBytes('r', ['name', 'nodes', 'account', 'partition', 'work_dir', 'derived_es', 'failed_node']);

// The ids of a page are found in the index alone, whatever the offset. Only the rows of the page are read.
// Every id is above 0: an index of ids serves only statements that compare them.
const page = (condition: string) =>
  boundedPage({
    as: 'r',
    found: `
      select r.* from (
        select id from slurm_jobs where org_id = $org_id ${condition}
        order by id desc limit $limit offset $offset
      ) as page join slurm_jobs r on r.org_id = $org_id and r.id = page.id`,
    bytes: BYTES,
    order: 'r.id desc',
    columns: COLUMNS,
  });
const pages = (further: string) => ({
  all: page(`and id > 0 ${further}`),
  ofCluster: page(`and cluster_id = $cluster_id and id > 0 ${further}`),
  // By the key, for each cluster: there is no index on organisation and job number alone.
  byNumbers: page(`
    and job_id = any($job_ids::bigint[]) and cluster_id in (
      select id from clusters where org_id = $org_id and ($cluster_id::uuid is null or id = $cluster_id)
    ) ${further}`),
});
const PAGES = {
  any: pages(''),
  ended: pages('and event_time is not null'),
  open: pages('and event_time is null'),
};

export interface SlurmJobFilter {
  clusterId?: string;
  jobIds?: number[];
  ended?: boolean;
}

/** Newest first: in the order of their first reports. */
export function listSlurmJobs(
  tx: Tx,
  { clusterId, jobIds, ended }: SlurmJobFilter,
  slice: Slice,
): Promise<Page<SlurmJobRow>> {
  const of = ended === undefined ? PAGES.any : ended ? PAGES.ended : PAGES.open;
  const values = { org_id: tx.orgId, cluster_id: clusterId ?? null, job_ids: jobIds, ...rowsOf(slice) };
  if (jobIds !== undefined) return readPage(tx, of.byNumbers, values, slice);
  if (clusterId !== undefined) return readPage(tx, of.ofCluster, values, slice);
  return readPage(tx, of.all, values, slice);
}

const BY_NUMBER = statement(
  'slurm-job-by-number',
  `
    select ${COLUMNS} from slurm_jobs r
    where r.org_id = $org_id and r.cluster_id = $cluster_id and r.job_id = $job_id`,
);

/** Characters of a name in the indexes: an index entry has at most 2,704 bytes. */
const INDEXED_NAME = 256;

const newestNamed = (condition: string) => `(
  select ${COLUMNS} from slurm_jobs r
  where r.org_id = $org_id and r.cluster_id = $cluster_id
    and left(r.name, ${INDEXED_NAME}) = left($name, ${INDEXED_NAME}) and r.name = $name ${condition}
  order by r.id desc limit 1)`;
const BY_NAME = statement(
  'slurm-job-by-name',
  `${newestNamed(`and ${LIVE_SLURM_JOB}`)} union all ${newestNamed('')} limit 1`,
);

/** A job of a cluster by Slurm's number, or by its name: then the newest that runs now, else the newest. */
export async function findSlurmJob(
  tx: Tx,
  clusterId: string,
  { jobId, name }: { jobId?: number; name?: string },
): Promise<SlurmJobRow | undefined> {
  const cluster = { org_id: tx.orgId, cluster_id: clusterId };
  const [row] =
    jobId === undefined
      ? await tx.prepared<SlurmJobRow & Record<string, unknown>>(BY_NAME, { ...cluster, name: name ?? '' })
      : await tx.prepared<SlurmJobRow & Record<string, unknown>>(BY_NUMBER, { ...cluster, job_id: jobId });
  return row;
}
