/** Requests that wait at once, of all keys. Each of them keeps its body meanwhile. */
export const MAX_WAITING = 256;

/**
 * Repetitions that wait for the answer of a request under way. However many repeat a request, one of them
 * reads; the others get what it finds.
 */
export class AwaitedAnswers<T> {
  private readonly reads = new Map<string, Promise<T | undefined>>();
  private waiting = 0;

  /** Whether another one may wait. */
  get hasRoom(): boolean {
    return this.waiting < MAX_WAITING;
  }

  /** @param read begins only if nobody reads for the key yet */
  async of(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    this.waiting++;
    try {
      return await (this.reads.get(key) ?? this.begin(key, read));
    } finally {
      this.waiting--;
    }
  }

  private begin(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const found = read().finally(() => this.reads.delete(key));
    this.reads.set(key, found);
    return found;
  }
}
