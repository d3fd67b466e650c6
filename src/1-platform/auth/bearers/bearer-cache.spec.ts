import { setTimeout as sleep } from 'node:timers/promises';
import { BearerCache, type Found } from './bearer-cache';
import { tokenDigest } from './token-secrets';

interface Who {
  readonly id: string;
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
    lookUp = jest.fn(() => Promise.resolve({ who: { id: 'one' }, livesMs: null }));
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
    for (let time = 0; time < 3; time++) expect(await cache.verify('secret')).toEqual({ id: 'one' });
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValue(found.promise);
    await pass(999);
    expect(await cache.verify('secret')).toEqual({ id: 'one' });
    await pass(2);
    let isKnown = false;
    const again = cache.verify('secret').then(() => (isKnown = true));
    await pass(0);
    expect(isKnown).toBe(false);
    found.resolve({ who: { id: 'one' }, livesMs: null });
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
    for (let time = 0; time < 3; time++) expect(await cache.verify('secret')).toEqual({ id: 'one' });
    expect(lookUp).toHaveBeenCalledTimes(2);
    found.resolve({ who: { id: 'two' }, livesMs: null });
    await pass(500);
    expect(await cache.verify('secret')).toEqual({ id: 'two' });
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('believes a bearer for the rest of its second if it cannot be looked up again, and no longer', async () => {
    await cache.verify('secret');
    await pass(800);
    lookUp.mockRejectedValue(new Error('the database is away'));
    expect(await cache.verify('secret')).toEqual({ id: 'one' });
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
    cache.forget(({ id }) => id === 'another');
    found.resolve({ who: { id: 'one' }, livesMs: null });
    await pass(100);
    expect(valid()).toBe(true);
    await pass(101);
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(3);
  });

  it('looks a bearer up once for all who send it meanwhile', async () => {
    const all = Array.from({ length: 32 }, () => cache.verify('secret'));
    const other = cache.verify('other');
    expect(await Promise.all([...all, other])).toEqual(Array.from({ length: 33 }, () => ({ id: 'one' })));
    expect(lookUp).toHaveBeenCalledTimes(2);
    lookUp.mockRejectedValueOnce(new Error('the database is away'));
    await pass(1_001);
    const failed = await Promise.allSettled([cache.verify('secret'), cache.verify('secret')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.verify('secret')).toEqual({ id: 'one' });
  });

  it('looks up again for whoever waited for a look-up that found nothing', async () => {
    lookUp.mockResolvedValueOnce(undefined);
    expect(await Promise.all([cache.verify('secret'), cache.verify('secret')])).toEqual([undefined, { id: 'one' }]);
  });

  it('shares no look-up that a revocation overtook', async () => {
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    const before = cache.verify('secret');
    cache.forget(({ id }) => id === 'one');
    lookUp.mockResolvedValue(undefined);
    expect(await cache.verify('secret')).toBeUndefined();
    found.resolve({ who: { id: 'one' }, livesMs: null });
    expect(await before).toEqual({ id: 'one' });
  });

  it('counts that second from the start of the look-up', async () => {
    lookUp.mockImplementationOnce(async () => {
      await pass(900);
      return { who: { id: 'one' }, livesMs: null };
    });
    await cache.verify('secret');
    await pass(101);
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('remembers a bearer no longer than the bearer is valid', async () => {
    lookUp.mockResolvedValueOnce({ who: { id: 'one' }, livesMs: 300 });
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
    lookUp.mockResolvedValue({ who: { id: 'one' }, livesMs });
    expect(await cache.verify('secret')).toEqual({ id: 'one' });
    await cache.verify('secret');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('does not remember that a bearer is unknown', async () => {
    lookUp.mockResolvedValueOnce(undefined);
    expect(await cache.verify('secret')).toBeUndefined();
    expect(await cache.verify('secret')).toEqual({ id: 'one' });
  });

  it('forgets the revoked bearers at once, and no others', async () => {
    lookUp.mockResolvedValueOnce({ who: { id: 'revoked' }, livesMs: null });
    await cache.verify('first');
    await cache.verify('second');
    cache.forget(({ id }) => id === 'revoked');
    expect([valid('first'), valid('second')]).toEqual([false, true]);
    lookUp.mockResolvedValue(undefined);
    expect([await cache.verify('first'), await cache.verify('second')]).toEqual([undefined, { id: 'one' }]);
  });

  it('does not remember the result of a look-up that a revocation overtook', async () => {
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    const first = cache.verify('secret');
    cache.forget(({ id }) => id === 'one');
    found.resolve({ who: { id: 'one' }, livesMs: null });
    // The look-up read the bearer before it was revoked.
    expect(await first).toEqual({ id: 'one' });
    lookUp.mockResolvedValue(undefined);
    expect(await cache.verify('secret')).toBeUndefined();
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  it('forgets revoked bearers that it has not looked up for long, too', async () => {
    await cache.verify('secret');
    await pass(60_000);
    expect(valid()).toBe(true);
    cache.forget(({ id }) => id === 'one');
    expect(valid()).toBe(false);
  });

  it('says of a bearer that it was valid while it is looked up again', async () => {
    await cache.verify('secret');
    await pass(60_000);
    const found = Promise.withResolvers<Found<Who>>();
    lookUp.mockReturnValueOnce(found.promise);
    const again = cache.verify('secret');
    expect(valid()).toBe(true);
    found.resolve({ who: { id: 'one' }, livesMs: null });
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
