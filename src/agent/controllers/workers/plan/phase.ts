/** Where a worker is, from its start to its end. */
export type WorkerPhase = 'Scheduling' | 'Restoring' | 'Loading' | 'Warming' | 'Ready' | 'Draining' | 'Ended';

/** The phase of an activation, as the service knows it. */
export type ActivationPhase = Exclude<WorkerPhase, 'Ended'> | 'Pending' | 'Suspended' | 'Failed';

/** From the first to the last; whoever is further says what the profile is doing. */
const COMING_UP = ['Scheduling', 'Restoring', 'Loading', 'Warming'] as const;

/** After so many failed starts in a row, a profile without a ready worker has failed. It is tried again. */
const FAILED_AFTER = 3;

export interface PhaseFacts {
  /** How many workers shall be ready. */
  readonly wanted: number;
  readonly workers: readonly WorkerPhase[];
  /** Starts that failed in a row. */
  readonly failures: number;
}

export function phaseOf({ wanted, workers, failures }: PhaseFacts): ActivationPhase {
  const live = workers.filter((phase) => phase !== 'Ended');
  if (wanted === 0) return live.length === 0 ? 'Suspended' : 'Draining';
  if (live.includes('Ready')) return 'Ready';
  if (failures >= FAILED_AFTER) return 'Failed';
  return COMING_UP.findLast((phase) => live.includes(phase)) ?? (live.length === 0 ? 'Pending' : 'Draining');
}
