import { join } from 'node:path';
import { jobIdOf } from '../../slurm/job-identity';
import { EndedFolders } from '../../supervisor/state/ended-folders';
import { FileLock } from '../../supervisor/state/file-lock';
import type { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { workloadFoldersIn } from '../../supervisor/state/workloads';

/** Slurm has their output as well. */
const KEPT_MS = 86_400_000;
/** Of a job whose end nobody has recorded: no supervisor of it says anything for so long. */
const SILENT_MS = 7 * 86_400_000;
/** The next job goes on. */
const WITHIN_MS = 60_000;
const MAX_QUESTIONS = 20;

interface Settings {
  readonly signal: AbortSignal;
  /** Whether Slurm has forgotten a job of this namespace. Throws, or is missing, if nobody knows that. */
  readonly isForgotten?: ((jobId: number) => Promise<boolean>) | undefined;
  readonly withinMs?: number;
}

/**
 * Removes what other jobs left in this state directory a day after they ended. Jobs have new names for ever,
 * and a node has no other agent that could. Of jobs that begin together, one does it, so that not all of them
 * ask Slurm. Where the locks of other nodes are not seen, each node has one, and begins somewhere else; the
 * lock of a name decides who removes it, and that nobody runs it. There, a job that is quiet for long may
 * run: so the record of its supervisor counts as well. Of one that was killed on another node, the record
 * never shows an end: it is over a week later, once Slurm has forgotten it.
 * @param own the folder of this job
 */
export async function removeEndedJobs(stateDir: string, own: WorkloadFolder, settings: Settings): Promise<void> {
  const lock = await FileLock.take(join(stateDir, 'ended-jobs.lock'));
  try {
    if (lock) await tidy(stateDir, own, settings);
  } finally {
    lock?.release();
  }
}

async function tidy(
  stateDir: string,
  own: WorkloadFolder,
  { signal, isForgotten, withinMs = WITHIN_MS }: Settings,
): Promise<void> {
  const until = performance.now() + withinMs;
  const folders = new EndedFolders(stateDir);
  const now = await folders.now();
  const isQuiet = (folder: WorkloadFolder, ms: number): boolean => now - (folder.changedAt() ?? now) > ms;
  const isLeft = (folder: WorkloadFolder): boolean => isQuiet(folder, KEPT_MS) && folder.hasEnded();
  const isSilent = (folder: WorkloadFolder): boolean => isQuiet(folder, SILENT_MS) && !folder.isRunningHere();
  let asks = isForgotten;
  let questions = 0;
  const isOver = async (folder: WorkloadFolder): Promise<boolean> => {
    const jobId = jobIdOf(folder.name);
    if (!asks || questions === MAX_QUESTIONS || jobId === undefined || !isSilent(folder)) return false;
    questions++;
    try {
      return await asks(jobId);
    } catch {
      // A Slurm that does not answer is asked no more. The next job does that.
      asks = undefined;
      return false;
    }
  };
  // Those that Slurm still has do not keep the others from their turn.
  for (const folder of fromARandomOne(workloadFoldersIn(stateDir, own.namespace))) {
    if (signal.aborted || performance.now() > until) return;
    if (folder.name === own.name) continue;
    if (isLeft(folder)) await folders.remove(folder, () => isLeft(folder));
    else if (await isOver(folder)) await folders.remove(folder, () => isSilent(folder));
  }
  await folders.removeLeftovers(now);
}

function fromARandomOne<T>(all: readonly T[]): T[] {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}
