import { withGaps } from '../../../charts/gaps';

/** Points over time as lines. Where nothing was reported, a line has a gap: missing is not zero. */

export interface LinePoint {
  /** Unix seconds. */
  readonly timestamp: number;
  readonly value: number;
}

/** Reporters have at least this much time. */
const LEAST_GAP_MS = 300_000;

/** Parts of a line without a gap. @param points by time */
export function segmentsOf<P extends LinePoint>(points: readonly P[]): readonly (readonly P[])[] {
  const { rows } = withGaps(points, ({ timestamp }) => timestamp * 1_000, LEAST_GAP_MS);
  const segments: P[][] = [];
  let before: P | undefined;
  for (const point of rows) {
    if (point !== undefined) {
      if (before === undefined) segments.push([]);
      segments.at(-1)?.push(point);
    }
    before = point;
  }
  return segments;
}

/** The path of a segment in SVG. */
export const pathOf = (
  points: readonly LinePoint[],
  x: (seconds: number) => number,
  y: (value: number) => number,
): string =>
  points
    .map(({ timestamp, value }, place) => `${place === 0 ? 'M' : 'L'}${x(timestamp).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('');

/** The smallest and the largest value; zero is one of them. */
export function extentOf(values: readonly number[]): readonly [least: number, most: number] {
  let [least, most] = [0, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

const ROUND = [1, 2, 4, 5, 10];

/** The next round number away from zero. */
function roundedUp(value: number): number {
  if (value === 0) return 0;
  const decade = 10 ** Math.floor(Math.log10(Math.abs(value)));
  const step = ROUND.find((one) => one * decade >= Math.abs(value)) ?? 10;
  return Math.sign(value) * step * decade;
}

/** The round bounds of an axis that has zero, and every value. */
export function boundsOf(values: readonly number[]): readonly [least: number, most: number] {
  const [least, most] = extentOf(values).map(roundedUp) as [number, number];
  return [least, most > least ? most : least + 1];
}

/** A row of the table: the last value that each line has in a step. */
export interface StepRow {
  /** Of the newest of them. */
  readonly timestamp: number;
  /** In the order of the lines; undefined: none was reported. */
  readonly values: readonly (number | undefined)[];
}

/** The newest step first. @param lines points by time */
export function stepsOf(lines: readonly (readonly LinePoint[])[], stepSeconds: number): readonly StepRow[] {
  const steps = new Map<number, { timestamp: number; values: (number | undefined)[] }>();
  for (const [place, points] of lines.entries())
    for (const { timestamp, value } of points) {
      const step = Math.floor(timestamp / stepSeconds);
      const row = steps.get(step) ?? { timestamp, values: lines.map(() => undefined) };
      row.timestamp = Math.max(row.timestamp, timestamp);
      row.values[place] = value;
      steps.set(step, row);
    }
  return [...steps.values()].sort((a, b) => b.timestamp - a.timestamp);
}
