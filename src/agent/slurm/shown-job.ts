import { AgentFailure } from '../failures';
import { runSlurm, runSlurmPatiently } from './slurm-commands';

/** What Slurm answers for a number that no job has, or no longer has. */
const UNKNOWN = /invalid job id/i;

/**
 * What `scontrol show job` prints of exactly this job, for a process of it. One task of an array has the
 * number of the array, for which Slurm prints the records of all tasks.
 */
export async function shownJob(jobId: number): Promise<string> {
  const shown = await runSlurmPatiently('scontrol', ['show', 'job', String(jobId)]);
  const record = shown.split(/^(?=JobId=)/m).find((text) => /^JobId=(\d+)/.exec(text)?.[1] === String(jobId));
  if (record !== undefined) return record;
  throw new AgentFailure({ cause: 'scheduler_refused', message: `Slurm does not show the job ${jobId}.` });
}

/**
 * Whether Slurm has forgotten a job, so that it has ended and never runs again. It is asked for this one:
 * lists leave out hidden partitions, and what variables of the environment filter. Throws if nobody knows.
 */
export async function isForgotten(jobId: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await runSlurm('scontrol', ['show', 'job', String(jobId)], signal);
    return false;
  } catch (error) {
    if (error instanceof AgentFailure && UNKNOWN.test(error.message)) return true;
    throw error;
  }
}
