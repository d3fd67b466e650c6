import { SharedLook } from './shared-look';

describe('a shared look', () => {
  let now = 0;
  let looks = 0;
  beforeEach(() => ([now, looks] = [1_000, 0]));

  const shared = (burst?: number) =>
    new SharedLook(
      () => Promise.resolve(++looks),
      { reuseMs: 100, ...(burst === undefined ? {} : { burst }) },
      () => now,
    );

  it('is one for all simultaneous callers, even if more would be allowed', async () => {
    const look = shared(10);
    expect(await Promise.all(Array.from({ length: 50 }, () => look.get()))).toEqual(Array(50).fill(1));
  });

  it('gives its result to later callers until it is too old', async () => {
    const look = shared();
    expect(await look.get()).toBe(1);
    now += 99;
    expect(await look.get()).toBe(1);
    now += 1;
    expect(await look.get()).toBe(2);
  });

  it('is new for a few callers in a row, and then at a bounded rate', async () => {
    const look = shared(5);
    const seen: number[] = [];
    for (let call = 0; call < 8; call++) seen.push(await look.get());
    expect(seen).toEqual([1, 2, 3, 4, 5, 5, 5, 5]);
    // 10,000 callers in a second.
    for (let call = 0; call < 10_000; call++) {
      now += 0.1;
      await look.get();
    }
    expect(looks).toBeLessThanOrEqual(5 + 10);
    expect(looks).toBeGreaterThanOrEqual(5 + 9);
  });

  it('saves up no more looks than its burst', async () => {
    const look = shared(3);
    now += 1_000_000;
    for (let call = 0; call < 10; call++) await look.get();
    expect(looks).toBe(3);
  });

  it('shares a failure, and looks again later', async () => {
    let fails = true;
    const look = new SharedLook(
      () => (fails ? Promise.reject(new Error(`look ${++looks}`)) : Promise.resolve('seen')),
      { reuseMs: 100 },
      () => now,
    );
    await expect(look.get()).rejects.toThrow('look 1');
    await expect(look.get()).rejects.toThrow('look 1');
    fails = false;
    now += 100;
    expect(await look.get()).toBe('seen');
  });
});
