import type { PipelineColumns } from '../policies.service';
import type { Circumstances, SlowWorkload } from './preview.queries';

export const WARNING_CODES = [
  'cluster_silent',
  'wrong_cluster_kind',
  'nothing_matches',
  'empties_nodes',
  'interval_too_short',
  'window_open',
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** What a policy is judged by. */
export interface Judged {
  readonly policy: Pick<PipelineColumns, 'resource' | 'trigger' | 'intervalSeconds'>;
  readonly circumstances: Pick<
    Circumstances,
    'cluster_name' | 'cluster_status' | 'cluster_kind' | 'first_at' | 'now' | 'possible'
  >;
  /** Numbers of matches: what a beat would act on now, and jobs whether they run or wait. */
  readonly workloads: number;
  readonly jobs: number;
  /** Number of nodes on which matching pods run. */
  readonly nodes: number;
  readonly slow: SlowWorkload | undefined;
}

const OTHER_KIND = {
  kubernetes: 'It is a cluster of Kubernetes, and the filter is for Slurm jobs: it never matches.',
  slurm: 'It is a cluster of Slurm, and the filter is for pods and jobs of Kubernetes: it never matches.',
} as const;

/** Reasons why a policy would do less than its author expects, the gravest first. */
export function warningsOf({ policy, circumstances, workloads, jobs, nodes, slow }: Judged): Warning[] {
  const { cluster_name: cluster, cluster_status, cluster_kind, first_at, now, possible } = circumstances;
  const warnings: Warning[] = [];
  if (cluster_status === 'inactive')
    warnings.push({
      code: 'cluster_silent',
      message: `The cluster ${cluster} has not reported for 5 minutes. Nothing is requested there until it reports again.`,
    });
  if ((cluster_kind === 'slurm') !== (policy.resource === 'slurm_jobs'))
    warnings.push({ code: 'wrong_cluster_kind', message: OTHER_KIND[cluster_kind] });
  else if (workloads === 0 && cluster_status === 'active')
    warnings.push({
      code: 'nothing_matches',
      message:
        jobs > 0
          ? 'The jobs that match do not run now. They are checkpointed once they run.'
          : 'Nothing that runs now matches the filter. Workloads that start later and match are checkpointed.',
    });
  if (policy.trigger === 'maintenance' && possible && workloads > 0)
    warnings.push({ code: 'empties_nodes', message: emptied(cluster_kind, nodes) });
  if (slow !== undefined && policy.intervalSeconds !== null) {
    const seconds = Math.round(slow.seconds);
    const others = slow.total > 1 ? `, and those of ${slow.total - 1} more also took longer than the interval` : '';
    warnings.push({
      code: 'interval_too_short',
      message: `The last checkpoint of ${slow.name} took ${seconds} s, but the interval is ${policy.intervalSeconds} s${others}. A beat skips a workload while its last checkpoint is open.`,
    });
  }
  if (policy.trigger === 'maintenance' && possible && first_at <= now)
    warnings.push({
      code: 'window_open',
      message: 'The window has begun: checkpoints are requested as soon as the policy is created.',
    });
  return warnings;
}

/** What agents do in a maintenance window. */
function emptied(clusterKind: 'kubernetes' | 'slurm', nodes: number): string {
  const which = clusterKind === 'slurm' || nodes > 1 ? 'them' : 'it';
  const where =
    clusterKind === 'slurm'
      ? 'The agent of Slurm empties the nodes on which these jobs run'
      : `An agent of Kubernetes empties ${nodes === 1 ? 'the node' : `up to ${nodes} nodes`} on which these pods run`;
  const what = clusterKind === 'slurm' ? 'job' : 'pod';
  return `${where}: until the window ends, it lets no new ${what}s onto ${which}, and each ${what} that it can move is stopped with its checkpoint and goes on elsewhere.`;
}
