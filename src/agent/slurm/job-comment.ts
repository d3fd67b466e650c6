import { instructionIn, type RestoreInstruction } from './restore-instruction';
import { runSlurmPatiently } from './slurm-commands';

/**
 * The instruction in the AdminComment of a job, for a process of this job. Throws rather than to begin
 * without knowing it: a job that starts anew loses what it did.
 */
export async function instructionOfJob(jobId: number): Promise<RestoreInstruction | undefined> {
  const shown = await runSlurmPatiently('scontrol', ['show', 'job', String(jobId)]);
  return instructionIn(/^[ \t]*AdminComment=(.*)$/m.exec(shown)?.[1] ?? '');
}
