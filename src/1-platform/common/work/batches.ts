import { setImmediate as turnIsOver, setTimeout as sleep } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOptions {
  readonly maxItems: number;
  /** Minimum time between the starts of two batches: items that arrive meanwhile are combined. */
  readonly pauseMs?: number;
}

/**
 * Combines items that arrive during the previous batch: under load, many share one statement and one commit.
 * An item that arrives alone does not wait.
 */
export class Batches<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;

  /** @param work returns a result for each item, in order; if it fails, all items fail */
  constructor(
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: BatchOptions,
  ) {}

  /** Items that wait or are being processed. */
  size = 0;

  add(item: Item): Promise<Result> {
    this.size++;
    return new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when no item waits or is being processed. */
  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    const { maxItems, pauseMs = 0 } = this.options;
    while (this.waiting.length > 0) {
      // Items of the same turn of the event loop join: each connection with data is read first.
      await turnIsOver();
      const batch = this.waiting.splice(0, maxItems);
      const begun = performance.now();
      await this.serve(batch);
      const left = pauseMs - (performance.now() - begun);
      // A batch that is already late does not wait for more items.
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
