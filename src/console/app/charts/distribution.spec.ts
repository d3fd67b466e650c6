import { logDomain, logTicks, stepsOf } from './distribution';

describe('the distribution of durations', () => {
  it('has a step for each duration that occurs, in their order, and ends at all of them', () => {
    expect(stepsOf([30, 10, 20, 10])).toEqual([
      { at: 10, share: 0.5 },
      { at: 20, share: 0.75 },
      { at: 30, share: 1 },
    ]);
    expect(stepsOf([])).toEqual([]);
  });

  it('draws a duration of zero at the beginning of the axis, which has no zero', () => {
    expect(stepsOf([0])).toEqual([{ at: 1, share: 1 }]);
    expect(logDomain([0, 3])).toEqual([1, 5]);
  });

  it('has an axis from one round value to another, also around a single value', () => {
    expect(logDomain([599, 7_636])).toEqual([500, 10_000]);
    expect(logDomain([1_000])).toEqual([1_000, 2_000]);
    expect(logDomain([5_000])).toEqual([5_000, 10_000]);
  });

  it('has as many ticks as fit, and else only the decades', () => {
    expect(logTicks([500, 10_000], 8)).toEqual([500, 1_000, 2_000, 5_000, 10_000]);
    expect(logTicks([500, 100_000], 4)).toEqual([1_000, 10_000, 100_000]);
  });
});
