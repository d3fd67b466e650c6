import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActionsService } from '../checkpoints/actions.service';
import { PODS, SLURM_JOBS } from '../checkpoints/checkpoint-requests';
import { actionType } from '../checkpoints/checkpoints.service';
import { ClustersService } from '../clusters/clusters.service';
import { UnitOfWork } from '../database/unit-of-work';
import { Sweeps } from '../scheduling/sweeps';
import { disableWhenDone, DUE_AT_ONCE, duePolicies, secondsToNext, takeBeat } from './policy-beats.queries';
import { targetPodIds, targetSlurmJobIds } from './policy-targets.queries';

/** A policy that is due earlier is waited for exactly; one that another replica has just made is seen after this at the latest. */
const EVERY_SECONDS = 5;

/** Policies that run: each does its work once over all replicas whenever it is due. */
@Injectable()
export class PolicyBeats implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly actions: ActionsService,
    private readonly clusters: ClustersService,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'policies', everySeconds: EVERY_SECONDS, run: () => this.run() });
    this.actions.observe(async (tx, { policy_id: policyId }, status) => {
      if (policyId !== null && status === 'ready') await disableWhenDone(tx, policyId);
    });
  }

  /** @returns in how many seconds to come again */
  async run(): Promise<number | void> {
    const due = await this.unitOfWork.system('policies of every organisation are due', duePolicies);
    await this.sweeps.each('policies', due, ({ org_id: orgId, id, cluster_id: clusterId }) =>
      this.beat(orgId, id, clusterId),
    );
    if (due.length === DUE_AT_ONCE) return 0;
    return this.unitOfWork.system('the next policy of any organisation', secondsToNext);
  }

  /** The move to the next beat and everything that is asked for are one transaction: both happen, or neither. */
  private async beat(orgId: string, id: string, clusterId: string): Promise<void> {
    await this.unitOfWork.run({ orgId }, async (tx) => {
      // Before the policy, as whoever deletes the cluster does; a long delete must not keep the policies of others waiting.
      if (!(await this.clusters.tryHold(tx, clusterId))) return;
      const beat = await takeBeat(tx, id);
      if (!beat?.beat_at) return;
      const slurm = beat.resource === 'slurm_jobs';
      const workloads = slurm ? await targetSlurmJobIds(tx, id) : await targetPodIds(tx, id);
      const { kind, runc_root: runcRoot, trigger: reason } = beat;
      await this.actions.requestCheckpoints(tx, slurm ? SLURM_JOBS : PODS, workloads, {
        type: actionType(reason),
        reason,
        kind,
        details: { policy_id: id, kind, reason, ...(runcRoot === null ? {} : { runc_root: runcRoot }) },
        policy: { id, beatAt: beat.beat_at },
      });
    });
  }
}
