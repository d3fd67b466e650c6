import { setImmediate as turnIsOver } from 'node:timers/promises';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOptions<Item> {
  readonly maxItems: number;
  /** Minimum time between the starts of two batches: items that arrive meanwhile are combined. */
  readonly pauseMs?: number;
  /** A longer pause, as long as only such items wait. */
  readonly patient?: {
    readonly is: (item: Item) => boolean;
    readonly pauseMs: number;
  };
  /** Whose items take turns; by default all items are of one owner. */
  readonly owners?: {
    readonly of: (item: Item) => string;
    /** Maximal items of one owner in a batch. */
    readonly maxItems: number;
  };
}

/**
 * Combines items that arrive during the previous batch: under load, many share one statement and one commit.
 * An item that arrives alone does not wait. Where items have owners, each owner gets one place of a batch in
 * turn, so those with few items do not wait behind the items of one with many.
 */
export class Batches<Item, Result> {
  /** By owner, in the order of their turns; an owner without items is not here. */
  private readonly waiting = new Map<string, Waiting<Item, Result>[]>();
  private waitingItems = 0;
  /** Whether one that waits is not patient. */
  private hurried = false;
  /** Ends the current wait for more items. */
  private endWait: (() => void) | undefined;
  private running: Promise<void> | undefined;

  /** @param work returns a result for each item, in order; if it fails, all items fail */
  constructor(
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly options: BatchOptions<Item>,
  ) {}

  /** Items that wait or are being processed. */
  size = 0;

  add(item: Item): Promise<Result> {
    this.size++;
    this.waitingItems++;
    return new Promise<Result>((resolve, reject) => {
      const owner = this.options.owners?.of(item) ?? '';
      const items = this.waiting.get(owner);
      if (items) items.push({ item, resolve, reject });
      else this.waiting.set(owner, [{ item, resolve, reject }]);
      if (!this.hurried && this.options.patient?.is(item) !== true) {
        this.hurried = true;
        this.endWait?.();
      }
      this.running ??= this.run();
    });
  }

  /** Resolves when no item waits or is being processed. */
  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    while (this.waitingItems > 0) {
      // Items of the same turn of the event loop join: each connection with data is read first.
      await turnIsOver();
      const batch = this.take();
      const begun = performance.now();
      await this.serve(batch);
      await this.gather(begun);
    }
    this.running = undefined;
  }

  /** The pause after a batch. One that is already late, or full, does not wait for more items. */
  private async gather(begun: number): Promise<void> {
    const { maxItems, pauseMs = 0, patient } = this.options;
    for (let isOver = false; !isOver && this.waitingItems < maxItems;) {
      const left = begun + (this.hurried ? pauseMs : (patient?.pauseMs ?? pauseMs)) - performance.now();
      if (left <= 0) return;
      isOver = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(resolve, left, true);
        this.endWait = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      this.endWait = undefined;
    }
  }

  /** The next batch. Items of one owner stay in their order. */
  private take(): Waiting<Item, Result>[] {
    const { maxItems, owners: { maxItems: maxOfOne } = { maxItems } } = this.options;
    const places = this.places(maxItems, maxOfOne);
    const batch: Waiting<Item, Result>[] = [];
    for (const [owner, count] of places) {
      const items = this.waiting.get(owner) ?? [];
      batch.push(...items.splice(0, count));
      // Whoever has more waits behind those that got no place.
      this.waiting.delete(owner);
      if (items.length > 0) this.waiting.set(owner, items);
    }
    this.waitingItems -= batch.length;
    if (this.waitingItems === 0) this.hurried = false;
    return batch;
  }

  /** How many places of the next batch each owner gets: one in turn, until it is full or nobody has more. */
  private places(maxItems: number, maxOfOne: number): Map<string, number> {
    const places = new Map<string, number>();
    let free = Math.min(maxItems, this.waitingItems);
    for (let turn = 0; turn < maxOfOne && free > 0; turn++) {
      const before = free;
      for (const [owner, { length }] of this.waiting) {
        if (length <= turn) continue;
        places.set(owner, turn + 1);
        if (--free === 0) break;
      }
      if (free === before) break;
    }
    return places;
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
