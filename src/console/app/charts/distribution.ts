/** The empirical distribution of durations: how many took at most so long. */

export interface Step {
  /** Milliseconds. */
  readonly at: number;
  /** The share of those that took at most that, 0 to 1. */
  readonly share: number;
}

/** Fewer measurements have no shape: they are drawn one by one, and have no median. */
export const FEWEST = 5;

/** A logarithmic axis has no zero. */
const LEAST_MS = 1;

/** One step for each value that occurs. */
export function stepsOf(durations: readonly number[]): readonly Step[] {
  const sorted = durations.map((ms) => Math.max(ms, LEAST_MS)).sort((a, b) => a - b);
  return sorted.flatMap((at, place) => (sorted[place + 1] === at ? [] : [{ at, share: (place + 1) / sorted.length }]));
}

const STOPS = [1, 2, 5];

/** The last stop of the axis (1, 2, 5, 10, 20 …) that is at most the value. */
const stopBelow = (value: number): number => {
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * (STOPS.findLast((stop) => stop * decade <= value) ?? 1);
};

const stopAbove = (value: number): number => {
  const decade = 10 ** Math.floor(Math.log10(value));
  return decade * (STOPS.find((stop) => stop * decade >= value) ?? 10);
};

/** From one stop of the axis to another, around all values; at least from one stop to the next. */
export function logDomain(values: readonly number[]): readonly [from: number, to: number] {
  const least = Math.max(LEAST_MS, Math.min(...values));
  const from = stopBelow(least);
  const to = stopAbove(Math.max(least, ...values));
  return [from, to > from ? to : stopAbove(from * 1.01)];
}

/** Stops of the axis; only decades if more than `most` are in it. */
export function logTicks([from, to]: readonly [number, number], most: number): readonly number[] {
  const ticks = (stops: readonly number[]): number[] => {
    const found: number[] = [];
    for (let decade = 10 ** Math.floor(Math.log10(from)); decade <= to; decade *= 10)
      found.push(...stops.map((stop) => stop * decade).filter((tick) => tick >= from && tick <= to));
    return found;
  };
  const all = ticks(STOPS);
  return all.length <= most ? all : ticks([1]);
}
