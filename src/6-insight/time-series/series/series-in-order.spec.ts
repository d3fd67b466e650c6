import { SeriesCache, type Known } from './series-cache';
import { SeriesInOrder } from './series-in-order';

/** A request whose series have these names; it counts the keys that it calculates. */
class Request {
  keys = 0;

  constructor(
    readonly names: readonly string[],
    private readonly hasForms = true,
  ) {}

  keyOf = (series: number): string => {
    this.keys++;
    return `key of ${this.names[series]}`;
  };

  formOf = (series: number): string => this.names[series] as string;
  hasForm = (series: number, form: string): boolean => this.hasForms && this.formOf(series) === form;
  describe = (): never => {
    throw new Error('nobody reads the labels of a known series');
  };
  bytes = 0;
}

const known = (id: number): Known => ({ as: 'series', id, family: 'host', until: 0 });

describe('the series of a request, in their order', () => {
  let cache: SeriesCache;
  beforeEach(() => {
    cache = new SeriesCache();
    ['a', 'b', 'c', 'd'].forEach((name, id) => cache.set('org', `key of ${name}`, known(id)));
  });

  const find = (request: Request, orgId = 'org') => {
    const inOrder = new SeriesInOrder(cache, orgId, request);
    const found = request.names.map((_, series) => {
      const one = inOrder.find(series)?.known;
      return one?.as === 'series' ? one.id : undefined;
    });
    inOrder.find(undefined);
    return found;
  };

  it('are found without their keys when they are repeated, except for the first', () => {
    expect(find(new Request(['a', 'b', 'c']))).toEqual([0, 1, 2]);
    const again = new Request(['a', 'b', 'c']);
    expect([find(again), again.keys]).toEqual([[0, 1, 2], 1]);
  });

  it.each([
    ['another order', ['c', 'a', 'b', 'a'], [2, 0, 1, 0]],
    ['one that is new', ['a', 'new', 'b', 'c'], [0, undefined, 1, 2]],
    ['one that is missing', ['a', 'c'], [0, 2]],
    ['more of them', ['a', 'b', 'c', 'd'], [0, 1, 2, 3]],
  ])('are found in %s', (_what, names, ids) => {
    for (let turn = 0; turn < 3; turn++) {
      expect(find(new Request(['a', 'b', 'c']))).toEqual([0, 1, 2]);
      expect(find(new Request(names))).toEqual(ids);
    }
  });

  it('are found by their keys where their bytes say nothing', () => {
    for (let turn = 0; turn < 2; turn++) {
      const request = new Request(['a', 'b'], false);
      expect([find(request), request.keys]).toEqual([[0, 1], 2]);
    }
  });

  it('are not those of another organisation', () => {
    find(new Request(['a', 'b']));
    find(new Request(['a', 'b']));
    expect(find(new Request(['a', 'b']), 'other')).toEqual([undefined, undefined]);
  });

  it('refer to nothing that is no longer sent', () => {
    find(new Request(['a', 'b', 'c']));
    find(new Request(['a', 'd']));
    find(new Request(['a']));
    expect(cache.get('org', 'key of a')?.next).toBeUndefined();
  });

  it('are looked up by their keys again after another one took their place', () => {
    cache = new SeriesCache(2, { now: () => 0, random: () => 0 });
    cache.set('org', 'key of a', known(0));
    cache.set('org', 'key of b', known(1));
    for (let turn = 0; turn < 2; turn++) expect(find(new Request(['b', 'a']))).toEqual([1, 0]);
    // It takes the place of the first.
    cache.set('org', 'key of c', known(2));
    const request = new Request(['b', 'a']);
    expect([find(request), request.keys]).toEqual([[1, undefined], 2]);
  });

  it('keep short forms only, and not more than have room', () => {
    const long = 'x'.repeat(1_025);
    cache.set('org', `key of ${long}`, known(4));
    for (let turn = 0; turn < 2; turn++) {
      const request = new Request(['a', long]);
      expect([find(request), request.keys]).toEqual([[0, 4], 2]);
    }
    for (let n = 0; n < 33_000; n++) {
      const name = `${n} `.padEnd(1_024);
      cache.set('org', `key of ${name}`, known(n));
      find(new Request([name]));
    }
    const kept = Array.from({ length: 33_000 }, (_, n) => cache.get('org', `key of ${`${n} `.padEnd(1_024)}`)?.form);
    expect(kept.filter(Boolean).length).toBe(32 * 1_024 - 1);
  });
});
