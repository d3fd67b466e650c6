import { AgentFailure } from '../failures';
import { runSlurmPatiently } from './slurm-commands';

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
