import { Injectable } from '@nestjs/common';
import { Clock } from '../../../1-platform/common/clock';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { NOTHING_KNOWN, type Attempt } from '../../operations/attempt';
import { OperationsService } from '../../operations/operations.service';
import type { LockedAction } from './actions.queries';

/** A restore that is over although its node has not reported an end, and why. */
export interface FailedRestore {
  readonly action: LockedAction;
  readonly error: string;
}

/** Writes the facts of attempts to restore whose end no node reports. A later report replaces this end. */
@Injectable()
export class RestoreFacts {
  constructor(
    private readonly operations: OperationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Fails the attempts that have not ended. A restore without any attempt counts as one that failed, as a
   * requested checkpoint does: it has the id of its action. The actions are locked.
   */
  async fail(tx: Tx, restores: readonly FailedRestore[]): Promise<void> {
    if (restores.length === 0) return;
    const byId = new Map(restores.map((restore) => [restore.action.id, restore]));
    const attempted = await this.operations.totalsOf(tx, [...byId.keys()]);
    const unfinished = await this.operations.unfinishedRestores(tx, [...byId.keys()]);
    const unattempted = restores.filter(({ action }) => !attempted.has(action.id)).map(({ action }) => asked(action));
    const now = this.clock.now();
    await this.operations.recordAll(
      tx,
      'restore',
      [...unfinished, ...unattempted].map((attempt) => ({
        ...attempt,
        stages: [],
        result: 'failed',
        failureReason: byId.get(attempt.actionId ?? '')?.error ?? '',
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
