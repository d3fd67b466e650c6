import { duration } from './units';

const S = 1e9;

describe('a duration in words', () => {
  it.each([
    [119.4, '119 s'],
    [125, '2 min 5 s'],
    [179.6, '3 min 0 s'],
    [3_599.7, '60 min 0 s'],
    [7_200, '2 h 0 min'],
    [10_790, '3 h 0 min'],
    [86_400, '24 h 0 min'],
  ])('a duration of %d seconds is %s', (seconds, words) => {
    expect(duration(seconds * S)).toBe(words);
  });
});
