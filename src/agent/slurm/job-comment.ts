import { instructionIn, type RestoreInstruction } from './restore-instruction';
import { shownJob } from './shown-job';

/**
 * The instruction in the AdminComment of a job, for a process of this job. Throws rather than to begin
 * without knowing it: a job that starts anew loses what it did.
 */
export async function instructionOfJob(jobId: number): Promise<RestoreInstruction | undefined> {
  return instructionIn(/^[ \t]*AdminComment=(.*)$/m.exec(await shownJob(jobId))?.[1] ?? '');
}
