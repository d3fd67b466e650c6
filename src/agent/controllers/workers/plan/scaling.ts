/** What a plan has to know of a worker. */
export interface PlannedWorker {
  readonly uid: string;
  readonly ready: boolean;
  /** Later ones have higher numbers. */
  readonly startedAt: number;
}

export interface Plan {
  /** How many workers to start. */
  readonly start: number;
  /** The workers to stop. */
  readonly stop: readonly string[];
}

/**
 * What leads from the workers that there are to the wanted number of them. Workers that are not ready go
 * first, then the youngest.
 * @param workers without those that are about to end
 */
export function planOf(wanted: number, workers: readonly PlannedWorker[]): Plan {
  const surplus = workers.length - wanted;
  if (surplus <= 0) return { start: wanted - workers.length, stop: [] };
  const leaving = [...workers].sort((a, b) => Number(a.ready) - Number(b.ready) || b.startedAt - a.startedAt);
  return { start: 0, stop: leaving.slice(0, surplus).map(({ uid }) => uid) };
}
