import { Injectable } from '@nestjs/common';
import { Clock } from '../../1-platform/common/clock';
import { isJsonObject } from '../../1-platform/common/json/json';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { StoredAttempt } from '../operations/attempt';
import type { OperationResult } from '../operations/operation.states';
import { OperationsService } from '../operations/operations.service';
import { readReport } from '../operations/reported-stages';
import type { LockedAction } from './actions/actions.queries';
import { UNFINISHED_STATUSES, type CheckpointStatus } from './checkpoint.states';
import { deprecateFailed, lockUnfinished, type CheckpointRow } from './checkpoints.queries';

const NANOSECONDS = 1_000_000;

/** Writes the facts of checkpoint attempts, in the transaction of the report. */
@Injectable()
export class CheckpointFacts {
  constructor(
    private readonly operations: OperationsService,
    private readonly clock: Clock,
  ) {}

  /** @param action null for a checkpoint without one */
  record(
    tx: Tx,
    checkpoint: CheckpointRow,
    action: LockedAction | null,
    result: Exclude<OperationResult, 'failed'>,
  ): Promise<void> {
    return this.operations.record(tx, this.attempt(checkpoint, action, result));
  }

  private attempt(
    checkpoint: CheckpointRow,
    action: LockedAction | null,
    result: OperationResult,
    error = '',
  ): StoredAttempt {
    const report = readReport(checkpoint.info, 'checkpoint');
    const startedAt = action?.created_at ?? checkpoint.created_at;
    const completedAt = result === 'running' ? null : this.clock.now();
    // Without a duration from the node, an attempt lasts from the request to its last report.
    const wallMs = completedAt ? Math.max(0, completedAt.getTime() - startedAt.getTime()) : 0;
    const wallNs = Math.min(wallMs * NANOSECONDS, Number.MAX_SAFE_INTEGER);
    return {
      operationId: checkpoint.id,
      opType: 'checkpoint',
      result,
      actionId: action?.id ?? null,
      checkpointId: checkpoint.id,
      clusterId: checkpoint.cluster_id,
      name: action?.pod_name ?? '',
      namespace: action?.namespace ?? '',
      nodeName: action?.node_name ?? '',
      podUid: action?.pod_uid ?? '',
      checkpointName: checkpoint.name ?? '',
      kind: action?.kind ?? '',
      platform: checkpoint.platform,
      gpuModel: checkpoint.gpu,
      reason: action?.reason ?? '',
      source: report.source,
      storageTier: textOf(checkpoint.info, 'storage_tier'),
      workloadType: checkpoint.workload_type,
      failureReason: error,
      failureStage:
        error === ''
          ? ''
          : textOf(checkpoint.info, 'failure_stage') ||
            (report.stages.find((stage) => stage.result === 'failed')?.stage ?? ''),
      durationNs: report.durationNs || wallNs,
      pauseNs: report.pauseNs,
      logicalBytes: report.logicalBytes,
      physicalBytes: report.physicalBytes,
      startedAt,
      completedAt,
      podScheduledAt: null,
      podReadyAt: null,
      stages: report.stages,
    };
  }

  /** Deprecates a checkpoint whose attempt failed, and records the reason in its fact. */
  async fail(tx: Tx, checkpoint: CheckpointRow, action: LockedAction | null, error: string): Promise<void> {
    await deprecateFailed(tx, [checkpoint.id], error);
    await this.operations.record(tx, this.attempt(checkpoint, action, 'failed', error));
  }

  /**
   * Does the same for all unfinished checkpoints of the actions.
   * @param statuses the statuses that count as unfinished
   */
  async failUnfinished(
    tx: Tx,
    actions: readonly LockedAction[],
    error: string,
    statuses: readonly CheckpointStatus[] = UNFINISHED_STATUSES,
  ): Promise<void> {
    if (actions.length === 0) return;
    const byId = new Map(actions.map((action) => [action.id, action]));
    const unfinished = await lockUnfinished(tx, [...byId.keys()], statuses);
    if (unfinished.length === 0) return;
    await deprecateFailed(
      tx,
      unfinished.map(({ id }) => id),
      error,
    );
    await this.operations.recordAll(
      tx,
      'checkpoint',
      unfinished.map((row) => this.attempt(row, byId.get(row.action_id) ?? null, 'failed', error)),
    );
  }
}

const textOf = (info: unknown, name: string): string => {
  const value = isJsonObject(info) ? info[name] : undefined;
  return typeof value === 'string' ? value.slice(0, 253) : '';
};
