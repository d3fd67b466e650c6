import { seeded } from '../../../../test/support/random';
import { cacheSizeFor, SeriesCache, type Known } from './series-cache';

const MINUTE = 60_000;
const known = (id: number): Known => ({ as: 'series', id, family: 'host', until: 0 });
const dropped: Known = { as: 'dropped', reason: 'unmapped' };

describe('the cache of series', () => {
  let now = 0;
  let cache: SeriesCache;
  beforeEach(() => {
    now = 0;
    cache = new SeriesCache(1_000, { now: () => now, random: seeded(20_261_129) });
  });

  /** A request with these series, which are looked up and remembered. @returns how many were found */
  const send = (name: string, count: number, one = known): number => {
    cache.lookAtClock();
    let found = 0;
    for (let id = 0; id < count; id++)
      if (cache.get('org', `${name} ${id}`)) found++;
      else cache.set('org', `${name} ${id}`, one(id));
    return found;
  };

  it('is separate per organisation', () => {
    cache.set('org', 'series', known(1));
    expect([cache.get('org', 'series')?.known, cache.get('other', 'series')]).toEqual([known(1), undefined]);
  });

  it('is bounded, of series of all organisations together', () => {
    const all = Array.from({ length: 20_000 }, (_, id) => [`org ${id % 7}`, `series ${id}`] as const);
    for (const [orgId, key] of all) cache.set(orgId, key, known(1));
    expect(all.filter(([orgId, key]) => cache.get(orgId, key))).toHaveLength(1_000);
  });

  it('finds all series that it has room for', () => {
    send('series', 1_000);
    for (let times = 0; times < 3; times++) expect(send('series', 1_000)).toBe(1_000);
  });

  it('finds almost as many as it holds if twice as many are sent, again and again', () => {
    for (let times = 0; times < 5; times++) send('series', 2_000);
    let found = 0;
    for (let times = 0; times < 50; times++) found += send('series', 2_000);
    expect(found / 100_000).toBeGreaterThan(0.45);
    expect(found / 100_000).toBeLessThanOrEqual(0.5);
  });

  it('gives the places of series that have ended to new ones at once', () => {
    send('ended', 1_000);
    now = 11 * MINUTE;
    for (let times = 0; times < 8; times++) send('series', 900);
    expect(send('series', 900)).toBeGreaterThan(890);
  });

  it('keeps series that are in use while others come once', () => {
    send('series', 900);
    for (let times = 1; times <= 20; times++) {
      now = times * MINUTE;
      send(`once ${times}`, 100);
      send('series', 900);
    }
    expect(send('series', 900)).toBeGreaterThan(800);
  });

  it('takes series that are new into use bit by bit, though all others are in use', () => {
    send('series', 1_000);
    const found = Array.from({ length: 40 }, () => {
      send('series', 1_000);
      return send('new', 100);
    });
    expect(found[0]).toBeLessThan(20);
    expect(Math.max(...found)).toBeGreaterThan(40);
  });

  it('keeps series apart from what is not stored, of which it keeps half as many', () => {
    const sendDropped = () => send('dropped', 1_000, () => dropped);
    send('series', 1_000);
    for (let times = 0; times < 20; times++) expect(sendDropped()).toBeLessThanOrEqual(500);
    expect(send('series', 1_000)).toBe(1_000);
    expect(sendDropped()).toBeGreaterThan(400);
  });

  it('has room for the labels of series, however many others were sent before', () => {
    cache = new SeriesCache(200_000, { now: () => now, random: seeded(20_261_130) });
    const form = 'x'.repeat(1_024);
    const kept = (name: string, count: number, one: Known) =>
      Array.from({ length: count }, (_, id) => {
        const seen = cache.set('org', `${name} ${id}`, one);
        cache.keepForm(seen, () => form);
        return seen;
      }).filter((seen) => seen.form).length;
    expect(kept('dropped', 40_000, dropped)).toBe(16 * 1_024);
    expect(kept('series', 40_000, known(1))).toBe(32 * 1_024);
  });

  it('makes no copy of labels that it has', () => {
    const seen = cache.set('org', 'series', known(1));
    const make = jest.fn(() => 'labels');
    for (let times = 0; times < 2; times++) cache.keepForm(seen, make);
    expect([seen.form, make.mock.calls.length]).toEqual(['labels', 1]);
  });

  it('changes what it knows of a series, and keeps its entry', () => {
    const seen = cache.set('org', 'series', known(1));
    expect(cache.set('org', 'series', known(2))).toBe(seen);
    expect(cache.get('org', 'series')?.known).toEqual(known(2));
  });

  it('frees the room of labels with the series that are gone', () => {
    const form = 'x'.repeat(1_024);
    const kept = (name: string) => {
      cache.lookAtClock();
      return Array.from({ length: 1_000 }, (_, id) => {
        const seen = cache.set('org', `${name} ${id}`, known(id));
        cache.keepForm(seen, () => form);
        return seen;
      }).filter((seen) => seen.form).length;
    };
    // Room for 32,768 forms: without what is freed, the last of these find none.
    let last = 0;
    for (let times = 0; times < 80; times++) {
      now += 11 * MINUTE;
      last = kept(`series ${times}`);
    }
    expect(last).toBeGreaterThan(500);
  });

  it('has room for as many as an eighth of the heap holds, within bounds', () => {
    const MiB = 1_024 * 1_024;
    expect(cacheSizeFor(16 * MiB)).toBe(100_000);
    expect(cacheSizeFor(512 * MiB)).toBe(223_696);
    expect(cacheSizeFor(64 * 1_024 * MiB)).toBe(2_000_000);
  });
});
