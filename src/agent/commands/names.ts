import { basename } from 'node:path';
import { AgentFailure } from '../failures';
import type { Settings } from '../settings/settings';
import { labelOf, podOfThisProcess } from '../kubernetes/pod-identity';
import { jobOfThisProcess, workloadOfJob } from '../slurm/job-identity';
import { isDnsLabel, WorkloadFolder } from '../supervisor/state/workload-folder';

const MAX_LABEL = 63;
const DEFAULT_NAMESPACE = 'default';

/** That of an option; without it, that of the Slurm job or the pod in which this process runs. */
export function namespaceOf(given: string | undefined): string {
  return given ?? ownWorkload()?.namespace ?? DEFAULT_NAMESPACE;
}

/** The workload of the Slurm job or the pod in which this process runs; undefined outside of both. */
export function ownWorkload(): { readonly namespace: string; readonly name: string } | undefined {
  const job = jobOfThisProcess();
  if (job) return workloadOfJob(job);
  const pod = podOfThisProcess();
  return pod && { namespace: labelOf(pod.namespace), name: pod.workload };
}

/** Throws `AgentFailure` if a name is not one. */
export function folderFor(settings: Settings, namespace: string, name: string): WorkloadFolder {
  for (const [what, label] of [
    ['namespace', namespace],
    ['name', name],
  ] as const)
    if (!isDnsLabel(label))
      throw new AgentFailure({
        cause: 'invalid_setting',
        message: `"${label}" is not a valid ${what}.`,
        remedy: 'Use at most 63 lower-case letters, digits and hyphens, with a letter or a digit at both ends.',
      });
  return new WorkloadFolder(settings.stateDir, namespace, name);
}

/** A valid name made from a program's; undefined if none can be. */
export function nameFrom(program: string): string | undefined {
  const name = basename(program)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LABEL)
    .replace(/^-+|(?<!-)-+$/g, '');
  return name === '' ? undefined : name;
}

export const missingWorkload = (folder: WorkloadFolder): AgentFailure =>
  new AgentFailure({
    cause: 'workload_missing',
    message: `There is no workload ${folder.name} in the namespace ${folder.namespace} of this state directory.`,
    remedy: 'ccp-agent status lists all. Another state directory is chosen with --state-dir.',
  });
