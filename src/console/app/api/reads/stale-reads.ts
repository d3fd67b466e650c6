import type { Query, QueryClient } from '@tanstack/react-query';
import { isLong } from './long-lists';

/** Between two rounds of reads. */
const GAP_MS = 2_000;
/** A read that does not end keeps others waiting no longer than this. */
const LONGEST_ROUND_MS = 30_000;

/** In place of the first word of a query key: of every query. */
const ALL = '*';

const pauseOf = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Collects what has become stale, and reads what is visible of it: the first change at once, and the changes
 * of the next seconds together. So the number of changes decides nothing about the number of requests, and a
 * read that is slower than the changes still ends, because none is cancelled for a newer one.
 */
export class StaleReads {
  /** First words of query keys. */
  private stale = new Set<string>();
  private isReading = false;
  private isHeld = false;

  /** @param pause other than by a timer in tests */
  constructor(
    private readonly client: QueryClient,
    private readonly pause = pauseOf,
  ) {}

  /** @param words first words of query keys */
  mark(words: Iterable<string>): void {
    for (const word of words) this.stale.add(word);
    void this.read();
  }

  /** Nobody knows what has changed. */
  markAll(): void {
    this.mark([ALL]);
  }

  forget(): void {
    this.stale.clear();
  }

  /** While nobody looks, changes are collected only. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    void this.read();
  }

  private async read(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    while (this.stale.size > 0 && !this.isHeld) {
      await this.round();
      await this.pause(GAP_MS);
    }
    this.isReading = false;
  }

  private async round(): Promise<void> {
    const { client, stale } = this;
    this.stale = new Set();
    const isStale = ({ queryKey: [word] }: Query): boolean => stale.has(ALL) || stale.has(String(word));
    // A list that was scrolled far is read again when it is opened again.
    const isRead = (query: Query): boolean => isStale(query) && !isLong(query);
    // Their answers may be from before the change.
    const running = client.getQueryCache().findAll({ type: 'active', fetchStatus: 'fetching', predicate: isRead });
    for (const { queryKey } of running) this.stale.add(String(queryKey[0]));
    void client.invalidateQueries({ predicate: isStale, refetchType: 'none' });
    const reads = client.refetchQueries({ type: 'active', predicate: isRead }, { cancelRefetch: false });
    await Promise.race([reads, this.pause(LONGEST_ROUND_MS)]);
  }
}
