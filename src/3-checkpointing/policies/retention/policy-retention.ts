import { Injectable, type OnModuleInit } from '@nestjs/common';
import { takeTurn } from '../../../1-platform/database/transactions/advisory-locks';
import type { TransactionObserver } from '../../../1-platform/database/transactions/observers';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import type { EndedAction } from '../../checkpoints/actions/actions.ports';
import { UsedPlaces } from './retention.ports';
import { RetentionMetrics } from './retention-metrics';
import {
  findCandidates,
  holdActions,
  keptWorkload,
  retireSuperfluous,
  type Candidate,
  type Sought,
} from './retired-actions.queries';
import {
  noteTrimmed,
  placeAfter,
  trimmedPolicies,
  trimOf,
  workloadsToTrim,
  type TrimmedPolicy,
} from './trimmed-policies.queries';

const SWEEP = 'kept checkpoints';
const EVERY_SECONDS = 10;

/** A longer round hands over to the next one. */
const ROUND_MS = 20_000;
/** So that a policy with very many workloads does not keep the others waiting. */
const TURN_MS = 5_000;
const POLICIES_A_PAGE = 500;

/** One transaction retires at most so many actions. It holds them for some 200 milliseconds. */
const ACTIONS_A_TRANSACTION = 400;
const WORKLOADS_A_TRANSACTION = 20;
/** One goes with each new one, as a rule. More are due after what kept them has ended. */
const ACTIONS_A_REPORT = 100;

/** What a look at some workloads found. */
interface Look {
  readonly candidates: readonly Candidate[];
  /** Somebody else has locked one that should go. */
  readonly isHindered: boolean;
}

/**
 * Deprecates the checkpoints of policies that keep only the newest ones: in the transaction that makes a
 * newer one ready, and, after somebody has lowered the number, of one workload after the other.
 */
@Injectable()
export class PolicyRetention implements TransactionObserver<EndedAction>, OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly places: UsedPlaces,
    private readonly metrics: RetentionMetrics,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: SWEEP, everySeconds: EVERY_SECONDS, run: () => this.run() });
  }

  async observe(tx: Tx, { action: { id, policy_id: policyId }, status }: EndedAction): Promise<void> {
    if (policyId === null || status !== 'ready') return;
    const workload = await keptWorkload(tx, id);
    if (workload) await this.retire(tx, { policyId, workloads: [workload] }, ACTIONS_A_REPORT);
  }

  /** @returns 0 if there is more to do */
  run(): Promise<0 | undefined> {
    return this.sweeps.takeTurns<TrimmedPolicy>(SWEEP, {
      pageSize: POLICIES_A_PAGE,
      roundMs: ROUND_MS,
      turnMs: TURN_MS,
      page: (behind) =>
        this.unitOfWork.system('policies of every organisation keep checkpoints', (tx) =>
          trimmedPolicies(tx, POLICIES_A_PAGE, behind),
        ),
      turn: async ({ org_id: orgId, id }, until) => {
        let isDone = false;
        while (!isDone && performance.now() < until && !this.sweeps.stopping)
          isDone = await this.unitOfWork.run({ orgId }, (tx) => this.trim(tx, id));
        return isDone;
      },
    });
  }

  /**
   * Looks at the next workloads of a policy, or at the rest of one that has more than one look takes. What an
   * action is needed for keeps it where it is: the next look goes on behind it.
   * @returns whether nothing is left to do in this round
   */
  private async trim(tx: Tx, policyId: string): Promise<boolean> {
    // Another replica holds what it retires, so these workloads would look done.
    await takeTurn(tx, 'keptCheckpoints', policyId);
    const trim = await trimOf(tx, policyId);
    if (!trim) return true;
    const workloads = await workloadsToTrim(tx, policyId, trim, WORKLOADS_A_TRANSACTION);
    const last = workloads.at(-1);
    if (!last) {
      await noteTrimmed(tx, policyId, trim, null);
      return true;
    }
    const limit = Math.floor(ACTIONS_A_TRANSACTION / workloads.length);
    const { candidates, isHindered } = await this.retire(tx, { policyId, workloads }, limit);
    // The next round looks at them again: a workload that ended has no report that would.
    if (isHindered) return true;
    const ofEach = workloads.map((_, place) => candidates.filter((one) => one.place === place + 1));
    const place = ofEach.findIndex(({ length }) => length === limit);
    const at = placeAfter((workloads[place] ?? last).name, ofEach[place]?.at(-1)?.beat);
    await noteTrimmed(tx, policyId, trim, at);
    return false;
  }

  /** @param limit of each workload */
  private async retire(tx: Tx, sought: Sought, limit: number): Promise<Look> {
    const candidates = await findCandidates(tx, sought, limit);
    const superfluous = candidates.filter((one) => one.superfluous).map(({ id }) => id);
    if (superfluous.length === 0) return { candidates, isHindered: false };
    const held = await holdActions(tx, superfluous);
    const used = await this.places.among(
      tx,
      held.flatMap(({ place }) => place ?? []),
    );
    const checkpoints = held.length === 0 ? 0 : await retireSuperfluous(tx, sought, held, used);
    if (checkpoints > 0) tx.onCommit(() => this.metrics.count(checkpoints));
    const free = new Set(held.map(({ action_id: id }) => id));
    return { candidates, isHindered: superfluous.some((id) => !free.has(id)) };
  }
}
