const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A worker that served so long proves that starting works. */
const STEADY_MS = 60_000;

/**
 * What the end of a worker counts as: `failure`; `pause`: whoever owns its machine has ended it, and may end
 * the next one too; `nothing`: it shows nothing of what is wanted now, and is only waited for.
 */
export type Counted = 'failure' | 'pause' | 'nothing';

/** Pauses before workers that end by themselves are started again. Times are those of one monotonic clock. */
export class BackOff {
  private failed = 0;
  /** Ends in a row that make the next pause longer. */
  private ends = 0;
  private interrupted = 0;
  /** When the last end that counted as a pause was. */
  private waveMs = Number.NEGATIVE_INFINITY;
  private until = Number.NEGATIVE_INFINITY;

  /** Starts that failed in a row: the worker was never ready, or ended within a minute. */
  get failures(): number {
    return this.failed;
  }

  /** How often in a row the owner of the machines has ended workers. */
  get pauses(): number {
    return this.interrupted;
  }

  /**
   * What the end of a worker counts as that the owner of its machine has ended. A drain takes its time: those
   * that were started before the last end that counted belong to it.
   */
  askedFor(nowMs: number, beganMs: number): Counted {
    if (beganMs < this.waveMs) return 'nothing';
    this.waveMs = nowMs;
    return 'pause';
  }

  /**
   * A worker has ended by itself.
   * @param servedMs for how long it was ready
   * @returns the pause before the next start
   */
  ended(nowMs: number, servedMs: number, counted: Counted = 'failure'): number {
    this.serves(servedMs);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.ends);
    if (counted !== 'nothing') this.ends++;
    if (counted === 'failure') this.failed++;
    if (counted === 'pause') this.interrupted++;
    this.until = Math.max(this.until, nowMs + pauseMs);
    return pauseMs;
  }

  /** A worker has been ready for so long. */
  serves(servedMs: number): void {
    if (servedMs >= STEADY_MS) this.forget();
  }

  /** Somebody wants workers again: what failed before may have been repaired. */
  beginAnew(): void {
    this.forget();
    this.until = Number.NEGATIVE_INFINITY;
  }

  private forget(): void {
    [this.failed, this.ends, this.interrupted] = [0, 0, 0];
  }

  /** How long no worker may be started. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.until - nowMs);
  }
}
