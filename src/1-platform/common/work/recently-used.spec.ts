import { recentlyUsed } from './recently-used';

describe('a cache of recently used entries', () => {
  it('drops the entry whose last use is longest ago', () => {
    const cache = recentlyUsed<string>({ most: 2 });
    cache.set('a', '1').set('b', '2');
    cache.get('a');
    cache.set('c', '3');
    expect([...cache.keys()].toSorted()).toEqual(['a', 'c']);
  });

  it('takes no memory for entries that it does not have', () => {
    // With the option `max`, these would be a hundred caches with places for a million entries each.
    const before = process.memoryUsage();
    const caches = Array.from({ length: 100 }, () => recentlyUsed<string>({ most: 1_000_000, ttl: 1_000 }));
    const after = process.memoryUsage();
    expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(10_000_000);
    expect(caches[99]?.size).toBe(0);
  });

  it('forgets an entry when its time is over', () => {
    const cache = recentlyUsed<true>({ most: 10 });
    cache.set('a', true, { ttl: 1, start: performance.now() - 1_000 });
    expect(cache.get('a')).toBeUndefined();
  });
});
