import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { clusterNotFound } from '../../../2-inventory/clusters/clusters.errors';
import { ClustersService } from '../../../2-inventory/clusters/clusters.service';
import { windowIsOver } from '../pipeline';
import { PoliciesService, type PipelineColumns } from '../policies.service';
import { policyNotFound } from '../policies.errors';
import { podsOfPolicy } from '../policies.queries';
import { NEXT_FIRINGS } from '../schedule/schedule.queries';
import type { PolicyPreviewView, PreviewPolicyBody } from './preview.dto';
import { circumstancesOf, goingOf, matchingJobs, matchingPods, nodesOf, slowestWorkload } from './preview.queries';
import { warningsOf } from './preview-warnings';

/** What a policy would do if it were created now. */
@Injectable()
export class PreviewService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clusters: ClustersService,
    private readonly policies: PoliciesService,
  ) {}

  preview(
    context: OrgContext,
    { pipeline, keep_last: keepLast = null, policy_id: policyId }: PreviewPolicyBody,
  ): Promise<PolicyPreviewView> {
    return this.unitOfWork.read(context, async (tx) => {
      const stored = policyId === undefined ? [] : await podsOfPolicy(tx, policyId);
      if (!stored) throw policyNotFound();
      const resolve = async (id: string) => {
        const found = await this.clusters.find(tx, id);
        if (found === undefined) throw clusterNotFound();
        return found;
      };
      const policy = await this.policies.columnsOf(tx, pipeline, resolve, stored);
      const circumstances = await circumstancesOf(tx, policy);
      if (!circumstances) throw clusterNotFound();
      // What exists already may have had its window.
      if (!circumstances.possible && policyId === undefined) throw windowIsOver();
      const pods = await matchingPods(tx, policy);
      const jobs = await matchingJobs(tx, policy);
      const slow = policy.intervalSeconds === null ? undefined : await slowestWorkload(tx, policy);
      const nodes = policy.trigger === 'maintenance' ? await nodesOf(tx, policy) : 0;
      const workloads = policy.resource === 'slurm_jobs' ? circumstances.running_slurm_jobs : pods.total;
      return {
        cluster_id: policy.clusterId,
        cluster_name: circumstances.cluster_name,
        cluster_status: circumstances.cluster_status,
        workload_count: workloads,
        pod_count: pods.total,
        pods: pods.rows,
        job_count: jobs.total,
        jobs: jobs.rows,
        first_at: circumstances.first_at,
        kept_count: keepLast === null ? null : keepLast * workloads,
        going_count: keepLast === null ? null : policyId === undefined ? 0 : await goingOf(tx, policyId, keepLast),
        next_firings: firingsOf(policy, circumstances.first_at, workloads).map((at) => at.toISOString()),
        warnings: warningsOf({ policy, circumstances, workloads, jobs: jobs.total, nodes, slow }),
      };
    });
  }
}

/** Beats until the last checkpoint that the policy may make, if each beat makes one of every workload. */
function firingsOf({ intervalSeconds, maxCheckpoints }: PipelineColumns, first: Date, workloads: number): Date[] {
  if (intervalSeconds === null) return [first];
  const beats = maxCheckpoints === null || workloads === 0 ? NEXT_FIRINGS : Math.ceil(maxCheckpoints / workloads);
  return Array.from(
    { length: Math.min(NEXT_FIRINGS, beats) },
    (_, place) => new Date(first.getTime() + place * intervalSeconds * 1_000),
  );
}
