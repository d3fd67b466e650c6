import { CURRENT_MS } from '../metrics/metric-window.queries';
import { scaled, type Sources } from './slurm-metrics.figures';

/** Length of the history, and how long the last report counts. */
export const WINDOW_HOURS = 24;
/**
 * At most one point each: 1,920 in a window, and one for the parts at its ends. Whole seconds, so no two
 * points have the same.
 */
export const STEP_S = 45;
export const MAX_POINTS = 2_000;

/** The report of one scrape target at a time: the sum of its series of one metric. */
export interface Moment {
  readonly metric: string;
  readonly cluster: string;
  /** Number of the metric and its reporter: one scrape target, or several that report the same. */
  readonly teller: number;
  /** Number of its step, in the order of time. */
  readonly step: number;
  readonly sampled_at: Date;
  readonly value: number | null;
  /** Within the window; a report from just before it still counts at its beginning. */
  readonly shown: boolean;
}

export interface Point {
  timestamp: number;
  value: number;
}

/**
 * A figure over time, over all targets: they are scraped one after the other, and each counts with its last
 * report. The newest time of a step is a point. Without any report there is none.
 * @param moments in any order, of other figures too
 */
export function pointsOf(moments: readonly Moment[], sources: Sources): Point[] {
  const reports = moments
    .filter(({ metric }) => metric === sources.exporter || metric === sources.own?.metric)
    .sort((a, b) => a.sampled_at.getTime() - b.sampled_at.getTime());
  const last = new Map<number, Moment>();
  const points: Point[] = [];
  reports.forEach((moment, place) => {
    last.set(moment.teller, moment);
    const next = reports[place + 1];
    if (!moment.shown || next?.step === moment.step) return;
    const value = valueAt(moment.sampled_at.getTime(), last, sources);
    if (value === null) return;
    points.push({ timestamp: Math.floor(moment.sampled_at.getTime() / 1_000), value });
  });
  return points;
}

/** As `figureOf`, from the last report of each target. */
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
