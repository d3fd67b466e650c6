import { takenAtMs, type Dated } from '../store/newer';
import type { JobEnvironment } from './job-identity';
import { runSlurmPatiently } from './slurm-commands';

/** By which the clocks of nodes, of Slurm and of the service may differ. */
const CLOCKS_MS = 600_000;
const MS = 1_000;

/**
 * Whether a checkpoint was taken before this job was submitted: then it is of another job that had its
 * number. Slurm begins anew with its numbers when its state is lost, and some day they are used up. Nothing
 * is asked for a job that was requeued: Slurm takes that for a new submission.
 */
export async function isOfEarlierJob({ jobId, restarts }: JobEnvironment, taken: Dated): Promise<boolean> {
  if (restarts > 0) return false;
  const submittedAt = submittedAtMs(await runSlurmPatiently('scontrol', ['show', 'job', String(jobId)]));
  return submittedAt !== undefined && takenAtMs(taken) < submittedAt - CLOCKS_MS;
}

/** @returns undefined if Slurm does not show it */
export function submittedAtMs(shown: string): number | undefined {
  const [, text = ''] = /(?:^|\s)SubmitTime=(\S+)/.exec(shown) ?? [];
  // An older Slurm prints the local time, whatever is asked for.
  const ms = /^\d+$/.test(text) ? Number(text) * MS : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
