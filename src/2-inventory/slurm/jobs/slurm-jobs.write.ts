import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { ToldSlurmJob } from './slurm-job-record';
import { columnsOf, knownOf, withTold, type KnownSlurmJob, type SlurmJobColumns } from './slurm-job-run';
import { SLURM_JOB_COLUMNS, storedSlurmJobs, writeSlurmJobRows, type StoredSlurmJob } from './slurm-jobs-write.queries';

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
    const rows = await storedSlurmJobs(tx, clusterId, part);
    const stored = new Map(rows.map((row) => [row.job_id, row]));
    const changed = part.flatMap((id) => changedRow(stored.get(id), byJob.get(id) ?? []));
    if (changed.length > 0) await writeSlurmJobRows(tx, clusterId, part, changed);
  }
}

/** The row as it is to be written; none where nothing changes, and it was told of a moment ago. */
function changedRow(stored: StoredSlurmJob | undefined, told: readonly ToldSlurmJob[]): SlurmJobColumns[] {
  const before = stored && knownOf(stored);
  const after = told.reduce<KnownSlurmJob | undefined>(withTold, before);
  // Nothing but earlier runs.
  if (after === undefined || after === before) return [];
  const row = columnsOf(after);
  const isNew = stored === undefined || SLURM_JOB_COLUMNS.some((name) => row[name] !== stored[name]);
  return isNew || stored.aged ? [row] : [];
}
