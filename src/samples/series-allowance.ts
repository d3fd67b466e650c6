/** How many series an organisation has is counted again after so long. */
const COUNTED_MS = 60_000;

interface Count {
  /** When it was counted last, by the process' own clock. */
  at: number;
  series: number;
  /** Series that are being made. */
  underWay: number;
  counting: Promise<void> | undefined;
}

/** How many series each organisation may still have. What this replica makes is added to what was counted, so that alone it passes no bound. */
export class SeriesAllowance {
  private readonly counts = new Map<string, Count>();

  constructor(
    private readonly max: number,
    private readonly count: (orgId: string) => Promise<number>,
  ) {}

  /** @returns how many of them may be made, which `settle` is told of afterwards */
  async take(orgId: string, wanted: number): Promise<number> {
    const count = this.of(orgId);
    if (performance.now() - count.at > COUNTED_MS) await (count.counting ??= this.countAgain(orgId, count));
    const taken = Math.max(0, Math.min(wanted, this.max - count.series - count.underWay));
    count.underWay += taken;
    return taken;
  }

  settle(orgId: string, taken: number, made: boolean): void {
    const count = this.of(orgId);
    count.underWay -= taken;
    // Perhaps they were counted already: then one is refused too many for a minute, and none too few.
    if (made) count.series += taken;
  }

  private of(orgId: string): Count {
    const count = this.counts.get(orgId) ?? { at: -Infinity, series: 0, underWay: 0, counting: undefined };
    this.counts.set(orgId, count);
    return count;
  }

  private async countAgain(orgId: string, count: Count): Promise<void> {
    try {
      const at = performance.now();
      count.series = await this.count(orgId);
      count.at = at;
    } finally {
      count.counting = undefined;
    }
  }
}
