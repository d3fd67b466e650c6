/** The limits of a profile that the service scales. */
export interface ScalingLimits {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Requests that one replica serves at a time. */
  readonly targetConcurrency: number;
  /** Without a request for this long, it goes down to `minReplicas`. */
  readonly idleMs: number;
}

/** What is known when a decision is made. */
export interface ScalingState {
  /** Requested replicas; at least one. */
  readonly replicas: number;
  /** Enabled profiles get more. */
  readonly enabled: boolean;
  /** The request for them is not yet fulfilled: their workers start. */
  readonly pending: boolean;
  /** The request for them has expired: only those of its workers run that were ready. */
  readonly expired: boolean;
  /** Since they were requested, and the first of their workers was ready. */
  readonly upForMs: number;
  readonly running: number;
  readonly waiting: number;
  /** The most requests at a time of the last minute; undefined until it was watched for so long. */
  readonly peak: number | undefined;
  /** Since the last request. */
  readonly idleForMs: number;
}

export interface ScalingDecision {
  /** 0: suspended. */
  readonly replicas: number;
  /** One sentence. */
  readonly reason: string;
}

/** Demand must be lower for this long before replicas are given up. */
export const STEADY_MS = 60_000;

/**
 * How many replicas a profile needs, if that differs from what was requested: more at once, fewer after a
 * steady minute, and the fewest once it is idle. Nothing is taken away before demand was watched for a
 * minute: a replica of the service that has just started does not know the requests of the others. An
 * expired request is followed by another one only if requests wait, for what the last minute needed, or to
 * suspend the profile.
 */
export function decideScale(
  { minReplicas, maxReplicas, targetConcurrency, idleMs }: ScalingLimits,
  { replicas, enabled, pending, expired, upForMs, running, waiting, peak, idleForMs }: ScalingState,
): ScalingDecision | undefined {
  const least = Math.max(minReplicas, 1);
  const needed = (requests: number): number =>
    Math.min(Math.max(Math.ceil(requests / targetConcurrency), least), maxReplicas);
  const each = `${targetConcurrency} at a time each`;
  const demand = running + waiting;
  const now = needed(demand);
  if (demand > 0 && now > replicas && enabled && (!expired || waiting > 0))
    return {
      replicas: now,
      reason: `${running} running and ${waiting} waiting requests need ${workers(now)}, ${each}.`,
    };
  // What starts is awaited: it would never come up where a start takes longer than the idle time.
  if (pending || peak === undefined) return undefined;
  // It is not renewed for fewer workers while nothing waits: those would be started for nobody.
  const isRenewed = expired && enabled && waiting > 0;
  if (expired && !isRenewed && minReplicas > 0) return undefined;
  if (demand === 0 && peak === 0 && replicas > minReplicas && Math.min(idleForMs, upForMs) >= idleMs)
    return {
      replicas: minReplicas,
      reason: `There was no request for ${Math.floor(Math.min(idleForMs, upForMs) / 1_000)} seconds.`,
    };
  if (!isRenewed && (expired || upForMs < STEADY_MS)) return undefined;
  const steady = needed(Math.max(peak, demand));
  if (!isRenewed && steady >= replicas) return undefined;
  const seconds = STEADY_MS / 1_000;
  return {
    replicas: steady,
    reason: `At most ${peak} requests at a time in ${seconds} seconds need ${workers(steady)}, ${each}.`,
  };
}

const workers = (count: number): string => (count === 1 ? '1 worker' : `${count} workers`);
