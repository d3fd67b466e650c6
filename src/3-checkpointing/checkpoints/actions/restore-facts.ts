import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../1-platform/common/clock';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { NOTHING_KNOWN, type Attempt } from '../../operations/attempt';
import { OperationsService } from '../../operations/operations.service';
import type { LockedAction } from './actions.queries';
import { lockSilentRestores } from './silent-restores.queries';

/** The failure of what was reported once, and then not for so long. */
export const noReportFor = (time: string): string => `no report arrived for ${time}`;

/** A restore that was given up, and why. */
export interface GivenUpRestore {
  readonly action: LockedAction;
  readonly error: string;
}

/** Writes the facts of attempts to restore whose end no node reports. A later report replaces this end. */
@Injectable()
export class RestoreFacts {
  constructor(
    private readonly operations: OperationsService,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /**
   * Counts restores that nobody has begun as attempts that failed, as requested checkpoints count: they have
   * the ids of their actions, which are locked.
   */
  async failUnattempted(tx: Tx, restores: readonly GivenUpRestore[]): Promise<void> {
    if (restores.length === 0) return;
    const attempted = await this.operations.totalsOf(
      tx,
      restores.map(({ action }) => action.id),
    );
    await this.fail(
      tx,
      restores
        .filter(({ action }) => !attempted.has(action.id))
        .map(({ action, error }) => ({ ...asked(action), failureReason: error })),
    );
  }

  /**
   * Fails attempts, of some, that have not ended, whose action is over or which have none, and on which
   * nothing is reported any more. An action may end by one of several attempts, or before one begins.
   */
  async failSilent(tx: Tx, ids: readonly string[]): Promise<void> {
    const seconds = this.environment.checkpointTimeoutSeconds;
    const silent = new Map((await lockSilentRestores(tx, ids, seconds)).map((restore) => [restore.id, restore]));
    const running = await this.operations.lockRunning(tx, [...silent.keys()]);
    await this.fail(
      tx,
      running.map((attempt) => ({
        ...attempt,
        failureReason: silent.get(attempt.operationId)?.has_action
          ? noReportFor(`${seconds} seconds`)
          : noReportFor('a day'),
      })),
    );
  }

  private fail(tx: Tx, attempts: readonly Attempt[]): Promise<void> {
    const now = this.clock.now();
    return this.operations.recordAll(
      tx,
      'restore',
      attempts.map((attempt) => ({
        ...attempt,
        stages: [],
        result: 'failed',
        // Its node's clock may be ahead.
        completedAt: new Date(Math.max(now.getTime(), attempt.startedAt.getTime())),
      })),
    );
  }
}

/** The attempt that an action asked for, and that nobody has begun. */
const asked = (action: LockedAction): Attempt => ({
  ...NOTHING_KNOWN,
  operationId: action.id,
  opType: 'restore',
  actionId: action.id,
  checkpointId: action.checkpoint_id,
  clusterId: action.cluster_id,
  name: action.pod_name,
  namespace: action.namespace,
  kind: action.kind,
  platform: action.platform,
  reason: action.reason,
  workloadType: action.platform === 'slurm' ? 'slurm' : 'kubernetes',
  startedAt: action.created_at,
});
