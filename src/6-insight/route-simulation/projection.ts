import type { Evidence } from '../analytics/analytics.dto';

/** Median times until a worker is ready [ms]; null if unknown. */
export interface StartTimes {
  readonly coldMs: number | null;
  readonly restoreMs: number | null;
  /** Whether they were measured; else the cold one is the operator's estimate. */
  readonly coldMeasured: boolean;
  readonly restoreMeasured: boolean;
}

export interface Load {
  /** Shares of requests that find no worker and wait for one of this kind; the others find a ready one. */
  readonly coldShare: number;
  readonly restoreShare: number;
  readonly deadlineMs: number;
  /** How long the route lets a request wait. */
  readonly queueTimeoutMs: number;
  /** The route has another target. */
  readonly hasFallback: boolean;
}

export interface Projection {
  readonly evidence: Evidence;
  readonly p50Ms: number;
  readonly deadlineMissRate: number;
  readonly fallbackRate: number;
}

/**
 * A step function on p50: every request of a kind waits for the median of that kind, and not at all for a
 * ready worker.
 *   p50Ms            = the shortest wait that half of the requests do not exceed
 *   deadlineMissRate = Σ shares whose wait exceeds the deadline if no other target served them
 *   fallbackRate     = Σ shares whose wait exceeds the deadline or the route's maximal wait, if there is
 *                      another target
 * An unmeasured restore takes as long as a cold start. A share of starts without evidence counts as missed:
 * its wait may be of any length. Only the median leaves it out, which would otherwise not be a number.
 */
export function project({ coldMs, restoreMs, coldMeasured, restoreMeasured }: StartTimes, load: Load): Projection {
  const { coldShare, restoreShare, deadlineMs, queueTimeoutMs, hasFallback } = load;
  const kinds = [
    { share: Math.max(1 - coldShare - restoreShare, 0), ms: 0, measured: true },
    { share: restoreShare, ms: restoreMs ?? coldMs, measured: restoreMeasured },
    { share: coldShare, ms: coldMs, measured: coldMeasured },
  ];
  const beyond = (limitMs: number): number =>
    kinds.reduce((rate, { share, ms }) => rate + (ms === null || ms > limitMs ? share : 0), 0);
  return {
    evidence: evidenceOf(kinds.slice(1), { coldMs, restoreMs, coldMeasured, restoreMeasured }),
    p50Ms: medianOf(kinds),
    deadlineMissRate: beyond(deadlineMs),
    fallbackRate: hasFallback ? beyond(Math.min(deadlineMs, queueTimeoutMs)) : 0,
  };
}

/** Rounding error of a sum of doubles. */
const ROUNDING = 1e-9;

function medianOf(kinds: readonly { share: number; ms: number | null }[]): number {
  const known = kinds.flatMap(({ share, ms }) => (ms === null ? [] : [{ share, ms }])).sort((a, b) => a.ms - b.ms);
  const total = known.reduce((sum, { share }) => sum + share, 0);
  let upTo = 0;
  for (const { share, ms } of known) {
    upTo += share;
    if (share > 0 && upTo >= total / 2 - ROUNDING) return ms;
  }
  return 0;
}

/** The weakest evidence used: of the kinds that requests wait for, or of the known kinds if none waits. */
function evidenceOf(
  kinds: readonly { share: number; ms: number | null; measured: boolean }[],
  { coldMs, coldMeasured, restoreMeasured }: StartTimes,
): Evidence {
  const waited = kinds.filter(({ share }) => share > 0);
  if (waited.length === 0) return coldMeasured || restoreMeasured ? 'measured' : coldMs === null ? 'none' : 'estimated';
  if (waited.some(({ ms }) => ms === null)) return 'none';
  return waited.every(({ measured }) => measured) ? 'measured' : 'estimated';
}
