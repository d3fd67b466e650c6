import type { Tx } from '../database/tx';
import type { ToldSlurmJob } from './slurm-job-record';

/** Every column that is told, beside the key. */
const COLUMNS: Readonly<Record<Exclude<keyof ToldSlurmJob, 'job_id'>, string>> = {
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
};
const NAMES = Object.keys(COLUMNS);
const of = (row: string) => NAMES.map((name) => `${row}.${name}`).join(', ');

/** What is stored was told of a later run, or of the end of the same one. */
const OUTDATED = `(told.submit_time > 0 and stored.submit_time > 0 and (told.submit_time < stored.submit_time
  or (told.submit_time = stored.submit_time and stored.event_time is not null and told.event_time is null)))`;

// Not an upsert: that takes an id for each row that it then only updates. The turn keeps others from inserting between. The
// bounds keep a plan that was made before the table had statistics from reading all jobs of the cluster for each part.
const WRITE = {
  name: 'slurm-jobs-write',
  text: `
    with told as materialized (
      select * from json_to_recordset($3::json)
        as told(job_id bigint, ${NAMES.map((name) => `${name} ${COLUMNS[name as keyof typeof COLUMNS]}`).join(', ')})
    ), changed as (
      update slurm_jobs stored
      set ${NAMES.map((name) => `${name} = told.${name}`).join(', ')}, synced_at = clock_timestamp()
      from told
      where stored.org_id = $1 and stored.cluster_id = $2 and stored.job_id = told.job_id and stored.job_id between $4 and $5
        and not ${OUTDATED}
        and (stored.synced_at < clock_timestamp() - interval '60 seconds' or (${of('stored')}) is distinct from (${of('told')}))
    )
    insert into slurm_jobs (org_id, cluster_id, job_id, ${NAMES.join(', ')})
    select $1, $2, told.job_id, ${of('told')} from told
    where not exists (
      select from slurm_jobs s
      where s.org_id = $1 and s.cluster_id = $2 and s.job_id = told.job_id and s.job_id between $4 and $5
    )
    order by told.job_id`,
};

/** Rows of one statement: its recordset fits the memory that PostgreSQL gives one step. */
const ROWS_A_STATEMENT = 1_000;

/** Writes what is told of jobs and does not stand already. @param told one row a job; it is the cluster's turn */
export async function writeSlurmJobs(tx: Tx, clusterId: string, told: readonly ToldSlurmJob[]): Promise<void> {
  // In Slurm's order, so that the ids of what is new have it too.
  const sorted = [...told].sort((a, b) => a.job_id - b.job_id);
  for (let start = 0; start < sorted.length; start += ROWS_A_STATEMENT) {
    const rows = sorted.slice(start, start + ROWS_A_STATEMENT);
    await tx.prepared(WRITE, [tx.orgId, clusterId, JSON.stringify(rows), rows[0]?.job_id, rows.at(-1)?.job_id]);
  }
}
