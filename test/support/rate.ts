/**
 * What a bucket of this rate gave to requests that were decided at these times (in milliseconds), and still
 * has behind the last one. A full bucket gains nothing while a busy machine sends no requests.
 */
export function gained(times: readonly number[], rate: number): { given: number; left: number } {
  let [left, before, given] = [rate, times[0] ?? 0, 0];
  for (const at of times) {
    left = Math.min(rate, left + ((at - before) * rate) / 1_000);
    before = at;
    if (left < 1) continue;
    left--;
    given++;
  }
  return { given, left };
}
