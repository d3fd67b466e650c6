interface Sharing {
  /** For so long a result is given to further callers. */
  readonly reuseMs: number;
  /**
   * So many callers get a look of their own sooner than that, and one more each `reuseMs`: who looks now and
   * then sees what is so now, and who asks all the time costs one look each `reuseMs`.
   */
  readonly burst?: number;
}

/**
 * What many callers may ask for and must not be done for each
 * of them. A failure is shared as any other result.
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
    // Callers of the same moment.
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
