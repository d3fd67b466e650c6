import type { StartKind } from '../../../4-serving/activations/activations.dto';

/** The known facts about a profile's starts. */
export interface StartupFacts {
  /** The current start. */
  readonly current: { readonly kind: StartKind; readonly runsMs: number } | null;
  /** The time since it was requested, if no start has begun. */
  readonly askedMsAgo: number | null;
  /** It has an artifact that is ready or golden. Where the bytes are (residency) is not checked. */
  readonly hasArtifact: boolean;
  /** Medians of measured starts, by kind. */
  readonly medians: Readonly<Record<StartKind, number | null>>;
  /** The operator's estimate of a cold start; 0: none. */
  readonly estimatedColdMs: number;
}

/** What is expected of a start. */
export interface StartupEstimate {
  /** Null if nothing was measured or estimated. */
  readonly readyInMs: number | null;
  /** It takes so long that it may never end: nobody should rely on it. */
  readonly overdue: boolean;
}

/** A start is overdue after twice the expected time, and at least this long after it. */
const LATE_MS = 30_000;
/** A start of which no time is known is overdue after this one. */
const UNKNOWN_LATE_MS = 10 * 60_000;

/**
 * Milliseconds until the profile is ready: the median of its measured starts of the current or expected kind,
 * less the elapsed time. Without one, that of cold starts; without these, the operator's estimate. A start
 * that takes longer is expected at any moment, until it is overdue.
 */
export function startupEstimate(facts: StartupFacts): StartupEstimate {
  const { current, askedMsAgo, hasArtifact, medians, estimatedColdMs } = facts;
  const kind = current?.kind ?? (hasArtifact ? 'restore' : 'cold');
  const total = medians[kind] ?? medians.cold ?? (estimatedColdMs > 0 ? estimatedColdMs : null);
  const elapsed = current?.runsMs ?? askedMsAgo ?? 0;
  return {
    readyInMs: total === null ? null : Math.max(Math.ceil(total - elapsed), 0),
    overdue: elapsed > (total === null ? UNKNOWN_LATE_MS : Math.max(2 * total, total + LATE_MS)),
  };
}
