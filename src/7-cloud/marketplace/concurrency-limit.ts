/** Limits concurrency; later callers wait in order of arrival. */
export class ConcurrencyLimit {
  private readonly waiting = new Set<() => void>();
  private taken = 0;

  constructor(private readonly atOnce: number) {}

  /** @returns false if there was no free place within that time */
  take(withinMs: number): Promise<boolean> {
    if (this.taken < this.atOnce) {
      this.taken++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const turn = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.waiting.delete(turn);
        resolve(false);
      }, withinMs);
      this.waiting.add(turn);
    });
  }

  /** The longest waiting caller gets the place. */
  giveBack(): void {
    const [next] = this.waiting;
    if (!next) {
      this.taken--;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
