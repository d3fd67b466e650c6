import { cutsAt } from './cost-parts.queries';

const QUARTER = 900_000;
const HOUR = 4 * QUARTER;
const DAY = 24 * HOUR;
const BEGAN = Date.UTC(2026, 0, 1);

describe('a window of costs', () => {
  const window = (length: number) => ({ from: new Date(BEGAN + 60_000), to: new Date(BEGAN + length) });
  const cuts = (length: number, changes: readonly number[]) =>
    cutsAt(
      changes.map((at) => new Date(BEGAN + at)),
      window(length),
    ).map((at) => at.getTime() - BEGAN);

  it('is cut once where prices changed, in order, and not at its ends', () => {
    expect(cuts(DAY, [])).toEqual([]);
    expect(cuts(DAY, [0, 3 * QUARTER, HOUR, 2 * QUARTER, HOUR, DAY])).toEqual([2 * QUARTER, 3 * QUARTER, HOUR]);
  });

  it('is cut at up to 48 changes, and before and behind them if there are more', () => {
    const every = (step: number, count: number) => Array.from({ length: count }, (_, n) => (n + 1) * step);
    expect(cuts(100 * DAY, every(QUARTER, 48))).toEqual(every(QUARTER, 48));
    expect(cuts(100 * DAY, every(QUARTER, 49))).toEqual(every(HOUR, 13));
    // One at a time, far apart.
    expect(cuts(100 * DAY, every(DAY + QUARTER, 80))).toEqual(every(10 * DAY, 9).map((at) => at - 4 * DAY));
  });
});
