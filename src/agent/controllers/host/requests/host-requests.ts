import type { OutboxEvent } from '../../../service/outbox-reader';
import { memberOf } from '../../common/members';
import { type OpenAction } from '../../common/requests/open-actions';
import { requestEvent, type ActionAsked } from '../../common/requests/request-events';

const EVENTS = { checkpoint: 'action.checkpoint_requested', restore: 'action.restore_requested' };

export interface CheckpointAsked extends ActionAsked {
  readonly kind: 'checkpoint';
  readonly podUid: string;
  readonly leaveRunning: boolean;
}

export interface RestoreAsked extends ActionAsked {
  readonly kind: 'restore';
  readonly checkpointActionId?: string | undefined;
  /** Chosen before anything starts, so that a second attempt finds what the first one started. */
  readonly target?: { readonly namespace: string; readonly name: string; readonly startedAt: string };
  /** When its end was noticed: a repeated report says the same. */
  readonly completedAt?: string;
}

export type Request = CheckpointAsked | RestoreAsked;

/** @returns undefined for events of other clusters, and of other kinds */
export function requestOf(event: OutboxEvent, clusterId: string): Request | undefined {
  const asked = requestEvent(event, EVENTS, clusterId);
  if (!asked) return undefined;
  const { isRestore, members, leaveRunning, checkpointActionId, ...ids } = asked;
  if (isRestore) return { ...ids, kind: 'restore', checkpointActionId };
  return typeof members.pod_uid === 'string'
    ? { ...ids, kind: 'checkpoint', podUid: members.pod_uid, leaveRunning }
    : undefined;
}

/** The same, from the state of the service. */
export function requestOfAction(open: OpenAction): Request | undefined {
  const { isRestore, actionId, checkpointId, checkpointActionId, action, platform } = open;
  if (platform === 'slurm') return undefined;
  if (isRestore) return { kind: 'restore', actionId, checkpointId, checkpointActionId };
  const podUid = memberOf(action.pod_metadata, 'uid');
  if (podUid === undefined) return undefined;
  return { kind: 'checkpoint', actionId, checkpointId, podUid, leaveRunning: action.leave_running !== false };
}
