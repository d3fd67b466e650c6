import type { ServiceClient } from '../../../service/client';
import type { OutboxEvent } from '../../../service/outbox-reader';
import type { FailureFacts } from '../../../failures';
import type { RestoreInstruction } from '../../../slurm/restore-instruction';
import type { Taken } from '../../common/reports/reported-checkpoint';
import type { OpenAction } from '../../common/requests/open-actions';
import { requestEvent, type ActionAsked } from '../../common/requests/request-events';

const EVENTS = { checkpoint: 'slurm.checkpoint_requested', restore: 'slurm.restore_requested' };

interface OfJob extends ActionAsked {
  readonly jobId: number;
}

export interface CheckpointAsked extends OfJob {
  readonly kind: 'checkpoint';
  readonly leaveRunning: boolean;
  /** Decided before the dump: whether the job is let go, to be moved off its node. */
  readonly moves?: boolean;
}

/** Brings a job back from a checkpoint by requeueing it. */
export interface RestoreAsked extends OfJob {
  /** `move`: this agent restores it elsewhere after a checkpoint for maintenance; no action asks for it. */
  readonly kind: 'restore' | 'move';
  readonly checkpointActionId?: string | undefined;
  readonly reference?: string;
  readonly reason?: string | undefined;
  /** Whatever the node lacks. */
  readonly allowIncompatible?: boolean;
  /** Of a move: its checkpoint, which is reported when the job is on its way. */
  readonly taken?: Taken;
  /** Of a move: why it does not take place. */
  readonly refused?: FailureFacts;
  readonly plan?: RestorePlan;
  /** When its end was noticed: a repeated report says the same. */
  readonly completedAt?: string;
}

/** Chosen before anything starts, so that a second attempt finds what the first one did. */
export interface RestorePlan {
  readonly startedAt: string;
  /** The restart of the job that is the restored one. */
  readonly run: number;
  /** Whether the job is requeued for this; one that waits is not. Absent: an earlier version made it. */
  readonly requeues?: boolean;
  /** Where the job must not run again; empty: anywhere. */
  readonly excluded: string;
  /** The instruction of an earlier restore, which stands in the job. */
  readonly before?: RestoreInstruction;
  /** Where it may run again: an earlier restore kept it away. */
  readonly lifted: string;
}

export type Request = CheckpointAsked | RestoreAsked;

/** @returns undefined for events of other clusters, and of other kinds */
export function requestOf(event: OutboxEvent, clusterId: string): Request | undefined {
  const asked = requestEvent(event, EVENTS, clusterId);
  if (!asked) return undefined;
  const { isRestore, members, leaveRunning, checkpointActionId, ...ids } = asked;
  const jobId = Number(members.job_id);
  if (!Number.isSafeInteger(jobId) || jobId < 1) return undefined;
  return isRestore
    ? { ...ids, kind: 'restore', jobId, checkpointActionId }
    : { ...ids, kind: 'checkpoint', jobId, leaveRunning };
}

/** The same, from the state of the service. */
export async function requestOfAction(service: ServiceClient, open: OpenAction): Promise<Request | undefined> {
  const { isRestore, actionId, checkpointId, checkpointActionId, action, platform } = open;
  if (platform !== 'slurm') return undefined;
  const query = { ids: checkpointId };
  const [checkpoint] = await service.send('list_slurm_checkpoints', (api) =>
    api.GET('/v1/slurm/checkpoints', { params: { query } }),
  );
  const jobId = checkpoint?.job_id;
  if (jobId === undefined || jobId === null) return undefined;
  return isRestore
    ? { kind: 'restore', actionId, checkpointId, checkpointActionId, jobId }
    : { kind: 'checkpoint', actionId, checkpointId, jobId, leaveRunning: action.leave_running !== false };
}
