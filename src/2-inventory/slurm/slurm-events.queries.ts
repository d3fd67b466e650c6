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

// As for lists of jobs, the ids of a page come from the index alone. There is one index for requests with a
// status and one for those without.
const page = (condition: string) =>
  boundedPage({
    as: 'r',
    found: `
      select r.* from (
        select id from slurm_jobs where org_id = $org_id and event_time >= $since
          and ($cluster_id::uuid is null or cluster_id = $cluster_id) ${condition}
        order by event_time desc, id desc limit $limit offset $offset
      ) as page join slurm_jobs r on r.org_id = $org_id and r.id = page.id`,
    bytes: textBytes('r', ['name', 'failed_node', 'partition', 'derived_es']),
    order: 'r.event_time desc, r.id desc',
    columns: `r.job_id, r.cluster_id, r.name, r.status, r.event_time as timestamp, r.derived_ec, r.exit_code,
      r.failed_node, r.kill_requid, r.partition, r.derived_es as reason, r.time_suspended`,
  });
const ALL = page('');
const OF_STATUS = page('and status = $status');

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
  const values = { org_id: tx.orgId, since: since ?? 0, cluster_id: cluster_id ?? null, ...rowsOf(slice) };
  const page = await (status == null
    ? readPage<SlurmEventRow>(tx, ALL, values, slice)
    : readPage<SlurmEventRow>(tx, OF_STATUS, { ...values, status: statusOf(status.toUpperCase()) }, slice));
  return page.map((row) => ({ ...row, status: eventStatus(row.status) }));
}
