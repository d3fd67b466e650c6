/** Work of which only a few pieces run at a time. Those that are urgent go before the others. */
export class FewAtOnce {
  private running = 0;
  private readonly urgent: (() => void)[] = [];
  private readonly others: (() => void)[] = [];

  constructor(private readonly most: number) {}

  async run<T>(isUrgent: boolean, work: () => Promise<T>): Promise<T> {
    if (this.running < this.most) this.running++;
    else await new Promise<void>((begin) => (isUrgent ? this.urgent : this.others).push(begin));
    try {
      return await work();
    } finally {
      // The place passes to the next one.
      const next = this.urgent.shift() ?? this.others.shift();
      if (next) next();
      else this.running--;
    }
  }
}
