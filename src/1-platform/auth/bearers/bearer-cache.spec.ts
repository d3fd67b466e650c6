import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { BearerCache, type Found } from './bearer-cache';
import { tokenDigest } from './token-secrets';

interface Who {
  readonly actorId: string;
}

describe('the cache of bearers', () => {
  let ahead: number;
  let lookUp: jest.Mock<Promise<Found<Who> | undefined>>;
  let cache: BearerCache<Who>;

  beforeEach(() => {
    ahead = 0;
    const now = performance.now();
    // The clock stands still until a test moves it.
    jest.spyOn(performance, 'now').mockImplementation(() => now + ahead);
    lookUp = jest.fn(() => Promise.resolve({ who: { actorId: 'one' }, livesMs: null }));
    cache = new BearerCache(lookUp);
  });
  afterEach(() => jest.restoreAllMocks());

  async function pass(milliseconds: number): Promise<void> {
    ahead += milliseconds;
    // The library reads the clock once a millisecond.
    await sleep(10);
  }
  const valid = (bearer = 'secret') => cache.lastKnown(tokenDigest(bearer)) !== undefined;

  it('remembers a valid bearer for a second', async () => {
    for (let time = 0; time < 3; time++) expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValue(found.promise);
    await pass(999);
    expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
    await pass(2);
    let isKnown = false;
    const again = cache.verify('secret').then(() => (isKnown = true));
    await pass(0);
    expect(isKnown).toBe(false);
    found.resolve({ who: { actorId: 'one' }, livesMs: null });
    await again;
  });

  it('looks a bearer up again before its second is over, and lets nobody wait for that', async () => {
    await cache.verify('secret');
    await pass(749);
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(1);
    await pass(2);
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    for (let time = 0; time < 3; time++) expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
    expect(lookUp).toHaveBeenCalledTimes(2);
    found.resolve({ who: { actorId: 'two' }, livesMs: null });
    await pass(500);
    expect(await cache.verify('secret')).toEqual({ actorId: 'two' });
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('believes a bearer for the rest of its second if it cannot be looked up again, and no longer', async () => {
    await cache.verify('secret');
    await pass(800);
    lookUp.mockRejectedValue(new Error('the database is away'));
    expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
    await pass(201);
    await expect(cache.verify('secret')).rejects.toThrow('the database is away');
  });

  it('no longer believes a bearer that is not found when it is looked up again', async () => {
    await cache.verify('secret');
    await pass(800);
    lookUp.mockResolvedValue(undefined);
    await cache.verify('secret');
    await pass(0);
    expect(valid()).toBe(false);
    expect(await cache.verify('secret')).toBeUndefined();
  });

  it('keeps what it believes if a revocation of another bearer overtakes the look-up', async () => {
    await cache.verify('secret');
    await pass(800);
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    await cache.verify('secret');
    cache.forget('another');
    found.resolve({ who: { actorId: 'one' }, livesMs: null });
    await pass(100);
    expect(valid()).toBe(true);
    await pass(101);
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(3);
  });

  it('looks a bearer up once for all who send it meanwhile', async () => {
    const all = Array.from({ length: 32 }, () => cache.verify('secret'));
    const other = cache.verify('other');
    expect(await Promise.all([...all, other])).toEqual(Array.from({ length: 33 }, () => ({ actorId: 'one' })));
    expect(lookUp).toHaveBeenCalledTimes(2);
    lookUp.mockRejectedValueOnce(new Error('the database is away'));
    await pass(1_001);
    const failed = await Promise.allSettled([cache.verify('secret'), cache.verify('secret')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
  });

  it('looks up again for whoever waited for a look-up that found nothing', async () => {
    lookUp.mockResolvedValueOnce(undefined);
    expect(await Promise.all([cache.verify('secret'), cache.verify('secret')])).toEqual([
      undefined,
      { actorId: 'one' },
    ]);
  });

  it('shares no look-up that a revocation overtook', async () => {
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    const before = cache.verify('secret');
    cache.forget('one');
    lookUp.mockResolvedValue(undefined);
    expect(await cache.verify('secret')).toBeUndefined();
    found.resolve({ who: { actorId: 'one' }, livesMs: null });
    expect(await before).toEqual({ actorId: 'one' });
  });

  it('counts that second from the start of the look-up', async () => {
    lookUp.mockImplementationOnce(async () => {
      await pass(900);
      return { who: { actorId: 'one' }, livesMs: null };
    });
    await cache.verify('secret');
    await pass(101);
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('remembers a bearer no longer than the bearer is valid', async () => {
    lookUp.mockResolvedValueOnce({ who: { actorId: 'one' }, livesMs: 300 });
    await cache.verify('secret');
    await pass(224);
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(1);
    lookUp.mockResolvedValue(undefined);
    await pass(77);
    expect(await cache.verify('secret')).toBeUndefined();
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it.each([0, 0.5])('does not remember a bearer that is valid for %p ms', async (livesMs) => {
    lookUp.mockResolvedValue({ who: { actorId: 'one' }, livesMs });
    expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('does not remember that a bearer is unknown', async () => {
    lookUp.mockResolvedValueOnce(undefined);
    expect(await cache.verify('secret')).toBeUndefined();
    expect(await cache.verify('secret')).toEqual({ actorId: 'one' });
  });

  it('forgets the revoked bearers at once, and no others', async () => {
    lookUp.mockResolvedValueOnce({ who: { actorId: 'revoked' }, livesMs: null });
    await cache.verify('first');
    await cache.verify('second');
    cache.forget('revoked');
    expect([valid('first'), valid('second')]).toEqual([false, true]);
    lookUp.mockResolvedValue(undefined);
    expect([await cache.verify('first'), await cache.verify('second')]).toEqual([undefined, { actorId: 'one' }]);
  });

  it('does not remember the result of a look-up that a revocation overtook', async () => {
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    const first = cache.verify('secret');
    cache.forget('one');
    found.resolve({ who: { actorId: 'one' }, livesMs: null });
    // The look-up read the bearer before it was revoked.
    expect(await first).toEqual({ actorId: 'one' });
    lookUp.mockResolvedValue(undefined);
    expect(await cache.verify('secret')).toBeUndefined();
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('looks at no other entries to forget those of one actor', async () => {
    const others = 10_000 - 2;
    for (let bearer = 0; bearer < others; bearer++) {
      lookUp.mockResolvedValueOnce({ who: { actorId: `other ${bearer}` }, livesMs: null });
      await cache.verify(`bearer ${bearer}`);
    }
    for (const bearer of ['first', 'second']) await cache.verify(bearer);
    for (const walk of ['dump', 'entries', 'rentries', 'forEach', 'find', 'keys', 'values'] as const)
      jest.spyOn(LRUCache.prototype, walk).mockImplementation(() => {
        throw new Error('it walks through all entries');
      });
    const deletions = jest.spyOn(LRUCache.prototype, 'delete');
    cache.forget('one');
    expect(deletions).toHaveBeenCalledTimes(2);
    expect([valid('first'), valid('second'), valid('bearer 0'), valid(`bearer ${others - 1}`)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('keeps no actor in its index whose entries have left it', async () => {
    for (let bearer = 0; bearer < 10_050; bearer++) {
      lookUp.mockResolvedValueOnce({ who: { actorId: `actor ${bearer}` }, livesMs: null });
      await cache.verify(`bearer ${bearer}`);
    }
    const { keysOf } = cache as unknown as { keysOf: ReadonlyMap<string, ReadonlySet<string>> };
    expect(keysOf.size).toBe(10_000);
    expect(keysOf.has('actor 49')).toBe(false);
    // A bearer that is looked up again is still found by its actor.
    await pass(1_001);
    lookUp.mockResolvedValueOnce({ who: { actorId: 'actor 10049' }, livesMs: null });
    await cache.verify('bearer 10049');
    expect(keysOf.get('actor 10049')?.size).toBe(1);
    for (let actor = 50; actor < 10_050; actor++) cache.forget(`actor ${actor}`);
    expect(keysOf.size).toBe(0);
  });

  it('forgets revoked bearers that it has not looked up for long, too', async () => {
    await cache.verify('secret');
    await pass(60_000);
    expect(valid()).toBe(true);
    cache.forget('one');
    expect(valid()).toBe(false);
  });

  it('says of a bearer that it was valid while it is looked up again', async () => {
    await cache.verify('secret');
    await pass(60_000);
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    const again = cache.verify('secret');
    expect(valid()).toBe(true);
    found.resolve({ who: { actorId: 'one' }, livesMs: null });
    await again;
  });

  it('says of a bearer that it was valid at its last look-up, however long ago that was', async () => {
    expect(valid()).toBe(false);
    await cache.verify('secret');
    await pass(60_000);
    expect(valid()).toBe(true);
    lookUp.mockResolvedValue(undefined);
    await cache.verify('secret');
    expect(valid()).toBe(false);
  });
});
