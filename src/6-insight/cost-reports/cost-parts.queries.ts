import type { Tx } from '../../1-platform/database/transactions/tx';
import { alignedDown, alignedUp } from '../../5-traffic/usage/usage-window.queries';
import type { ReportWindow, Span } from '../analytics/report-window.queries';
import { RATE_STEP, rateChanges } from '../cost-rates/cost-rates.queries';

/** What changes are aligned to, in seconds: the first with which a window has few enough parts. */
const STEPS = [RATE_STEP, 3_600, 21_600, 86_400, 864_000] as const;

/** Each part takes about as long as a report on it. */
const MAX_CUTS = 48;

/**
 * The parts of a window in which unit prices are the same: it is cut where prices of the organisation
 * changed. With many changes, the cuts are further apart, and the prices of a part are their mean over it.
 */
export async function partsOf(tx: Tx, window: ReportWindow): Promise<ReportWindow[]> {
  const cuts = cutsAt(await rateChanges(tx, window), window);
  const bounds = [window.from, ...cuts, window.to];
  return cuts.length === 0
    ? [window]
    : bounds.slice(1).map((to, place) => partOf(window, { from: bounds[place] ?? window.from, to }));
}

/** @param changes aligned to the first step */
export function cutsAt(changes: readonly Date[], { from, to }: Span): Date[] {
  let cuts: Date[] = [];
  for (const step of STEPS) {
    const sides = changes.flatMap((at) => [alignedDown(at, step).getTime(), alignedUp(at, step).getTime()]);
    cuts = [...new Set(sides)]
      .filter((at) => at > from.getTime() && at < to.getTime())
      .sort((a, b) => a - b)
      .map((at) => new Date(at));
    if (cuts.length <= MAX_CUTS) break;
  }
  return cuts;
}

/** What of a report lies in a part of its window; the run of its experiment may not reach into it. */
function partOf({ run, ...window }: ReportWindow, part: Span): ReportWindow {
  const since = Math.max(run.from.getTime(), part.from.getTime());
  const until = Math.min(run.to.getTime(), part.to.getTime());
  const ran = since < until ? { from: new Date(since), to: new Date(until) } : { from: part.to, to: part.to };
  return { ...window, ...part, run: { ...run, ...ran } };
}
