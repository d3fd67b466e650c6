import { withGaps } from './gaps';

describe('lines over time', () => {
  const gapsOf = (...times: number[]) => withGaps(times, (at) => at);

  it('are interrupted where nothing was reported for much longer than usual', () => {
    expect(gapsOf(0, 10, 20, 100, 110)).toEqual({
      times: [0, 10, 20, 30, 100, 110],
      rows: [0, 10, 20, undefined, 100, 110],
    });
  });

  it('go on over single missing samples', () => {
    expect(gapsOf(0, 10, 20, 40, 50).rows).toEqual([0, 10, 20, 40, 50]);
  });

  it('go on over times that are never gaps', () => {
    expect(withGaps([0, 10, 20, 60], (at) => at, 40).rows).not.toContain(undefined);
    expect(withGaps([0, 10, 20, 61], (at) => at, 40).rows).toContain(undefined);
  });

  it('may have one sample, or none', () => {
    expect([gapsOf(5).times, gapsOf().times]).toEqual([[5], []]);
  });
});
