import type { OutboxEvent } from '../../../service/outbox-reader';
import { UUID } from '../../../uuid';
import type { Asked } from './request-journal';

/** A request to take a checkpoint, or to restore one. */
export interface ActionAsked extends Asked {
  readonly checkpointId: string;
}

/** Types of the outbox, as docs/wings/3-checkpointing.md describes them. */
export interface RequestEventTypes {
  readonly checkpoint: string;
  readonly restore: string;
}

/** What an event requests, whatever the kind of its workload. */
export interface RequestEvent {
  readonly isRestore: boolean;
  readonly eventId: number;
  readonly actionId: string;
  readonly checkpointId: string;
  /** Of a restore: the action that took the checkpoint. */
  readonly checkpointActionId: string | undefined;
  readonly leaveRunning: boolean;
  /** The members of the event, of which the others name the workload. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** @returns undefined for events of other clusters, and of other types */
export function requestEvent(
  { id: eventId, event_type: type, payload }: OutboxEvent,
  types: RequestEventTypes,
  clusterId: string,
): RequestEvent | undefined {
  if (type !== types.checkpoint && type !== types.restore) return undefined;
  const members = (typeof payload === 'object' && payload !== null ? payload : {}) as Record<string, unknown>;
  if (members.cluster_id !== clusterId) return undefined;
  const [actionId, checkpointId] = [uuid(members.action_id), uuid(members.checkpoint_id)];
  if (actionId === undefined || checkpointId === undefined) return undefined;
  return {
    isRestore: type === types.restore,
    eventId,
    actionId,
    checkpointId,
    checkpointActionId: uuid(members.checkpoint_action_id),
    leaveRunning: members.leave_running !== false,
    members,
  };
}

const uuid = (value: unknown): string | undefined =>
  typeof value === 'string' && UUID.test(value.toLowerCase()) ? value.toLowerCase() : undefined;
