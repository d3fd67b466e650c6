interface Sharing {
  /** For this long, further callers get the same result. */
  readonly reuseMs: number;
  /**
   * This many callers get a new look sooner than that, and one more per `reuseMs`: an occasional caller sees
   * the current state, and a constant caller costs one look per `reuseMs`.
   */
  readonly burst?: number;
}

/**
 * A result that many callers may request but that must not be computed for each of them. A failure is shared
 * like any other result.
 */
export class SharedLook<T> {
  private underWay: Promise<T> | undefined;
  private last: Promise<T> | undefined;
  private lookedAt = -Infinity;
  private spare: number;

  constructor(
    private readonly look: () => Promise<T>,
    private readonly sharing: Sharing,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.spare = sharing.burst ?? 0;
  }

  get(): Promise<T> {
    // Simultaneous callers.
    if (this.underWay) return this.underWay;
    const { reuseMs, burst = 0 } = this.sharing;
    const now = this.now();
    const elapsedMs = now - this.lookedAt;
    const spare = Math.min(burst, this.spare + elapsedMs / reuseMs);
    if (this.last && elapsedMs < reuseMs && spare < 1) return this.last;
    this.spare = Math.max(0, spare - 1);
    this.lookedAt = now;
    this.underWay = this.last = this.look().finally(() => (this.underWay = undefined));
    return this.underWay;
  }
}
