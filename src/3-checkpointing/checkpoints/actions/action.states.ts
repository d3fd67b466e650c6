import type { CheckpointStatus } from '../checkpoint.states';

export const ACTION_TYPES = ['checkpoint_pod', 'restore_pod', 'heartbeat'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

/** In the order in which an action passes them; ready and error are final. */
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

/** What decides an action's status about one of its checkpoints. */
export interface CheckpointProgress {
  readonly status: CheckpointStatus;
  readonly failed: boolean;
  /** A node has taken it up. */
  readonly claimed: boolean;
  /** Null if its node did not name the container. */
  readonly container: string | null;
}

/** Names of the containers that an action covers; null if unknown, as for Slurm jobs. */
export type Containers = readonly string[] | null;

/** Whether each container has a checkpoint. An unnamed checkpoint counts for any one container. */
function covers(checkpoints: readonly Pick<CheckpointProgress, 'container'>[], containers: Containers): boolean {
  if (containers === null) return checkpoints.length > 0;
  const named = new Set(checkpoints.map(({ container }) => container));
  const unnamed = checkpoints.filter(({ container }) => container === null).length;
  return checkpoints.length > 0 && containers.filter((name) => !named.has(name)).length <= unnamed;
}

/**
 * Whether everything that an action covers can be restored: checkpoints may be deprecated after the action
 * was ready. Where the containers are unknown, each checkpoint counts as one that is needed.
 */
export function isWhole(
  status: ActionStatus,
  checkpoints: readonly Pick<CheckpointProgress, 'status' | 'container'>[],
  containers: Containers,
): boolean {
  const ready = checkpoints.filter((checkpoint) => checkpoint.status === 'ready');
  const isComplete = containers === null ? ready.length === checkpoints.length : true;
  return status === 'ready' && isComplete && covers(ready, containers);
}

/**
 * An action is ready when each covered container has a ready checkpoint and all its checkpoints are ready. It
 * is error when one failed. In between, its least advanced checkpoint decides.
 */
export function derivedStatus(checkpoints: readonly CheckpointProgress[], containers: Containers): ActionStatus {
  // A checkpoint that was deprecated after it was ready does not affect the attempt.
  if (checkpoints.some(({ failed }) => failed)) return 'error';
  const created = ({ status }: CheckpointProgress) => status !== 'initializing';
  const uploaded = ({ status }: CheckpointProgress) => status === 'ready' || status === 'deprecated';
  const complete = covers(checkpoints, containers);
  if (complete && checkpoints.every(uploaded)) return 'ready';
  if (complete && checkpoints.every(created)) return 'checkpoint_created';
  return checkpoints.some((checkpoint) => checkpoint.claimed || created(checkpoint)) ? 'processing' : 'initialized';
}

/** The more advanced of two statuses; a final status stays. */
export const furthest = (stored: ActionStatus, next: ActionStatus): ActionStatus =>
  isOver(stored) || RANK[next] <= RANK[stored] ? stored : next;
