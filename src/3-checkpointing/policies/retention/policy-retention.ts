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
  holdSuperfluous,
  keepsSome,
  noteTrimmed,
  retireSuperfluous,
  trimmedPolicies,
  trimOf,
  workloadsToTrim,
  type Sought,
  type TrimmedPolicy,
} from './retired-actions.queries';

const SWEEP = 'kept checkpoints';
const EVERY_SECONDS = 10;

/** A longer round hands over to the next one. */
const ROUND_MS = 20_000;
/** So that a policy with very many workloads does not keep the others waiting. */
const TURN_MS = 5_000;
const POLICIES_A_PAGE = 500;

/** One transaction retires at most 400 actions. It holds them for some 200 milliseconds. */
const WORKLOADS_A_TRANSACTION = 20;

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
    if (policyId !== null && status === 'ready' && (await keepsSome(tx, policyId)))
      await this.retire(tx, { policyId, actionIds: [id] });
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
   * Looks at the next workloads of a policy: again, while they have more than one look retires.
   * @returns whether it was at all of them
   */
  private async trim(tx: Tx, policyId: string): Promise<boolean> {
    // Another replica holds what it retires, so these workloads would look done.
    await takeTurn(tx, 'keptCheckpoints', policyId);
    const trim = await trimOf(tx, policyId);
    if (!trim) return true;
    const next = await workloadsToTrim(tx, policyId, trim, WORKLOADS_A_TRANSACTION);
    const actionIds = next.map(({ action_id: id }) => id);
    if ((await this.retire(tx, { policyId, actionIds })) > 0) return false;
    const last = next.at(-1);
    await noteTrimmed(tx, policyId, trim, last?.workload ?? null);
    return last === undefined;
  }

  /** @returns the number of actions that retired */
  private async retire(tx: Tx, sought: Sought): Promise<number> {
    if (sought.actionIds.length === 0) return 0;
    const held = await holdSuperfluous(tx, sought);
    if (held.length === 0) return 0;
    const used = await this.places.among(
      tx,
      held.flatMap(({ place }) => place ?? []),
    );
    const { actions, checkpoints } = await retireSuperfluous(tx, sought, held, used);
    if (checkpoints > 0) tx.onCommit(() => this.metrics.count(checkpoints));
    return actions;
  }
}
