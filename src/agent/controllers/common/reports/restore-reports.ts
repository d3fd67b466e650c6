import type { FailureFacts } from '../../../failures';
import { isProblem } from '../../../service/problems';
import { idempotencyKey, idFor } from '../../../service/requests';
import type { components } from '../../../service/schema';
import type { WorkloadStatus } from '../../../supervisor/control/control-protocol';
import type { ClusterContext } from '../cluster-context';
import type { ActionAsked } from '../requests/request-events';
import { failureText, profileOf } from './profiles';

type RestoreEvent = components['schemas']['RestoreEventBody'];

const PATHS = {
  restore_start: '/v1/restores/events/restore_start',
  restore_success: '/v1/restores/events/restore_success',
  restore_error: '/v1/restores/events/restore_error',
} as const;

type RestoreEventKind = keyof typeof PATHS;

const NS_PER_MS = 1e6;

/** What a supervisor answers of its restore, as far as the report of a success needs it. */
export type RestoredStatus = Pick<WorkloadStatus, 'startedAt' | 'restored'>;

/** What all reports of one restore say. */
export interface ReportedRestore {
  /** Ids and keys are made from it, so a repeated report says the same. */
  readonly request: ActionAsked & {
    readonly checkpointActionId?: string | undefined;
    readonly completedAt?: string;
  };
  /** Whether it is the action of the request that restores. */
  readonly isOfAction: boolean;
  readonly workloadType: 'pod' | 'slurm';
  readonly reference: string | undefined;
  readonly reason?: string | undefined;
  /** undefined: it failed before it began. */
  readonly startedAt: string | undefined;
  readonly metadata: object;
  /** What whoever takes over has to know of the request; undefined: nothing. */
  readonly requestMetadata?: object | undefined;
}

/** Reports one restore. Each report may be repeated, by this process or the next one. */
export class RestoreReports {
  constructor(
    private readonly context: Pick<ClusterContext, 'service' | 'clusterId' | 'log'>,
    private readonly restore: ReportedRestore,
  ) {}

  start(): Promise<void> {
    return this.send('restore_start', {});
  }

  /** Resolves when whoever takes over finds what the request is about. */
  known(): Promise<void> {
    return this.send('restore_start', {}, 'known');
  }

  /**
   * @param repetition distinguishes it from the others
   * @param waiting what the restore waits for, which the next report replaces
   */
  signOfLife(repetition: string, waiting?: string): Promise<void> {
    return this.send('restore_start', waiting === undefined ? {} : { runtime_metadata: { waiting } }, repetition);
  }

  /** @returns how long it took, in milliseconds */
  async success(status: RestoredStatus, startedAt: string): Promise<number> {
    const profile = restoredProfile(status, startedAt);
    await this.send('restore_success', { runtime_metadata: { profile } });
    return profile.duration / NS_PER_MS;
  }

  failure(failure: FailureFacts): Promise<void> {
    const { cause, message, remedy, log } = failure;
    const members = { error_message: failureText(failure), runtime_metadata: { cause, message, remedy, log } };
    return this.send('restore_error', members);
  }

  private async send(kind: RestoreEventKind, members: Partial<RestoreEvent>, repetition?: string): Promise<void> {
    const { service, clusterId, log } = this.context;
    const { request, isOfAction, workloadType, reference, reason, startedAt, metadata, requestMetadata } = this.restore;
    const { actionId, checkpointId, checkpointActionId, completedAt } = request;
    const body: RestoreEvent = {
      restore_uuid: idFor(request, 'restore'),
      ...(isOfAction ? { action_id: actionId } : {}),
      checkpoint_id: checkpointId,
      ...(checkpointActionId === undefined ? {} : { checkpoint_action_id: checkpointActionId }),
      cluster_id: clusterId(),
      workload_type: workloadType,
      ...(reference === undefined ? {} : { restore_path: reference }),
      ...(reason === undefined ? {} : { reason }),
      started_at: startedAt,
      ...(kind === 'restore_start' || completedAt === undefined ? {} : { completed_at: completedAt }),
      metadata,
      ...(requestMetadata && { request_metadata: requestMetadata }),
      ...members,
    };
    const step = repetition === undefined ? kind : `${kind}/${repetition}`;
    const header = { 'Idempotency-Key': idempotencyKey(request, step) };
    try {
      await service.send(`record_${kind}`, (api) => api.POST(PATHS[kind], { params: { header }, body }));
    } catch (error) {
      // The same event was reported by an attempt that saw it a little differently: the first one stands.
      if (!isProblem(error, 'idempotency_key_reused')) throw error;
      log.info({ action_id: actionId, kind }, 'the event is known');
    }
  }
}

/** @param askedAt when the restore began, for its controller */
function restoredProfile({ startedAt, restored }: RestoredStatus, askedAt: string) {
  const stages = restored?.stages ?? [];
  // From the request to the supervisor's first step.
  const launch = { name: 'launch', durationNs: (Date.parse(startedAt) - Date.parse(askedAt)) * NS_PER_MS };
  const bytes = stages.reduce((sum, stage) => Math.max(sum, stage.bytes), 0);
  return profileOf('restore', stages, bytes, launch);
}
