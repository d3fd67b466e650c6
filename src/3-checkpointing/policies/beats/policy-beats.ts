import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActionsService } from '../../checkpoints/actions/actions.service';
import { PODS, SLURM_JOBS } from '../../checkpoints/requested-checkpoints.queries';
import { actionType } from '../../checkpoints/checkpoints.service';
import { ClustersService } from '../../../2-inventory/clusters/clusters.service';
import { takeTurn } from '../../../1-platform/database/transactions/advisory-locks';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import {
  advance,
  disable,
  DUE_AT_ONCE,
  duePolicies,
  lockDue,
  postpone,
  secondsToNext,
  type DuePolicy,
} from './policy-beats.queries';
import { hasSilentTargets, targetPodIds, targetSlurmJobIds } from './policy-targets.queries';

const SWEEP = 'policies';

/**
 * The longest pause: a policy that is due earlier shortens it, and a policy created on another replica is
 * seen after it at the latest.
 */
const EVERY_SECONDS = 5;

/** A longer round hands over to the next one. */
const ROUND_MS = 20_000;

/** Runs policies: each does its work once over all replicas whenever it is due. */
@Injectable()
export class PolicyBeats implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly actions: ActionsService,
    private readonly clusters: ClustersService,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: SWEEP, everySeconds: EVERY_SECONDS, run: () => this.run() });
  }

  /** @returns the seconds until the next round */
  async run(): Promise<number | undefined> {
    const more = await this.sweeps.walk<DuePolicy>(SWEEP, {
      pageSize: DUE_AT_ONCE,
      roundMs: ROUND_MS,
      page: (behind) =>
        this.unitOfWork.system('policies of every organisation are due', (tx) => duePolicies(tx, behind)),
      serve: (due) => this.sweeps.each(SWEEP, due, (policy) => this.serve(policy)),
    });
    return more ?? this.unitOfWork.system('the next policy of any organisation', secondsToNext);
  }

  /** Postpones a policy that cannot be processed, so that it does not come first in every round. */
  private async serve({ org_id: orgId, id, cluster_id: clusterId }: DuePolicy): Promise<void> {
    let served = false;
    try {
      served = await this.unitOfWork.run({ orgId }, (tx) => this.beat(tx, id, clusterId));
    } finally {
      if (!served) await this.unitOfWork.run({ orgId }, (tx) => postpone(tx, id));
    }
  }

  /**
   * The move to the next beat and all its requests are one transaction.
   * @returns false if the policy stays due
   */
  private async beat(tx: Tx, id: string, clusterId: string): Promise<boolean> {
    // Before the policy, in the same order as the deletion of the cluster. A long deletion must not delay
    // other clusters' policies.
    if (!(await this.clusters.tryHold(tx, clusterId))) return false;
    const beat = await lockDue(tx, id);
    if (!beat) return true;
    if (beat.over) {
      await disable(tx, id);
      return true;
    }
    const { kind, runc_root: runcRoot, trigger: reason } = beat;
    const heartbeat = reason === 'heartbeat';
    const slurm = beat.resource === 'slurm_jobs';
    const workloads = slurm ? await targetSlurmJobIds(tx, beat) : await targetPodIds(tx, beat);
    // After an outage there are no recent reports. The beat that replaces the missed ones must not be spent
    // then.
    if (heartbeat && workloads.length === 0 && (await hasSilentTargets(tx, id))) return false;
    await advance(tx, beat, workloads.length > 0);
    if (workloads.length === 0) return true;
    // Heartbeats of several policies may match one workload: the later one sees whether the earlier one's
    // action is open.
    if (heartbeat) await takeTurn(tx, 'heartbeats', clusterId);
    await this.actions.requestCheckpoints(tx, slurm ? SLURM_JOBS : PODS, workloads, {
      type: actionType(reason),
      reason,
      kind,
      leaveRunning: true,
      unlessOpen: heartbeat,
      details: {
        policy_id: id,
        kind,
        reason,
        leave_running: true,
        ...(runcRoot === null ? {} : { runc_root: runcRoot }),
      },
      policy: { id, beatAt: beat.beat_at },
    });
    return true;
  }
}
