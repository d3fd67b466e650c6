import { CHECKPOINT_VARIABLE, instructionIn } from '../../../kubernetes/restore-instruction';
import { idFor } from '../../../service/requests';
import { memberOf, members } from '../../common/members';
import type { Action } from '../../common/requests/open-actions';
import type { Pod } from '../cluster/resources';
import { restoreMark } from '../pods/marks';
import { containersOf } from '../pods/pod-state';
import type { KeptPod } from '../pods/restored-pod';
import type { RestoreAsked, RestoreEnd } from './kubernetes-requests';

/** A container, and the checkpoint that it gets. */
export interface ContainerRestore {
  readonly container: string;
  readonly reference: string;
  /** As the service knows it. */
  readonly name: string;
}

/** All that is decided before something happens. It is the same for each attempt. */
export interface RestorePlan {
  readonly kept: KeptPod;
  readonly namespace: string;
  /** Of the new pod. */
  readonly name: string;
  /** That its supervisors get. */
  readonly uid: string;
  readonly containers: readonly ContainerRestore[];
  readonly reason: string | undefined;
  /** The node that it leaves. */
  readonly away: string | undefined;
  /** By itself, also if its owner would replace it. */
  readonly isStandalone: boolean;
  /** Whatever the node lacks. */
  readonly allowIncompatible?: boolean;
}

const MAX_LABEL = 63;
const DIGITS = 8;

/** Name of the pod that was the first one: names do not grow with each restore. */
export const originOf = (metadata: KeptPod['metadata']): string =>
  restoreMark({ metadata })?.origin ?? metadata?.name ?? 'restored';

/**
 * Where the new pod of a request is, in each attempt of any controller.
 * @returns also the uid that its supervisors get
 */
export function placeOfRestored(
  asked: RestoreAsked,
  { details, pod_metadata: metadata }: Pick<Action, 'details' | 'pod_metadata'>,
): Pick<RestorePlan, 'namespace' | 'name' | 'uid'> {
  const { overrides } = members(details);
  const uid = idFor(asked, 'pod');
  // A part of a name ends with a letter or a digit.
  const origin = originOf(members(metadata))
    .slice(0, MAX_LABEL - DIGITS - 1)
    .replace(/(?<![-.])[-.]+$/, '');
  return {
    namespace: memberOf(overrides, 'namespace') ?? memberOf(metadata, 'namespace') ?? 'default',
    name: memberOf(overrides, 'pod_name') ?? `${origin}-${uid.slice(0, DIGITS)}`,
    uid,
  };
}

/** What the containers of a pod restore, by the instructions that they got when it was made. */
export function instructedIn(pod: Pod): ContainerRestore[] {
  return containersOf(pod).flatMap(({ name: container, env = [] }) => {
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const instruction = instructionIn(values);
    const name = values[CHECKPOINT_VARIABLE] ?? '';
    return instruction ? [{ container, reference: instruction.reference, name }] : [];
  });
}

export type StartedRestore = RestoreAsked & { readonly startedAt: string };

/** It has only to be reported. */
export type EndedRestore = StartedRestore & { readonly end: RestoreEnd };
