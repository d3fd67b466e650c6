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
  const recorded = folder.readStatus();
  if (!recorded || recorded.phase === 'ended') return recorded;
  const live = await new ControlClient(folder.path).status(brief);
  if (live) return live;
  // It may have ended between the two questions. What it recorded last decides.
  const last = folder.readStatus()!;
  if (last.phase === 'ended') return last;
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
