import { interval } from './interval';

describe('an interval', () => {
  it.each([
    [0, '0 s'],
    [10, '10 s'],
    [90, '1 min 30 s'],
    [5_400, '1 h 30 min'],
    [86_400, '1 day'],
    [180_061, '2 days 2 h 1 min 1 s'],
  ])('an interval of %i seconds is %s', (seconds, words) => {
    expect(interval(seconds)).toBe(words);
  });
});
