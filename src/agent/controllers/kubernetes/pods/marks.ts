import { UUID } from '../../../uuid';
import { members } from '../../common/members';
import type { Node, Pod } from '../cluster/resources';

/** How `ccp-agent` is called in the containers of a pod, with its first arguments, separated by spaces. */
export const PROGRAM = 'ccp-agent/program';
/** Of a pod: names of the containers that are to have checkpoints. The service reads it too. */
export const CONTAINERS = 'ccp-agent/containers';
/** Of a pod that is moved: what for, so that whoever takes over goes on. */
export const MOVING = 'ccp-agent/moving';
/** Of a pod that was made for a restore: which one. */
export const RESTORE = 'ccp-agent/restore';
/** Of such a pod: when its end was reported. */
export const REPORTED = 'ccp-agent/reported';
/** Of a node: until when it takes no pods, because this agent said so. */
export const CORDONED = 'ccp-agent/cordoned-until';

/** A label of the pods of workers: id of the cluster in the service whose controller made them. */
export const WORKERS_OF = 'ccp-agent/workers-of';

/** All that an agent writes, which no copy of an object keeps. */
export const OWN_MARKS: readonly string[] = [MOVING, RESTORE, REPORTED];

/** The ids of a pod that is moved. */
export interface MovingMark {
  readonly actionId: string;
  readonly checkpointId: string;
}

/** What a pod that was made for a restore says of it. */
export interface RestoreMark {
  readonly kind: 'restore' | 'move';
  readonly actionId: string;
  readonly checkpointId: string;
  /** When the restore began. */
  readonly startedAt: string;
  readonly reason?: string;
  /** Name of the pod of which the first checkpoint was taken. */
  readonly origin: string;
}

export const annotation = (object: Pod | Node, name: string): string | undefined =>
  object.metadata?.annotations?.[name];

/** @returns undefined if there is none, or if it is not of this agent: anybody may annotate pods */
export function movingMark(pod: Pod): MovingMark | undefined {
  const { actionId, checkpointId } = membersIn(annotation(pod, MOVING));
  return isId(actionId) && isId(checkpointId) ? { actionId, checkpointId } : undefined;
}

/** The same of a pod that was made for a restore. */
export function restoreMark(pod: Pod): RestoreMark | undefined {
  const { kind, actionId, checkpointId, startedAt, reason, origin } = membersIn(annotation(pod, RESTORE));
  if ((kind !== 'restore' && kind !== 'move') || !isId(actionId) || !isId(checkpointId)) return undefined;
  if (!isText(startedAt) || Number.isNaN(Date.parse(startedAt))) return undefined;
  if (!isText(origin) || !POD_NAME.test(origin)) return undefined;
  if (reason !== undefined && !isText(reason)) return undefined;
  return { kind, actionId, checkpointId, startedAt, origin, ...(reason !== undefined && { reason }) };
}

/** As Kubernetes allows it. */
const POD_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

const isText = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown): value is string => isText(value) && UUID.test(value);

function membersIn(text = '{}'): Readonly<Record<string, unknown>> {
  try {
    return members(JSON.parse(text));
  } catch {
    return {};
  }
}
