/** The demand for one profile over the last minute or so, by seconds. */
export class DemandHistory {
  private readonly beganAt: number;
  /** The highest demand of a second, by the second. */
  private readonly peaks = new Map<number, number>();
  private usedAt: number | undefined;

  /** @param lengthMs how far it looks back */
  constructor(
    private readonly lengthMs: number,
    now: number,
  ) {
    this.beganAt = now;
  }

  add(demand: number, now: number): void {
    const second = Math.floor(now / 1_000);
    this.peaks.set(second, Math.max(this.peaks.get(second) ?? 0, demand));
    if (demand > 0) this.usedAt = now;
    // The oldest come first.
    for (const one of this.peaks.keys()) {
      if (one * 1_000 >= now - this.lengthMs - 1_000) break;
      this.peaks.delete(one);
    }
  }

  /** The highest demand; undefined until it has watched for its whole length. */
  peak(now: number): number | undefined {
    return now - this.beganAt < this.lengthMs ? undefined : Math.max(0, ...this.peaks.values());
  }

  /** Since the last demand that it saw; `Infinity` if it saw none. */
  idleForMs(now: number): number {
    return this.usedAt === undefined ? Infinity : now - this.usedAt;
  }
}
