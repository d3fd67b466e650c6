import type { CheckpointStatus } from './checkpoint.states';

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
}

/** An action is ready when all its checkpoints are, and error when one failed; in between it is as far as all of them are. */
export function derivedStatus(checkpoints: readonly CheckpointProgress[]): ActionStatus {
  // One that was given up after it was ready says nothing about the attempt.
  if (checkpoints.some(({ failed }) => failed)) return 'error';
  const created = ({ status }: CheckpointProgress) => status !== 'initializing';
  const uploaded = ({ status }: CheckpointProgress) => status === 'ready' || status === 'deprecated';
  if (checkpoints.length > 0 && checkpoints.every(uploaded)) return 'ready';
  if (checkpoints.length > 0 && checkpoints.every(created)) return 'checkpoint_created';
  return checkpoints.some((checkpoint) => checkpoint.claimed || created(checkpoint)) ? 'processing' : 'initialized';
}

/** The further of two; an action that is over stays as it ended. */
export const furthest = (stored: ActionStatus, next: ActionStatus): ActionStatus =>
  isOver(stored) || RANK[next] <= RANK[stored] ? stored : next;
