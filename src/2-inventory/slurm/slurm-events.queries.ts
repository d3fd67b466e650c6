import type { Page, Slice } from '../../1-platform/common/answers/paging';
import { boundedPage, readPage, rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { eventStatus, statusOf } from './jobs/slurm-job-states';
import { textBytes } from './values/text-bytes';

export interface SlurmEventRow {
  job_id: number;
  cluster_id: string;
  name: string;
  status: string;
  timestamp: number;
  derived_ec: number | null;
  exit_code: number | null;
  failed_node: string | null;
  kill_requid: number | null;
  partition: string | null;
  reason: string | null;
  time_suspended: number | null;
}

// As for lists of jobs, the ids of a page come from an index alone: one of all ended jobs, one by cluster, or
// one by status. With both conditions, the planner takes one of the last two.
const page = (condition: string) =>
  boundedPage({
    as: 'r',
    found: `
      select r.* from (
        select id from slurm_jobs where org_id = $org_id and event_time >= $since ${condition}
        order by event_time desc, id desc limit $limit offset $offset
      ) as page join slurm_jobs r on r.org_id = $org_id and r.id = page.id`,
    bytes: textBytes('r', ['name', 'failed_node', 'partition', 'derived_es']),
    order: 'r.event_time desc, r.id desc',
    columns: `r.job_id, r.cluster_id, r.name, r.status, r.event_time as timestamp, r.derived_ec, r.exit_code,
      r.failed_node, r.kill_requid, r.partition, r.derived_es as reason, r.time_suspended`,
  });
const OF_A_CLUSTER = 'and cluster_id = $cluster_id';
const OF_A_STATUS = 'and status = $status';
const PAGES = {
  all: page(''),
  cluster: page(OF_A_CLUSTER),
  status: page(OF_A_STATUS),
  both: page(`${OF_A_CLUSTER} ${OF_A_STATUS}`),
};

export interface SlurmEventFilter {
  status?: string | null;
  /** Epoch seconds, inclusive. */
  since?: number | null;
  cluster_id?: string;
}

/** Newest first. */
export async function listSlurmEvents(
  tx: Tx,
  { status, since, cluster_id }: SlurmEventFilter,
  slice: Slice,
): Promise<Page<SlurmEventRow>> {
  const wanted = {
    ...(cluster_id === undefined ? {} : { cluster_id }),
    ...(status == null ? {} : { status: statusOf(status.toUpperCase()) }),
  };
  const which = cluster_id === undefined ? (status == null ? 'all' : 'status') : status == null ? 'cluster' : 'both';
  const values = { org_id: tx.orgId, since: since ?? 0, ...wanted, ...rowsOf(slice) };
  const page = await readPage<SlurmEventRow>(tx, PAGES[which], values, slice);
  return page.map((row) => ({ ...row, status: eventStatus(row.status) }));
}
