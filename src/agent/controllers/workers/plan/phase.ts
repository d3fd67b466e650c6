/** Where a worker is, from its start to its end. */
export type WorkerPhase = 'Scheduling' | 'Restoring' | 'Loading' | 'Warming' | 'Ready' | 'Draining' | 'Ended';

/** The phase of an activation, as the service knows it. */
export type ActivationPhase = Exclude<WorkerPhase, 'Ended'> | 'Pending' | 'Suspended' | 'Failed';

/** From the first to the last; whoever is further says what the profile is doing. */
const COMING_UP = ['Scheduling', 'Restoring', 'Loading', 'Warming'] as const;

/** After so many failed starts in a row, a profile without a ready worker has failed. It is tried again. */
const FAILED_AFTER = 3;
/** The same, if its cluster has ended workers so often in a row: that takes two minutes, with the pauses. */
const FAILED_AFTER_PAUSES = 8;

export interface PhaseFacts {
  /** How many workers shall be ready. */
  readonly wanted: number;
  readonly workers: readonly WorkerPhase[];
  /** Starts that failed in a row. */
  readonly failures: number;
  /** How often in a row its cluster has ended workers that had not served. */
  readonly pauses: number;
}

export function phaseOf({ wanted, workers, failures, pauses }: PhaseFacts): ActivationPhase {
  const live = workers.filter((phase) => phase !== 'Ended');
  if (wanted === 0) return live.length === 0 ? 'Suspended' : 'Draining';
  if (live.includes('Ready')) return 'Ready';
  if (failures >= FAILED_AFTER || pauses >= FAILED_AFTER_PAUSES) return 'Failed';
  return COMING_UP.findLast((phase) => live.includes(phase)) ?? (live.length === 0 ? 'Pending' : 'Draining');
}
