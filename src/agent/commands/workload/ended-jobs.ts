import { EndedFolders } from '../../supervisor/state/ended-folders';
import type { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { workloadFoldersIn } from '../../supervisor/state/workloads';

/** Slurm has their output as well. */
const KEPT_MS = 86_400_000;
/** The next job goes on. */
const WITHIN_MS = 60_000;

/**
 * Removes what other jobs left in this state directory a day after they ended. Jobs have new names for ever,
 * and a node has no other agent that could. On a shared directory this is done by many jobs at once: the lock
 * of a name decides who removes it, and that nobody runs it. Where the locks of other nodes are not seen, a
 * job that is quiet for long may run: so the record of its supervisor counts as well.
 * @param own the folder of this job
 */
export async function removeEndedJobs(
  stateDir: string,
  own: WorkloadFolder,
  signal: AbortSignal,
  withinMs = WITHIN_MS,
): Promise<void> {
  const until = performance.now() + withinMs;
  const folders = new EndedFolders(stateDir);
  const now = await folders.now();
  const isLeft = (folder: WorkloadFolder): boolean => now - (folder.changedAt() ?? now) > KEPT_MS && folder.hasEnded();
  for (const folder of workloadFoldersIn(stateDir, own.namespace)) {
    if (signal.aborted || performance.now() > until) return;
    if (folder.name !== own.name && isLeft(folder)) await folders.remove(folder, () => isLeft(folder));
  }
  await folders.removeLeftovers(now);
}
