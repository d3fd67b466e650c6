import { NIL } from 'uuid';
import { DAYS_AGO } from '../../../1-platform/database/rows/days-ago';
import { A_PAGE } from '../../../1-platform/database/rows/oldest-rows';
import { statement } from '../../../1-platform/database/transactions/statement';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { SlurmJobColumns } from './slurm-job-run';

/** Every reported column besides the key. */
const COLUMNS: Readonly<Record<Exclude<keyof SlurmJobColumns, 'job_id'>, string>> = {
  name: 'text',
  nodes: 'text',
  priority: 'bigint',
  status: 'text',
  start_time: 'bigint',
  submit_time: 'bigint',
  account: 'text',
  partition: 'text',
  work_dir: 'text',
  num_cpus: 'bigint',
  num_nodes: 'bigint',
  exit_code: 'integer',
  derived_ec: 'bigint',
  derived_es: 'text',
  end_time: 'bigint',
  failed_node: 'text',
  kill_requid: 'bigint',
  state_reason_prev: 'bigint',
  time_suspended: 'bigint',
  event_time: 'bigint',
  ranks: 'text',
};
export const SLURM_JOB_COLUMNS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const NAMES = SLURM_JOB_COLUMNS;

// The bounds keep a plan from reading all jobs of the cluster for each part, once the table has statistics.
const STORED = statement(
  'slurm-jobs-stored',
  `
    select job_id, ${NAMES.join(', ')}, synced_at < clock_timestamp() - interval '60 seconds' as aged
    from slurm_jobs
    where org_id = $org_id and cluster_id = $cluster_id
      and job_id = any($job_ids::bigint[]) and job_id between $first and $last`,
);
export type StoredSlurmJob = SlurmJobColumns & { aged: boolean };

const valuesOf = (tx: Tx, clusterId: string, jobIds: readonly number[]) => ({
  org_id: tx.orgId,
  cluster_id: clusterId,
  job_ids: jobIds,
  first: jobIds[0],
  last: jobIds.at(-1),
});

/** @param jobIds in ascending order */
export const storedSlurmJobs = (tx: Tx, clusterId: string, jobIds: readonly number[]): Promise<StoredSlurmJob[]> =>
  tx.prepared<StoredSlurmJob & Record<string, unknown>>(STORED, valuesOf(tx, clusterId, jobIds));

// Not an upsert: that takes an id even for rows that it only updates. The sync lock prevents concurrent
// inserts.
const WRITE = statement(
  'slurm-jobs-write',
  `
    with reported as materialized (
      select * from json_to_recordset($rows::json)
        as reported(job_id bigint, ${NAMES.map((name) => `${name} ${COLUMNS[name]}`).join(', ')})
    ), changed as (
      update slurm_jobs stored
      set ${NAMES.map((name) => `${name} = reported.${name}`).join(', ')}, synced_at = clock_timestamp()
      from reported
      where stored.org_id = $org_id and stored.cluster_id = $cluster_id
        and stored.job_id = reported.job_id and stored.job_id between $first and $last
    )
    insert into slurm_jobs (org_id, cluster_id, job_id, ${NAMES.join(', ')})
    select $org_id, $cluster_id, reported.job_id, ${NAMES.map((name) => `reported.${name}`).join(', ')}
    from reported
    where not exists (
      select from slurm_jobs s
      where s.org_id = $org_id and s.cluster_id = $cluster_id
        and s.job_id = reported.job_id and s.job_id between $first and $last
    )
    order by reported.job_id`,
);

/** @param jobIds in ascending order; the rows are of these jobs */
export async function writeSlurmJobRows(
  tx: Tx,
  clusterId: string,
  jobIds: readonly number[],
  rows: readonly SlurmJobColumns[],
): Promise<void> {
  await tx.prepared(WRITE, { ...valuesOf(tx, clusterId, jobIds), rows: JSON.stringify(rows) });
}

/** The last job that a walk over all jobs has read. */
export interface WalkedTo {
  readonly org_id: string;
  readonly id: number;
}

// A walk along the ids, page by page: their index serves only statements that compare them. An index on the
// time of the last report would have to be written with every report. The jobs of a page are looked up by
// their places: a join would often read all jobs for it.
const FORGET_SILENT = statement(
  'slurm-jobs-forget-silent',
  `
    with page as materialized (
      select ctid as place, org_id, id, synced_at from slurm_jobs
      where (org_id, id) > ($after_org_id::uuid, $after_id::bigint) and id > 0
      order by org_id, id limit ${A_PAGE}
    ), silent as (
      select ctid as place from slurm_jobs
      where ctid = any(array(select place from page where synced_at < ${DAYS_AGO}))
        and synced_at < ${DAYS_AGO}
      for update skip locked
    ), gone as (
      delete from slurm_jobs where ctid = any(array(select place from silent))
    )
    select org_id, id from page where (select count(*) from page) = $limit
    order by org_id desc, id desc limit 1`,
);

/** In front of all jobs. */
const FIRST: WalkedTo = { org_id: NIL, id: 0 };

/**
 * Deletes those of the next jobs that were not reported for some days. Over all organisations: only for the
 * service's own transactions.
 * @returns where to continue; undefined if there are no more
 */
export async function forgetSilentJobs(
  tx: Tx,
  days: number,
  behind: WalkedTo = FIRST,
  limit: number,
): Promise<WalkedTo | undefined> {
  const values = { after_org_id: behind.org_id, after_id: behind.id, limit, days };
  const [row] = await tx.prepared<WalkedTo & Record<string, unknown>>(FORGET_SILENT, values);
  return row;
}
