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

/**
 * Milliseconds until the profile is ready: the median of its measured starts of the current or expected kind,
 * less the elapsed time. Without one, that of cold starts; without these, the operator's estimate. A start
 * that takes longer is expected at any moment.
 * @returns null if nothing was measured or estimated
 */
export function readyInMs({ current, askedMsAgo, hasArtifact, medians, estimatedColdMs }: StartupFacts): number | null {
  const kind = current?.kind ?? (hasArtifact ? 'restore' : 'cold');
  const total = medians[kind] ?? medians.cold ?? (estimatedColdMs > 0 ? estimatedColdMs : null);
  return total === null ? null : Math.max(Math.ceil(total - (current?.runsMs ?? askedMsAgo ?? 0)), 0);
}
