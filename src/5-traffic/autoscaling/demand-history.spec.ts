import { DemandHistory } from './demand-history';

describe('the history of the demand', () => {
  const history = () => new DemandHistory(60_000, 1_000);

  it('knows a peak only after its whole length', () => {
    const one = history();
    one.add(5, 2_000);
    expect(one.peak(60_999)).toBeUndefined();
    expect(one.peak(61_000)).toBe(5);
  });

  it('forgets what is older than its length, and nothing younger', () => {
    const one = history();
    one.add(7, 10_000);
    one.add(3, 40_000);
    one.add(2, 40_500);
    one.add(0, 70_000);
    expect(one.peak(70_000)).toBe(7);
    one.add(1, 72_000);
    expect(one.peak(72_000)).toBe(3);
    one.add(0, 200_000);
    expect(one.peak(200_000)).toBe(0);
  });

  it('knows since when there was no demand', () => {
    const one = history();
    one.add(0, 2_000);
    expect(one.idleForMs(3_000)).toBe(Infinity);
    one.add(1, 4_000);
    one.add(0, 9_000);
    expect(one.idleForMs(10_000)).toBe(6_000);
  });
});
