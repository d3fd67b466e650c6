/** Lets so many pieces of work run at once; the others wait in order. */
export class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((begin) => this.waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place goes to the next one.
      if (next) next();
      else this.free++;
    }
  }
}
