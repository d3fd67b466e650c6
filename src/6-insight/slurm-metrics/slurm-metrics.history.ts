import { CURRENT_MS } from '../metrics/metric-window.queries';
import { scaled, type Sources } from './slurm-metrics.figures';

/** Length of a time series, and how long what was told last is shown. */
export const WINDOW_HOURS = 24;
/**
 * One point each at the most: 1,920 in a window, and one for the parts at its
 * ends. Whole seconds, so no two points are of one.
 */
export const STEP_S = 45;
export const MAX_POINTS = 2_000;

/** What one target of scrapes told at a moment: the sum of its series of one metric. */
export interface Moment {
  readonly metric: string;
  readonly cluster: string;
  /** Number of the metric and of who tells it: one target of scrapes, or several that tell the same. */
  readonly teller: number;
  /** Number of the step that it is of, in the order of time. */
  readonly step: number;
  readonly sampled_at: Date;
  readonly value: number | null;
  /** Within the window; what was told just before it still counts at its beginning. */
  readonly shown: boolean;
}

export interface Point {
  timestamp: number;
  value: number;
}

/**
 * A figure over time, over all targets: they are scraped one after the other, and each counts with the last
 * that it told. Of the moments of a step the newest is a point. Where nobody tells anything there is none.
 * @param moments in any order, of other figures too
 */
export function pointsOf(moments: readonly Moment[], sources: Sources): Point[] {
  const told = moments
    .filter(({ metric }) => metric === sources.exporter || metric === sources.own?.metric)
    .sort((a, b) => a.sampled_at.getTime() - b.sampled_at.getTime());
  const last = new Map<number, Moment>();
  const points: Point[] = [];
  told.forEach((moment, place) => {
    last.set(moment.teller, moment);
    const next = told[place + 1];
    if (!moment.shown || next?.step === moment.step) return;
    const value = valueAt(moment.sampled_at.getTime(), last, sources);
    if (value === null) return;
    points.push({ timestamp: Math.floor(moment.sampled_at.getTime() / 1_000), value });
  });
  return points;
}

/** As `figureOf`, of what each target told last. */
function valueAt(at: number, last: ReadonlyMap<number, Moment>, sources: Sources): number | null {
  const exporter = new Map<string, number>();
  const own = new Map<string, number>();
  for (const { metric, cluster, sampled_at: since, value } of last.values()) {
    if (value === null || at - since.getTime() > CURRENT_MS) continue;
    const world = metric === sources.exporter ? exporter : own;
    world.set(cluster, (world.get(cluster) ?? 0) + value);
  }
  let total: number | null = null;
  for (const cluster of new Set([...exporter.keys(), ...own.keys()])) {
    const figure = exporter.get(cluster) ?? scaled(own.get(cluster) ?? null, sources.own?.factor);
    if (figure !== null) total = (total ?? 0) + figure;
  }
  return total;
}
