const SECOND_NS = 1e9;
const MEBIBYTE = 2 ** 20;
const GIBIBYTE = 2 ** 30;

/** Upper bounds of durations, in seconds; one more bucket is unbounded. */
export const DURATION_BOUNDS_S = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600] as const;

/** Upper bounds of artifact sizes, in bytes; one more bucket is unbounded. */
export const SIZE_BOUNDS_BYTES = [
  MEBIBYTE,
  16 * MEBIBYTE,
  64 * MEBIBYTE,
  256 * MEBIBYTE,
  ...[1, 4, 16, 64, 256].map((n) => n * GIBIBYTE),
] as const;

/** The same bounds in whole nanoseconds, the unit of facts. */
export const DURATION_BOUNDS_NS = DURATION_BOUNDS_S.map((seconds) => Math.round(seconds * SECOND_NS));

/** Index of a value's bucket: the first whose bound is not below it, or the last. */
export function bucketOf(value: number, bounds: readonly number[]): number {
  const index = bounds.findIndex((bound) => value <= bound);
  return index < 0 ? bounds.length : index;
}

/** Turns counts per bucket into cumulative counts. */
export function cumulative(counts: readonly number[]): number[] {
  let sum = 0;
  return counts.map((count) => (sum += count));
}
