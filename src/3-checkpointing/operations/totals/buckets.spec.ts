import { bucketOf, cumulative, DURATION_BOUNDS_NS, DURATION_BOUNDS_S, SIZE_BOUNDS_BYTES } from './buckets';

const GIB = 2 ** 30;

it('bounds match the decisions', () => {
  expect(DURATION_BOUNDS_S).toEqual([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]);
  expect(SIZE_BOUNDS_BYTES).toEqual([
    1_048_576,
    16_777_216,
    67_108_864,
    268_435_456,
    GIB,
    4 * GIB,
    16 * GIB,
    64 * GIB,
    256 * GIB,
  ]);
});

it('bounds of durations are whole nanoseconds', () => {
  expect(DURATION_BOUNDS_NS.every(Number.isSafeInteger)).toBe(true);
  expect(DURATION_BOUNDS_NS[0]).toBe(100_000_000);
  expect(DURATION_BOUNDS_NS.at(-1)).toBe(600_000_000_000);
});

it.each([
  ['durations', DURATION_BOUNDS_NS],
  ['sizes', SIZE_BOUNDS_BYTES],
])('the bounds of %s are inclusive', (_name, bounds) => {
  bounds.forEach((bound, index) => {
    expect(bucketOf(bound, bounds)).toBe(index);
    expect(bucketOf(bound - 1, bounds)).toBe(index);
    expect(bucketOf(bound + 1, bounds)).toBe(index + 1);
  });
  expect(bucketOf(Number.MAX_SAFE_INTEGER, bounds)).toBe(bounds.length);
});

it('counts are cumulated from the lowest bucket', () => {
  expect(cumulative([1, 0, 2, 0, 3])).toEqual([1, 1, 3, 3, 6]);
  expect(cumulative([])).toEqual([]);
});
