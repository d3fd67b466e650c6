import type { MetricFamily } from './sample-mapping';

/**
 * What DCGM writes where it has no value: the blank values of
 * its 64-bit and 32-bit integers, and of its doubles.
 */
const DCGM_BLANKS = [
  [0x7ffffff0, 0x7fffffff],
  [140_737_488_355_328, 140_737_488_355_343],
  [9.223372036854775e18, 9.223372036854776e18],
] as const;

/**
 * The value that is stored. Null: none was measured. That is what NaN says, with which Prometheus ends a
 * series too, what no scale can show (infinity), and DCGM's blank values.
 */
export function valueOf(family: MetricFamily, value: number): number | null {
  if (!Number.isFinite(value)) return null;
  if (family === 'gpu' && value >= 0x7ffffff0 && DCGM_BLANKS.some(([from, to]) => value >= from && value <= to))
    return null;
  return value;
}
