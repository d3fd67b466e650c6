import { setImmediate as turnIsOver, setTimeout as sleep } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOptions {
  readonly maxItems: number;
  /**
   * Least time from the start of one batch to the start of the next: what comes in meanwhile goes together.
   */
  readonly pauseMs?: number;
}

/**
 * Does together what is asked for while the batch before is under way: under load one statement, one
 * commit, for many. What comes in alone waits for nothing.
 */
export class Batches<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  /** @param work gives a result for each item, in their order; when it fails, all of them do */
  constructor(
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: BatchOptions,
  ) {}

  /** Items that wait or are under way. */
  size = 0;

  add(item: Item): Promise<Result> {
    this.size++;
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing waits or is under way. */
  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    const { maxItems, pauseMs = 0 } = this.options;
    while (this.waiting.length > 0) {
      // Whoever asks in the same turn of the event loop goes along: each
      // connection that has something to say is heard before.
      await turnIsOver();
      const batch = this.waiting.splice(0, maxItems);
      const begun = performance.now();
      await this.serve(batch);
      const left = pauseMs - (performance.now() - begun);
      // Who is behind already does not gather more.
      if (left > 0 && this.waiting.length < maxItems) await sleep(left);
    }
    this.running = undefined;
  }

  private async serve(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, place) => resolve(results[place] as Result));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.size -= batch.length;
    }
  }
}
