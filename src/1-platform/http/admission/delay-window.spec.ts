import { DelayWindow } from './delay-window';

/** Ten samples, one every 10 ms. */
function windowOf(lags: readonly number[], waits: readonly (readonly [string, number])[] = []): number | undefined {
  const window = new DelayWindow(0);
  for (const lag of lags) window.lag(lag);
  for (const [pool, wait] of waits) window.wait(pool, wait);
  return window.close(100)?.delay;
}

describe('the delay of work', () => {
  it('is the median lateness of the event loop relative to 5 ms, so that one long pause is no overload', () => {
    expect(windowOf([0, 0, 1, 0, 300, 0, 0])).toBe(0);
    expect(windowOf([10, 12, 10, 0, 10])).toBe(2);
    // In whatever order they came.
    expect(windowOf([10, 12, 0, 10, 10])).toBe(2);
    expect(windowOf([100, 20, 10])).toBe(4);
  });

  it('is the shortest wait for a connection relative to 25 ms, for the pool with the longest one', () => {
    expect(windowOf([0, 0, 0], [['statements', 100], ['statements', 0]])).toBe(0); // prettier-ignore
    expect(windowOf([0, 0, 0], [['statements', 10], ['transactions', 50], ['transactions', 75]])).toBe(2); // prettier-ignore
  });

  it('is reported every tenth of a second if there are enough samples', () => {
    const window = new DelayWindow(1_000);
    window.lag(20);
    window.lag(20);
    expect(window.close(1_500)).toBeUndefined();
    window.lag(20);
    expect(window.close(1_500)).toEqual({ delay: 4, elapsedMs: 500 });
    window.lag(0);
    window.lag(0);
    window.lag(0);
    window.wait('statements', 100);
    expect(window.close(1_599)).toBeUndefined();
    expect(window.close(1_600)).toEqual({ delay: 4, elapsedMs: 100 });
    // Each window begins anew.
    for (let look = 0; look < 3; look++) window.lag(0);
    expect(window.close(1_700)).toEqual({ delay: 0, elapsedMs: 100 });
  });

  it('is not reported for time in which the process could not work', () => {
    const window = new DelayWindow(0);
    for (let look = 0; look < 3; look++) window.lag(700);
    window.paused(2_000);
    expect(window.close(2_099)).toBeUndefined();
    expect(window.close(2_100)).toEqual({ delay: 140, elapsedMs: 100 });
  });
});
