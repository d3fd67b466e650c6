import type { CheckpointStatus } from '../checkpoint.states';

export const ACTION_TYPES = ['checkpoint_pod', 'restore_pod', 'heartbeat'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** In the order an action passes them; ready and error are its ends. */
export const ACTION_STATUSES = ['initialized', 'processing', 'checkpoint_created', 'ready', 'error'] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

const RANK: Readonly<Record<ActionStatus, number>> = {
  initialized: 0,
  processing: 1,
  checkpoint_created: 2,
  ready: 3,
  error: 3,
};

export const isOver = (status: ActionStatus): boolean => RANK[status] === 3;

/** What an action knows of one of its checkpoints. */
export interface CheckpointProgress {
  readonly status: CheckpointStatus;
  readonly failed: boolean;
  /** A node has taken it up. */
  readonly claimed: boolean;
  /** Null where its node did not name the container. */
  readonly container: string | null;
}

/** Names of the containers that an action covers; null where they are not known, as for Slurm jobs. */
export type Containers = readonly string[] | null;

/**
 * Whether there is a checkpoint for each container. One
 * without a container's name stands for any one of them.
 */
function covers(checkpoints: readonly Pick<CheckpointProgress, 'container'>[], containers: Containers): boolean {
  if (containers === null) return checkpoints.length > 0;
  const named = new Set(checkpoints.map(({ container }) => container));
  const unnamed = checkpoints.filter(({ container }) => container === null).length;
  return checkpoints.length > 0 && containers.filter((name) => !named.has(name)).length <= unnamed;
}

/**
 * Whether everything that an action covers can be restored: its
 * checkpoints may have been deprecated since it was ready.
 */
export const isWhole = (
  status: ActionStatus,
  checkpoints: readonly Pick<CheckpointProgress, 'status' | 'container'>[],
  containers: Containers,
): boolean =>
  status === 'ready' &&
  covers(
    checkpoints.filter((checkpoint) => checkpoint.status === 'ready'),
    containers,
  );

/**
 * An action is ready when each container that it covers is, and so are all its checkpoints; it is error when
 * one failed. In between it is as far as all of them are.
 */
export function derivedStatus(checkpoints: readonly CheckpointProgress[], containers: Containers): ActionStatus {
  // One that was given up after it was ready says nothing about the attempt.
  if (checkpoints.some(({ failed }) => failed)) return 'error';
  const created = ({ status }: CheckpointProgress) => status !== 'initializing';
  const uploaded = ({ status }: CheckpointProgress) => status === 'ready' || status === 'deprecated';
  const complete = covers(checkpoints, containers);
  if (complete && checkpoints.every(uploaded)) return 'ready';
  if (complete && checkpoints.every(created)) return 'checkpoint_created';
  return checkpoints.some((checkpoint) => checkpoint.claimed || created(checkpoint)) ? 'processing' : 'initialized';
}

/** The further of two; an action that is over stays as it ended. */
export const furthest = (stored: ActionStatus, next: ActionStatus): ActionStatus =>
  isOver(stored) || RANK[next] <= RANK[stored] ? stored : next;
