import { takenAtMs, type Dated } from '../store/newer';
import type { JobEnvironment } from './job-identity';
import { shownJob } from './shown-job';

/** By which the clocks of nodes, of Slurm and of the service may differ. */
const CLOCKS_MS = 600_000;
const MS = 1_000;
/** In what Slurm shows. */
const NEVER_REQUEUED = /(?:^|\s)Restarts=0(?:\s|$)/;

/**
 * Whether a checkpoint was taken before this job was submitted: then it is of another job that had its
 * number. Slurm begins anew with its numbers when its state is lost, and some day they are used up. A job
 * that was requeued goes on from any checkpoint: Slurm takes that for a new submission. Its environment may
 * not show that, so Slurm is asked as well.
 */
export async function isOfEarlierJob({ jobId, restarts }: JobEnvironment, taken: Dated): Promise<boolean> {
  if (restarts > 0) return false;
  const shown = await shownJob(jobId);
  if (!NEVER_REQUEUED.test(shown)) return false;
  const submittedAt = submittedAtMs(shown);
  return submittedAt !== undefined && takenAtMs(taken) < submittedAt - CLOCKS_MS;
}

/** @returns undefined if Slurm does not show it */
export function submittedAtMs(shown: string): number | undefined {
  const [, text = ''] = /(?:^|\s)SubmitTime=(\S+)/.exec(shown) ?? [];
  // An older Slurm prints the local time, whatever is asked for.
  const ms = /^\d+$/.test(text) ? Number(text) * MS : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
