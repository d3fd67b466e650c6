import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient } from '../control/control-client';
import type { WorkloadStatus } from '../control/control-protocol';
import { isDnsLabel, WORKLOADS, WorkloadFolder } from './workload-folder';

/** All workloads that have, or had, a supervisor with this state directory. */
export function workloadFolders(stateDir: string): WorkloadFolder[] {
  return labelsIn(join(stateDir, WORKLOADS)).flatMap((namespace) => workloadFoldersIn(stateDir, namespace));
}

/** Those of one namespace. */
export const workloadFoldersIn = (stateDir: string, namespace: string): WorkloadFolder[] =>
  labelsIn(join(stateDir, WORKLOADS, namespace)).map((name) => new WorkloadFolder(stateDir, namespace, name));

/** @param brief without its checkpoints. @returns undefined if there never was such a workload */
export async function statusOf(folder: WorkloadFolder, brief = false): Promise<WorkloadStatus | undefined> {
  let recorded = folder.readStatus();
  while (recorded && recorded.phase !== 'ended') {
    const live = await new ControlClient(folder.path).status(brief);
    if (live) return live;
    // It may have ended between the two questions: what it recorded last decides. Another supervisor may also
    // have taken the name over meanwhile, and then that one is asked.
    const last = folder.readStatus();
    if (last && isOfSameSupervisor(last, recorded)) return last.phase === 'ended' ? last : gone(last);
    recorded = last;
  }
  return recorded;
}

/** A pod's supervisor that starts again has the uid of the one before it. */
const isOfSameSupervisor = (one: WorkloadStatus, other: WorkloadStatus): boolean =>
  one.uid === other.uid && one.startedAt === other.startedAt;

/** Its supervisor was killed. */
function gone(last: WorkloadStatus): WorkloadStatus {
  const network = last.network && { ...last.network, published: null };
  return { ...last, phase: 'gone', pid: null, supervisorPid: null, network };
}

function labelsIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isDnsLabel(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
