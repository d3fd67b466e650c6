/**
 * Acceptable waiting times of a request, for the event loop and for a database connection, in milliseconds.
 */
const LAG_TARGET_MS = 5;
const CONNECTION_TARGET_MS = 25;

/** A window ends after this, if it has enough samples. */
const WINDOW_MS = 100;
const MIN_SAMPLES = 3;

/**
 * How long work waits, per tenth of a second: for the event loop, and for a connection of a pool. A single
 * long wait (garbage collection, one large body) is no overload, so the median counts for the event loop, and
 * the shortest wait for each pool.
 */
export class DelayWindow {
  private beganAt: number;
  private lags: number[] = [];
  private readonly waits = new Map<string, number>();

  constructor(now: number) {
    this.beganAt = now;
  }

  /** @param lateMs how late a timer fired */
  lag(lateMs: number): void {
    this.lags.push(lateMs);
  }

  /** @param ms in which this process could not work: the window does not cover them */
  paused(ms: number): void {
    this.beganAt += ms;
  }

  /** @param waitMs how long a caller waited for a connection of the pool, or has waited so far */
  wait(pool: string, waitMs: number): void {
    this.waits.set(pool, Math.min(waitMs, this.waits.get(pool) ?? Infinity));
  }

  /**
   * @returns how long work waited, relative to the acceptable time, and since when; undefined until the
   * window ends
   */
  close(now: number): { delay: number; elapsedMs: number } | undefined {
    const elapsedMs = now - this.beganAt;
    if (elapsedMs < WINDOW_MS || this.lags.length < MIN_SAMPLES) return undefined;
    const lag = this.lags.sort((a, b) => a - b)[this.lags.length >> 1] ?? 0;
    const wait = Math.max(0, ...this.waits.values());
    this.beganAt = now;
    this.lags = [];
    this.waits.clear();
    return { delay: Math.max(lag / LAG_TARGET_MS, wait / CONNECTION_TARGET_MS), elapsedMs };
  }
}
