import type { Tx } from '../../../1-platform/database/transactions/tx';
import type { ReportedSlurmJob } from './slurm-job-record';
import { columnsOf, knownOf, withReport, type KnownSlurmJob, type SlurmJobColumns } from './slurm-job-run';
import { SLURM_JOB_COLUMNS, storedSlurmJobs, writeSlurmJobRows, type StoredSlurmJob } from './slurm-jobs-write.queries';

/**
 * Jobs of one statement: its recordset fits the memory that PostgreSQL gives one step, and its rows fit the
 * memory of this process.
 */
const JOBS_A_STATEMENT = 500;

/** Writes reported jobs that differ from the stored ones. The caller holds the sync lock of the cluster. */
export async function writeSlurmJobs(tx: Tx, clusterId: string, reported: readonly ReportedSlurmJob[]): Promise<void> {
  const byJob = Map.groupBy(reported, ({ job_id }) => job_id);
  // In Slurm's order, so that the ids of new jobs have that order too.
  const jobIds = [...byJob.keys()].sort((a, b) => a - b);
  for (let start = 0; start < jobIds.length; start += JOBS_A_STATEMENT) {
    const part = jobIds.slice(start, start + JOBS_A_STATEMENT);
    const rows = await storedSlurmJobs(tx, clusterId, part);
    const stored = new Map(rows.map((row) => [row.job_id, row]));
    const changed = part.flatMap((id) => changedRow(stored.get(id), byJob.get(id) ?? []));
    if (changed.length > 0) await writeSlurmJobRows(tx, clusterId, part, changed);
  }
}

/** The row to write; none if nothing changes and the last report was stored a moment ago. */
function changedRow(stored: StoredSlurmJob | undefined, reported: readonly ReportedSlurmJob[]): SlurmJobColumns[] {
  const before = stored && knownOf(stored);
  const after = reported.reduce<KnownSlurmJob | undefined>(withReport, before);
  // The records belong to earlier runs only.
  if (after === undefined || after === before) return [];
  const row = columnsOf(after);
  const isNew = stored === undefined || SLURM_JOB_COLUMNS.some((name) => row[name] !== stored[name]);
  return isNew || stored.aged ? [row] : [];
}
