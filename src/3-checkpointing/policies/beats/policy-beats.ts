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
  type Beat,
  type DuePolicy,
} from './policy-beats.queries';
import { hasSilentTargets, targetPods, targetSlurmJobs } from './policy-targets.queries';

const SWEEP = 'policies';

/**
 * The longest pause: a policy that is due earlier shortens it, and a policy created on another replica is
 * seen after it at the latest.
 */
const EVERY_SECONDS = 5;

/** A longer round hands over to the next one. */
const ROUND_MS = 20_000;

/** So that a policy with very many workloads does not keep the others waiting. */
const TURN_MS = 5_000;

/**
 * Workloads that one transaction requests. It holds the policy, its cluster and the turn of its heartbeats
 * for some 100 milliseconds.
 */
const WORKLOADS_A_TRANSACTION = 500;

/** How far one transaction came with a beat. */
type Progress =
  /** The policy stays due, and is tried again later. */
  | 'stuck'
  /** Nothing is left to do here: the beat is done, or another replica has it. */
  | 'done'
  | { readonly beat: Beat; readonly rest: readonly Workload[] };

type Workload = string | number;

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
    const more = await this.sweeps.takeTurns<DuePolicy>(SWEEP, {
      pageSize: DUE_AT_ONCE,
      roundMs: ROUND_MS,
      turnMs: TURN_MS,
      page: (behind) =>
        this.unitOfWork.system('policies of every organisation are due', (tx) => duePolicies(tx, behind)),
      turn: (policy, until) => this.serve(policy, until),
    });
    return more ?? this.unitOfWork.system('the next policy of any organisation', secondsToNext);
  }

  /**
   * Postpones a policy that cannot be processed, so that it does not come first in every round.
   * @returns false if its beat goes on
   */
  private async serve(policy: DuePolicy, until: number): Promise<boolean> {
    let progress: Progress = 'stuck';
    const { org_id: orgId } = policy;
    try {
      progress = await this.unitOfWork.run({ orgId }, (tx) => this.begin(tx, policy));
      while (typeof progress === 'object' && performance.now() < until && !this.sweeps.stopping) {
        const { beat, rest }: Exclude<Progress, string> = progress;
        progress = 'stuck';
        progress = await this.unitOfWork.run({ orgId }, (tx) => this.goOn(tx, policy, beat, rest));
      }
    } finally {
      if (progress === 'stuck') await this.unitOfWork.run({ orgId }, (tx) => postpone(tx, policy.id));
    }
    return typeof progress === 'string';
  }

  /** Finds the workloads of a beat that it has not requested yet, and requests the first ones. */
  private async begin(tx: Tx, { id, cluster_id: clusterId }: DuePolicy): Promise<Progress> {
    const beat = await this.hold(tx, id, clusterId);
    if (typeof beat === 'string') return beat;
    if (beat.over) {
      await disable(tx, id);
      return 'done';
    }
    const { targets, moved } = isOfSlurm(beat) ? await targetSlurmJobs(tx, beat) : await targetPods(tx, beat);
    // After an outage there are no recent reports. The beat that replaces the missed ones must not be spent
    // then.
    if (beat.trigger === 'heartbeat' && !beat.begun && targets.length === 0 && (await hasSilentTargets(tx, id)))
      return 'stuck';
    const workloads = targets.filter(({ open }) => !open).map((target) => target.id);
    return this.request(tx, clusterId, beat, workloads, moved);
  }

  /** Requests the next workloads of a beat, unless another replica has gone on with it. */
  private async goOn(
    tx: Tx,
    { id, cluster_id: clusterId }: DuePolicy,
    begun: Beat,
    workloads: readonly Workload[],
  ): Promise<Progress> {
    const beat = await this.hold(tx, id, clusterId);
    if (typeof beat === 'string') return beat;
    const isSame = beat.beat_at.getTime() === begun.beat_at.getTime();
    // It is due still: its next turn finds what is left to do.
    return isSame && !beat.over ? this.request(tx, clusterId, beat, workloads) : 'done';
  }

  /** Locks the cluster before the policy, in the same order as the deletion of the cluster. */
  private async hold(tx: Tx, id: string, clusterId: string): Promise<Beat | 'stuck' | 'done'> {
    // A long deletion must not delay other clusters' policies.
    if (!(await this.clusters.tryHold(tx, clusterId))) return 'stuck';
    return (await lockDue(tx, id)) ?? 'done';
  }

  /**
   * Requests as many workloads as one transaction may. The policy moves to its next beat together with the
   * last ones. Until then it stays due, and what it has requested shows its next turn what is left.
   * @param moved pods that the look left alone
   */
  private async request(
    tx: Tx,
    clusterId: string,
    beat: Beat,
    workloads: readonly Workload[],
    moved = 0,
  ): Promise<Progress> {
    const page = workloads.slice(0, WORKLOADS_A_TRANSACTION);
    const rest = workloads.slice(WORKLOADS_A_TRANSACTION);
    const { id, kind, runc_root: runcRoot, trigger: reason } = beat;
    if (rest.length === 0) await advance(tx, beat, beat.begun || page.length > 0, moved);
    if (page.length === 0) return 'done';
    const heartbeat = reason === 'heartbeat';
    // Heartbeats of several policies may match one workload: the later one sees whether the earlier one's
    // action is open.
    if (heartbeat) await takeTurn(tx, 'heartbeats', clusterId);
    await this.actions.requestCheckpoints(tx, isOfSlurm(beat) ? SLURM_JOBS : PODS, page, {
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
    return rest.length === 0 ? 'done' : { beat, rest };
  }
}

const isOfSlurm = ({ resource }: Beat): boolean => resource === 'slurm_jobs';
