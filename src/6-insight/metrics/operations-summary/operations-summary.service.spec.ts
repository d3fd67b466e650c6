import { MAX_BUCKETS, MAX_WINDOW_S } from './operations-summary.dto';
import { stepOf } from './operations-summary.service';

const DAY_S = 86_400;

it.each([
  [1, 60],
  [168 * 60, 60],
  [168 * 60 + 1, 300],
  [DAY_S, 900],
  [7 * DAY_S, 3_600],
  [7 * DAY_S + 1, 7_200],
  [30 * DAY_S, 21_600],
  [MAX_WINDOW_S, 86_400],
])('a window of %i seconds has steps of %i', (window, step) => {
  expect(stepOf(window)).toBe(step);
});

it('no window has too many steps, and longer windows never have shorter ones', () => {
  let last = 0;
  for (let window = 1; window <= MAX_WINDOW_S; window += 997) {
    const step = stepOf(window);
    expect(Math.ceil(window / step)).toBeLessThanOrEqual(MAX_BUCKETS);
    expect(step).toBeGreaterThanOrEqual(last);
    last = step;
  }
});
