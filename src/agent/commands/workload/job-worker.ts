import { AgentFailure, failureOf } from '../../failures';
import { JobAnnouncement } from '../../slurm/job-announcement';
import { jobOfThisProcess } from '../../slurm/job-identity';
import { nodeAddress } from '../../slurm/node-address';
import type { WorkloadStatus } from '../../supervisor/control/control-protocol';

/** What a worker of a job needs besides its order. */
export interface Announced {
  /** At which other machines reach it. */
  readonly address: string;
  /** Gets each change of its status. */
  readonly recorded: (status: WorkloadStatus) => void;
}

/**
 * Runs a worker of a profile in a job, and says in the comment of the job how it is doing.
 * @param owner the cluster whose controller submitted the job
 */
export async function announced(
  { uid, owner }: { readonly uid: string; readonly owner: string },
  say: (sentence: string) => void,
  run: (announced: Announced) => Promise<void>,
): Promise<void> {
  const job = jobOfThisProcess();
  if (!job)
    throw new AgentFailure({ cause: 'invalid_setting', message: 'Only a job of Slurm can announce its worker.' });
  const announcement = new JobAnnouncement(job, { uid, owner }, say);
  try {
    const address = await nodeAddress();
    announcement.place(address);
    await run({ address, recorded: (status) => announcement.announce(status) });
  } catch (error) {
    announcement.end(failureOf(error));
    throw error;
  } finally {
    await announcement.close();
  }
}
