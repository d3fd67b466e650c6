import { FEWEST } from '../distribution';
import type { Series } from '../distributions';
import type { Starts } from '../../api/serving';
import { duration, plural } from '../../parts/units';

type Sample = Starts['cold'];

const ms = (value: number): string => duration(value * 1e6);

const isEnough = (sample: Sample): sample is NonNullable<Sample> => sample !== null && sample.samples >= FEWEST;

/** The lines of the chart. Marks are medians of all compared starts, which may be more than those drawn. */
export function seriesOf({ starts, cold, restored }: Starts): readonly Series[] {
  const series = (name: string, kind: Series['kind'], isRestored: boolean, sample: Sample): Series => ({
    name,
    kind,
    values: starts.filter((start) => start.restored === isRestored).map((start) => start.start_time_ms),
    p50: isEnough(sample) ? sample.p50_ms : undefined,
    p95: isEnough(sample) ? (sample.p95_ms ?? undefined) : undefined,
  });
  return [series('restored', 'solid', true, restored), series('cold', 'dashed', false, cold)].filter(
    ({ values }) => values.length > 0,
  );
}

/** What the chart says, in a sentence. Fewer than five starts have no median. */
export function sentenceOf({ cold, restored, saved_ms: saved, speedup }: Starts): string {
  if (isEnough(cold) && isEnough(restored) && saved !== null)
    return saved > 0
      ? `Restoring saves ${ms(saved)} at the median: ${ms(restored.p50_ms)} instead of ${ms(cold.p50_ms)}` +
          `${speedup === null ? '' : `, ${speedup.toFixed(1)} times as fast`}.`
      : `Restoring is not faster: ${ms(restored.p50_ms)} at the median, cold starts ${ms(cold.p50_ms)}.`;
  return [describe('restore', restored), describe('cold start', cold)].join('; ') + '.';
}

const describe = (what: string, sample: Sample): string => {
  if (sample === null) return `no ${what} was measured`;
  const counted = plural(sample.samples, what);
  return isEnough(sample) ? `${counted}, median ${ms(sample.p50_ms)}` : `${counted}, too few for a median`;
};

/** How many are drawn of how many. */
export function drawnOf({ starts, cold, restored }: Starts): string {
  const all = (cold?.samples ?? 0) + (restored?.samples ?? 0);
  return starts.length < all
    ? `The newest ${starts.length} of ${all} starts are drawn.`
    : `All ${all} starts are drawn.`;
}
