import type { FailureFacts } from '../../../failures';
import type { OutboxEvent } from '../../../service/outbox-reader';
import { memberOf } from '../../common/members';
import type { RestoredStatus } from '../../common/reports/restore-reports';
import type { OpenAction } from '../../common/requests/open-actions';
import { requestEvent, type ActionAsked } from '../../common/requests/request-events';
import type { Silence } from './silence';

const EVENTS = { checkpoint: 'action.checkpoint_requested', restore: 'action.restore_requested' };

/** Given up while it moves a pod: its store does not answer whether it has the checkpoint. */
export interface CheckpointAsked extends ActionAsked, Silence {
  readonly kind: 'checkpoint';
  readonly podUid: string;
  readonly leaveRunning: boolean;
  /** Decided before the dump: whether the pod is let go, to be moved off its node. */
  readonly moves?: boolean;
  /** Why it is not, although a maintenance window asked for the checkpoint. */
  readonly stays?: FailureFacts;
  /** The run of the controller that decided so: to any other one, only the mark of the pod says it. */
  readonly run?: string;
}

/** What the reports of a restore say of its pod. */
export interface ReportedPod {
  readonly namespace: string;
  readonly name: string;
  /** The checkpoint that it gets, or the first one of several. */
  readonly reference: string | undefined;
  readonly reason: string | undefined;
  /** undefined: there is no pod yet. */
  readonly uid?: string | undefined;
  readonly node?: string | undefined;
}

/** How a restore ended, with all that its report says: the cluster may show something else by then. */
export type RestoreEnd =
  | { readonly restored: RestoredStatus; readonly pod: ReportedPod & { readonly uid: string } }
  | { readonly failure: FailureFacts; readonly pod: ReportedPod | undefined };

/**
 * Brings a workload back in another pod. Given up, or about to be: its supervisor does not answer whether it
 * has restored.
 */
export interface RestoreAsked extends ActionAsked, Silence {
  /** `move`: this agent restores it elsewhere after a checkpoint for maintenance; no action asks for it. */
  readonly kind: 'restore' | 'move';
  /** Of a restore: the action that took the checkpoint. Of a move, it is the action itself. */
  readonly checkpointActionId?: string | undefined;
  /** Of a move: where the checkpoint is, if the service does not know it. */
  readonly reference?: string;
  /** Of a move: why it does not take place. */
  readonly refused?: FailureFacts | undefined;
  /** Of a move: the run of the controller that knows it to be open. Any other one asks the marks of pods. */
  readonly run?: string;
  /** Uids of the pods that an owner replaces: any other one of it is new. */
  readonly replaces?: readonly string[];
  /** When it began; a pod of it says the same. */
  readonly startedAt?: string;
  /** When its end was noticed: a repeated report says the same. */
  readonly completedAt?: string;
  /** Since when its supervisor has been at work, or may not be asked. */
  readonly busy?: Silence;
  /** That end. Earlier releases kept its time only: then it is looked for again. */
  readonly end?: RestoreEnd;
}

export type Request = CheckpointAsked | RestoreAsked;

/** @returns undefined for events of other clusters, and of other kinds */
export function requestOf(event: OutboxEvent, clusterId: string): Request | undefined {
  const asked = requestEvent(event, EVENTS, clusterId);
  if (!asked) return undefined;
  const { isRestore, members, leaveRunning, checkpointActionId, ...ids } = asked;
  if (isRestore) return { ...ids, kind: 'restore', checkpointActionId };
  const { pod_uid: podUid } = members;
  return typeof podUid === 'string' ? { ...ids, kind: 'checkpoint', podUid, leaveRunning } : undefined;
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
