import { boundsOf, extentOf, pathOf, segmentsOf, stepsOf } from './line-path';

const at = (timestamp: number, value = 1) => ({ timestamp, value });

describe('a line of a Slurm figure', () => {
  it('is interrupted where nothing was reported for much longer than usual', () => {
    const points = [0, 60, 120, 180, 900, 960].map((seconds) => at(seconds));
    expect(segmentsOf(points).map((segment) => segment.map(({ timestamp }) => timestamp))).toEqual([
      [0, 60, 120, 180],
      [900, 960],
    ]);
  });

  it('is whole where points are rare, but regular', () => {
    const points = [0, 600, 1_200, 1_800].map((seconds) => at(seconds));
    expect(segmentsOf(points)).toHaveLength(1);
  });

  it('goes on over short pauses of a reporter that is usually quicker', () => {
    expect(segmentsOf([0, 10, 20, 30, 330, 340].map((seconds) => at(seconds)))).toHaveLength(1);
    expect(segmentsOf([0, 10, 20, 30, 331, 341].map((seconds) => at(seconds)))).toHaveLength(2);
  });

  it('has no part without points', () => {
    expect(segmentsOf([])).toEqual([]);
    expect(pathOf([], Number, Number)).toBe('');
  });

  it('goes through its points', () => {
    expect(
      pathOf(
        [at(10, 1), at(20, 3)],
        (seconds) => seconds / 10,
        (value) => -value,
      ),
    ).toBe('M1.0 -1.0L2.0 -3.0');
  });

  it('has an axis with round ends, with zero and every value', () => {
    expect(boundsOf([3, 5])).toEqual([0, 5]);
    expect(boundsOf([2_427, 300])).toEqual([0, 4_000]);
    expect(boundsOf([-2.5, 5.5])).toEqual([-4, 10]);
    expect(boundsOf([0, 0])).toEqual([0, 1]);
    expect(boundsOf([])).toEqual([0, 1]);
    expect(extentOf([3, 5])).toEqual([0, 5]);
  });

  it('is shortened to the last value of each step in the table, the newest first', () => {
    const load = [at(0, 1), at(50, 2), at(60, 3), at(200, 4)];
    expect(stepsOf([load, [at(55, 9)]], 60)).toEqual([
      { timestamp: 200, values: [4, undefined] },
      { timestamp: 60, values: [3, undefined] },
      { timestamp: 55, values: [2, 9] },
    ]);
  });
});
