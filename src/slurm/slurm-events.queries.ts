import type { Slice } from '../common/paging';
import type { Tx } from '../database/tx';
import { eventStatus, statusOf } from './slurm-job-states';

export interface SlurmEventRow {
  job_id: number;
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

// As the lists of jobs: the index alone gives the ids of the page, and has one order of columns with and one without status.
const page = (condition: string) => `
  select r.job_id, r.status, r.event_time as timestamp, r.derived_ec, r.exit_code, r.failed_node, r.kill_requid, r.partition,
    r.derived_es as reason, r.time_suspended
  from (
    select id from slurm_jobs where org_id = $1 and event_time >= $4 ${condition}
    order by event_time desc, id desc limit $2 offset $3
  ) as page join slurm_jobs r on r.org_id = $1 and r.id = page.id
  order by r.event_time desc, r.id desc`;
const ALL = { name: 'slurm-events', text: page('') };
const OF_STATUS = { name: 'slurm-events-of-status', text: page('and status = $5') };

export interface SlurmEventFilter {
  status?: string | null;
  /** Epoch seconds, inclusive. */
  since?: number | null;
}

/** Newest first. @returns up to `limit + 1` rows */
export async function listSlurmEvents(
  tx: Tx,
  { status, since }: SlurmEventFilter,
  { limit, offset }: Slice,
): Promise<SlurmEventRow[]> {
  const values = [tx.orgId, limit + 1, offset, since ?? 0];
  const rows = await (status == null
    ? tx.prepared<SlurmEventRow & Record<string, unknown>>(ALL, values)
    : tx.prepared<SlurmEventRow & Record<string, unknown>>(OF_STATUS, [...values, statusOf(status.toUpperCase())]));
  return rows.map((row) => ({ ...row, status: eventStatus(row.status) }));
}
