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

  it('may have one sample, or none', () => {
    expect([gapsOf(5).times, gapsOf().times]).toEqual([[5], []]);
  });
});
