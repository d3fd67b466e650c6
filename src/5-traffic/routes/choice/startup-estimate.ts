export type StartKind = 'restore' | 'cold';

/** What is known of how a profile comes up. */
export interface StartupFacts {
  /** The start that is under way. */
  readonly current: { readonly kind: StartKind; readonly runsMs: number } | null;
  /** How long ago it was asked for, where nothing has come of it yet. */
  readonly askedMsAgo: number | null;
  /** There is an artefact that its workers could be restored from. */
  readonly restorable: boolean;
  /** Medians of starts that were measured, by kind. */
  readonly medians: Readonly<Record<StartKind, number | null>>;
  /** The operator's estimate of a cold start; 0: none. */
  readonly estimatedColdMs: number;
}

/**
 * Milliseconds until the profile is ready: the median of its measured starts of the kind that is under way,
 * or to be expected, less what of it is over; without one, of cold starts; without these, the operator's
 * estimate. A start that takes longer than that is expected at any moment.
 * @returns null where nothing was measured or estimated
 */
export function readyInMs({ current, askedMsAgo, restorable, medians, estimatedColdMs }: StartupFacts): number | null {
  const kind = current?.kind ?? (restorable ? 'restore' : 'cold');
  const total = medians[kind] ?? medians.cold ?? (estimatedColdMs > 0 ? estimatedColdMs : null);
  return total === null ? null : Math.max(Math.ceil(total - (current?.runsMs ?? askedMsAgo ?? 0)), 0);
}
