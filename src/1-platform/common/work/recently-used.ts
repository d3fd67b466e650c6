import { LRUCache } from 'lru-cache';

interface Options<Value extends object | string | true> extends Pick<
  LRUCache.Options<string, Value, unknown>,
  'ttl' | 'dispose' | 'noDeleteOnStaleGet'
> {
  /** The maximal number of entries. */
  readonly most: number;
}

/**
 * A cache of the entries that were used last. Its memory grows with its entries: with the option `max`,
 * lru-cache would take the memory of all of them at once, which was 14 MB of an idle service.
 */
export const recentlyUsed = <Value extends object | string | true>({
  most,
  ...options
}: Options<Value>): LRUCache<string, Value> => new LRUCache({ ...options, maxSize: most, sizeCalculation: () => 1 });
