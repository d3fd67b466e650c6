/**
 * How long a request may wait for the process to get to it, and for a database connection, in milliseconds.
 */
const LAG_TARGET_MS = 5;
const CONNECTION_TARGET_MS = 25;

/** A window closes after this, when it holds enough samples to say something. */
const WINDOW_MS = 100;
const MIN_SAMPLES = 3;

/**
 * How long work waits, over a tenth of a second: for the event loop, and for a connection of a pool. A
 * single long wait (a collection of garbage, one large body) is no overload, so the median counts for
 * the event loop, and the shortest wait for each pool.
 */
export class DelayWindow {
  private beganAt: number;
  private lags: number[] = [];
  private readonly waits = new Map<string, number>();

  constructor(now: number) {
    this.beganAt = now;
  }

  /** @param lateMs how much later than it was due a timer ran */
  lag(lateMs: number): void {
    this.lags.push(lateMs);
  }

  /** @param waitMs how long somebody waited for a connection of the pool, or has waited so far */
  wait(pool: string, waitMs: number): void {
    this.waits.set(pool, Math.min(waitMs, this.waits.get(pool) ?? Infinity));
  }

  /**
   * @returns how long work waited, where 1 is as long as it may,
   * and since when; undefined while the window goes on
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
