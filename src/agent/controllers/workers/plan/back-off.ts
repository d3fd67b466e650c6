const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A worker that served so long proves that starting works. */
const STEADY_MS = 60_000;

/** Pauses before workers that end by themselves are started again. Times are those of one monotonic clock. */
export class BackOff {
  private failed = 0;
  private until = Number.NEGATIVE_INFINITY;

  /** Starts that failed in a row: the worker was never ready, or ended within a minute. */
  get failures(): number {
    return this.failed;
  }

  /**
   * A worker has ended by itself.
   * @param servedMs for how long it was ready
   * @param counts otherwise it is no failure of what is wanted now, and only waited for
   * @returns the pause before the next start
   */
  ended(nowMs: number, servedMs: number, counts = true): number {
    if (servedMs >= STEADY_MS) this.failed = 0;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.failed);
    if (counts) this.failed++;
    this.until = Math.max(this.until, nowMs + pauseMs);
    return pauseMs;
  }

  /** A worker has been ready for so long. */
  serves(servedMs: number): void {
    if (servedMs >= STEADY_MS) this.failed = 0;
  }

  /** Somebody wants workers again: what failed before may have been repaired. */
  beginAnew(): void {
    this.failed = 0;
    this.until = Number.NEGATIVE_INFINITY;
  }

  /** How long no worker may be started. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.until - nowMs);
  }
}
