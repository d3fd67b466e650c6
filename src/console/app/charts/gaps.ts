/** Times between samples that are this much longer than usual are gaps, not lines. */
const LONG = 3;

/**
 * Samples, with an empty place in each gap: a line must not cross a time in which nothing was reported.
 * @param samples oldest first @param timeOf milliseconds
 * @param least shorter times are never gaps, in milliseconds
 */
export function withGaps<T>(
  samples: readonly T[],
  timeOf: (sample: T) => number,
  least = 0,
): { readonly times: readonly number[]; readonly rows: readonly (T | undefined)[] } {
  const steps = samples
    .slice(1)
    .map((sample, nth) => timeOf(sample) - timeOf(samples[nth] as T))
    .sort((a, b) => a - b);
  const usual = steps[Math.floor(steps.length / 2)] ?? 0;
  const longest = Math.max(least, LONG * usual);
  const times: number[] = [];
  const rows: (T | undefined)[] = [];
  for (const sample of samples) {
    const at = timeOf(sample);
    const before = times.at(-1);
    if (before !== undefined && at - before > longest) {
      times.push(before + usual);
      rows.push(undefined);
    }
    times.push(at);
    rows.push(sample);
  }
  return { times, rows };
}
