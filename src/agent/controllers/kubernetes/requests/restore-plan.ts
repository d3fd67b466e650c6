import type { KeptPod } from '../pods/restored-pod';
import type { RestoreAsked } from './kubernetes-requests';

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
}

export type StartedRestore = RestoreAsked & { readonly startedAt: string };
