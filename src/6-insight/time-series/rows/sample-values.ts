import type { MetricFamily } from './sample-mapping';

/**
 * DCGM's placeholders for missing values: the blank values of its 64-bit and 32-bit integers, and of its
 * doubles.
 */
const DCGM_BLANKS = [
  [0x7ffffff0, 0x7fffffff],
  [140_737_488_355_328, 140_737_488_355_343],
  [9.223372036854775e18, 9.223372036854776e18],
] as const;

/**
 * The stored value. Null: nothing was measured. That includes NaN (with which Prometheus also ends a series),
 * infinity, and DCGM's blank values.
 */
export function valueOf(family: MetricFamily, value: number): number | null {
  if (!Number.isFinite(value)) return null;
  if (family === 'gpu' && value >= 0x7ffffff0 && DCGM_BLANKS.some(([from, to]) => value >= from && value <= to))
    return null;
  return value;
}
