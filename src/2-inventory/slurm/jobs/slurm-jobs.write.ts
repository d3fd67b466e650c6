import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { ToldSlurmJob } from './slurm-job-record';
import { columnsOf, knownOf, withTold, type KnownSlurmJob, type SlurmJobColumns } from './slurm-job-run';

/** Every column that is told, beside the key. */
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
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

// The bounds keep a plan that was made before the table had statistics
// from reading all jobs of the cluster for each part.
const STORED = {
  name: 'slurm-jobs-stored',
  text: `
    select job_id, ${NAMES.join(', ')}, synced_at < clock_timestamp() - interval '60 seconds' as aged
    from slurm_jobs where org_id = $1 and cluster_id = $2 and job_id = any($3::bigint[]) and job_id between $4 and $5`,
};
type Stored = SlurmJobColumns & { aged: boolean };

// Not an upsert: that takes an id for each row that it then only
// updates. The turn keeps others from inserting between.
const WRITE = {
  name: 'slurm-jobs-write',
  text: `
    with told as materialized (
      select * from json_to_recordset($3::json)
        as told(job_id bigint, ${NAMES.map((name) => `${name} ${COLUMNS[name]}`).join(', ')})
    ), changed as (
      update slurm_jobs stored
      set ${NAMES.map((name) => `${name} = told.${name}`).join(', ')}, synced_at = clock_timestamp()
      from told
      where stored.org_id = $1 and stored.cluster_id = $2 and stored.job_id = told.job_id and stored.job_id between $4 and $5
    )
    insert into slurm_jobs (org_id, cluster_id, job_id, ${NAMES.join(', ')})
    select $1, $2, told.job_id, ${NAMES.map((name) => `told.${name}`).join(', ')} from told
    where not exists (
      select from slurm_jobs s
      where s.org_id = $1 and s.cluster_id = $2 and s.job_id = told.job_id and s.job_id between $4 and $5
    )
    order by told.job_id`,
};

/**
 * Jobs of one statement: its recordset fits the memory that PostgreSQL
 * gives one step, and its rows that of this process.
 */
const JOBS_A_STATEMENT = 500;

/** Writes what is told of jobs and does not stand already. It is the cluster's turn. */
export async function writeSlurmJobs(tx: Tx, clusterId: string, told: readonly ToldSlurmJob[]): Promise<void> {
  const byJob = Map.groupBy(told, ({ job_id }) => job_id);
  // In Slurm's order, so that the ids of what is new have it too.
  const jobIds = [...byJob.keys()].sort((a, b) => a - b);
  for (let start = 0; start < jobIds.length; start += JOBS_A_STATEMENT) {
    const part = jobIds.slice(start, start + JOBS_A_STATEMENT);
    const [scope, bounds] = [
      [tx.orgId, clusterId],
      [part[0], part.at(-1)],
    ];
    const rows = await tx.prepared<Stored & Record<string, unknown>>(STORED, [...scope, part, ...bounds]);
    const stored = new Map<number, Stored>(rows.map((row) => [row.job_id, row]));
    const changed = part.flatMap((id) => changedRow(stored.get(id), byJob.get(id) ?? []));
    if (changed.length > 0) await tx.prepared(WRITE, [...scope, JSON.stringify(changed), ...bounds]);
  }
}

/** The row as it is to be written; none where nothing changes, and it was told of a moment ago. */
function changedRow(stored: Stored | undefined, told: readonly ToldSlurmJob[]): SlurmJobColumns[] {
  const before = stored && knownOf(stored);
  const after = told.reduce<KnownSlurmJob | undefined>(withTold, before);
  // Nothing but earlier runs.
  if (after === undefined || after === before) return [];
  const row = columnsOf(after);
  const isNew = stored === undefined || NAMES.some((name) => row[name] !== stored[name]);
  return isNew || stored.aged ? [row] : [];
}

/** The last job that a walk over all of them looked at. */
export interface WalkedTo {
  readonly org_id: string;
  readonly id: number;
}

// A walk along the key, page by page: an index on when a job was last
// told of would be written with every note of that.
const FORGET_SILENT = {
  name: 'slurm-jobs-forget-silent',
  text: `
    with page as materialized (
      select org_id, id, synced_at from slurm_jobs
      where ($1::uuid is null or (org_id, id) > ($1, $2::bigint)) order by org_id, id limit $3
    ), silent as (
      select r.org_id, r.id from page join slurm_jobs r using (org_id, id)
      where page.synced_at < clock_timestamp() - make_interval(days => $4)
        and r.synced_at < clock_timestamp() - make_interval(days => $4)
      for update of r skip locked
    ), gone as (
      delete from slurm_jobs r using silent where r.org_id = silent.org_id and r.id = silent.id
    )
    select org_id, id from page where (select count(*) from page) = $3 order by org_id desc, id desc limit 1`,
};

/**
 * Forgets those of the next jobs that were not told of for some days. Over all
 * organisations: only for the service's own transactions.
 * @returns where to go on; undefined when there are no more
 */
export async function forgetSilentJobs(
  tx: Tx,
  days: number,
  behind: WalkedTo | undefined,
  limit: number,
): Promise<WalkedTo | undefined> {
  const values = [behind?.org_id ?? null, behind?.id ?? null, limit, days];
  const [row] = await tx.prepared<WalkedTo & Record<string, unknown>>(FORGET_SILENT, values);
  return row;
}
