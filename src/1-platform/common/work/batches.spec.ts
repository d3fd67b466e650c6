import { setImmediate as turnIsOver, setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { eventually } from '../../../../test/support/eventually';
import { Batches } from './batches';

/** Work that ends when the test says so. */
class Bench {
  readonly batches: (readonly number[])[] = [];
  private release: (() => void) | undefined;
  private fault: Error | undefined;

  readonly work = async (items: readonly number[]): Promise<string[]> => {
    this.batches.push(items);
    await new Promise<void>((resolve) => (this.release = resolve));
    if (this.fault) throw this.fault;
    return items.map((item) => `done ${item}`);
  };

  /** Ends the current batch. */
  async end(fault?: Error): Promise<void> {
    await eventually(() => expect(this.release).toBeDefined());
    this.fault = fault;
    this.release?.();
    this.release = undefined;
  }
}

describe('batches', () => {
  it('give each item its own result, in order', async () => {
    const bench = new Bench();
    const batches = new Batches(bench.work, { maxItems: 10 });
    const results = Promise.all([1, 2, 3].map((item) => batches.add(item)));
    await bench.end();
    expect(await results).toEqual(['done 1', 'done 2', 'done 3']);
    expect(bench.batches).toEqual([[1, 2, 3]]);
  });

  it('combine items that arrive within one turn of the event loop', async () => {
    const bench = new Bench();
    const batches = new Batches(bench.work, { maxItems: 10 });
    const results = [batches.add(1)];
    for (let promises = 0; promises < 10; promises++) await Promise.resolve();
    results.push(batches.add(2));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    results.push(batches.add(3));
    await bench.end();
    expect(await Promise.all(results)).toEqual(['done 1', 'done 2', 'done 3']);
    expect(bench.batches).toEqual([[1, 2, 3]]);
  });

  it('combine items that arrive during the previous batch', async () => {
    const bench = new Bench();
    const batches = new Batches(bench.work, { maxItems: 10 });
    const first = batches.add(1);
    await eventually(() => expect(bench.batches).toEqual([[1]]));
    const others = [2, 3].map((item) => batches.add(item));
    await sleep(5);
    const last = batches.add(4);
    expect(bench.batches).toEqual([[1]]);
    await bench.end();
    expect(await first).toBe('done 1');
    await bench.end();
    expect(await Promise.all([...others, last])).toEqual(['done 2', 'done 3', 'done 4']);
    expect(bench.batches).toEqual([[1], [2, 3, 4]]);
  });

  it('respect their maximum size, and never run concurrently', async () => {
    let running = 0;
    const sizes: number[] = [];
    const batches = new Batches<number, number>(
      async (items) => {
        expect(++running).toBe(1);
        sizes.push(items.length);
        await sleep(1);
        running--;
        return items;
      },
      { maxItems: 4 },
    );
    const asked = Array.from({ length: 10 }, (_, item) => item);
    expect(await Promise.all(asked.map((item) => batches.add(item)))).toEqual(asked);
    expect(sizes).toEqual([4, 4, 2]);
  });

  it('fail as a whole, without affecting later ones', async () => {
    const bench = new Bench();
    const batches = new Batches(bench.work, { maxItems: 2 });
    const fault = new Error('the database is away');
    const results = Promise.allSettled([1, 2, 3].map((item) => batches.add(item)));
    await bench.end(fault);
    await bench.end();
    expect(await results).toEqual([
      { status: 'rejected', reason: fault },
      { status: 'rejected', reason: fault },
      { status: 'fulfilled', value: 'done 3' },
    ]);
    expect(batches.size).toBe(0);
  });

  it('fail if the work throws before it begins', async () => {
    const fault = new Error('at once');
    const batches = new Batches<number, number>(
      () => {
        throw fault;
      },
      { maxItems: 2 },
    );
    await expect(batches.add(1)).rejects.toBe(fault);
    await expect(batches.add(2)).rejects.toBe(fault);
  });

  describe('of several owners', () => {
    /** An item is a number; its owner is its hundreds. */
    const owners = { of: (item: number) => String(Math.floor(item / 100)), maxItems: 3 };
    /** The batches in which items go that wait while the first batch runs. */
    async function batchesOf(items: readonly number[], maxItems: number): Promise<(readonly number[])[]> {
      const served: (readonly number[])[] = [];
      let begin = () => {};
      const begun = new Promise<void>((resolve) => (begin = resolve));
      const work = async (some: readonly number[]): Promise<string[]> => {
        served.push(some);
        await begun;
        return some.map((item) => `done ${item}`);
      };
      const batches = new Batches(work, { maxItems, owners });
      const results = [batches.add(0)];
      while (served.length === 0) await turnIsOver();
      results.push(...items.map((item) => batches.add(item)));
      begin();
      expect(await Promise.all(results)).toEqual([0, ...items].map((item) => `done ${item}`));
      return served.slice(1);
    }

    it('give each owner one place in turn, and keep the order of its items', async () => {
      expect(await batchesOf([101, 102, 103, 201, 301, 302], 4)).toEqual([
        [101, 102, 201, 301],
        [103, 302],
      ]);
    });

    it('let no owner have more than its share of a batch, also if places stay free', async () => {
      expect(await batchesOf([101, 102, 103, 104, 105, 106, 107, 201], 100)).toEqual([
        [101, 102, 103, 201],
        [104, 105, 106],
        [107],
      ]);
    });

    it('let owners without a place in a batch come first in the next one', async () => {
      expect(await batchesOf([101, 102, 201, 202, 301, 302, 401], 2)).toEqual([
        [101, 201],
        [301, 401],
        [102, 202],
        [302],
      ]);
    });

    it('let each owner wait for no more batches than there are others', async () => {
      const items = fc.uniqueArray(fc.integer({ min: 100, max: 999 }), { minLength: 1, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(items, fc.integer({ min: 1, max: 6 }), async (asked, maxItems) => {
          const served = await batchesOf(asked, maxItems);
          expect(served.flat().sort()).toEqual([...asked].sort());
          const all = new Set(asked.map(owners.of));
          for (const owner of all) {
            const first = served.findIndex((batch) => batch.some((item) => owners.of(item) === owner));
            expect(first).toBeLessThan(Math.ceil(all.size / maxItems));
            const own = served.flat().filter((item) => owners.of(item) === owner);
            expect(own).toEqual(asked.filter((item) => owners.of(item) === owner));
          }
          for (const batch of served) {
            expect(batch.length).toBeLessThanOrEqual(maxItems);
            for (const owner of all)
              expect(batch.filter((item) => owners.of(item) === owner).length).toBeLessThanOrEqual(owners.maxItems);
          }
        }),
      );
    });
  });

  it('count waiting and running items', async () => {
    const bench = new Bench();
    const batches = new Batches(bench.work, { maxItems: 1 });
    expect(batches.size).toBe(0);
    const results = [1, 2].map((item) => batches.add(item));
    expect(batches.size).toBe(2);
    await bench.end();
    await results[0];
    expect(batches.size).toBe(1);
    await bench.end();
    await results[1];
    expect(batches.size).toBe(0);
  });

  it('are idle when all items are done, including those that arrived meanwhile', async () => {
    const bench = new Bench();
    const batches = new Batches(bench.work, { maxItems: 1 });
    await batches.idle();
    const results = Promise.all([1, 2].map((item) => batches.add(item)));
    let idle = false;
    const waited = batches.idle().then(() => (idle = true));
    await bench.end();
    const third = batches.add(3);
    await bench.end();
    await results;
    expect(idle).toBe(false);
    await bench.end();
    await third;
    await waited;
    expect(bench.batches).toEqual([[1], [2], [3]]);
  });

  it('respect the minimum interval, and combine items that arrive meanwhile', async () => {
    const begun: number[] = [];
    const sizes: number[] = [];
    const work = (items: readonly number[]): Promise<readonly number[]> => {
      begun.push(performance.now());
      sizes.push(items.length);
      return Promise.resolve(items);
    };
    const batches = new Batches(work, { maxItems: 100, pauseMs: 60 });
    await batches.add(0);
    // Each arrives a little later, and all before any timer can end the pause, however slow the machine is.
    const others = [1, 2, 3].map(async (item) => {
      for (let later = 0; later < item; later++) await Promise.resolve();
      return batches.add(item);
    });
    expect(await Promise.all(others)).toEqual([1, 2, 3]);
    await batches.idle();
    expect(sizes).toEqual([1, 3]);
    // A timer counts from the beginning of its turn of the event loop, which takes some milliseconds.
    expect((begun[1] ?? 0) - (begun[0] ?? 0)).toBeGreaterThanOrEqual(50);
  });

  describe('of patient items', () => {
    const PATIENT_MS = 1_000;
    const PAUSE_MS = 30;
    /** A timer counts from the beginning of its turn of the event loop, which takes some milliseconds. */
    const EARLY_MS = 10;

    /** How long after the first batch the next one begins, whose items are patient if they are even. */
    async function startOfNext(...items: readonly number[]): Promise<number> {
      const begun: number[] = [];
      const work = (some: readonly number[]): Promise<readonly number[]> => {
        begun.push(performance.now());
        return Promise.resolve(some);
      };
      const patient = { is: (item: number) => item % 2 === 0, pauseMs: PATIENT_MS };
      const batches = new Batches(work, { maxItems: 100, pauseMs: PAUSE_MS, patient });
      await batches.add(0);
      // The pause has begun.
      await turnIsOver();
      expect(await Promise.all(items.map((item) => batches.add(item)))).toEqual(items);
      expect(begun).toHaveLength(2);
      await batches.idle();
      return (begun[1] ?? 0) - (begun[0] ?? 0);
    }

    it('wait longer, so that more of them share a batch', async () => {
      expect(await startOfNext(2, 4)).toBeGreaterThanOrEqual(PATIENT_MS - EARLY_MS);
    });

    it('go with one that is not, which waits for the shorter pause', async () => {
      const interval = await startOfNext(2, 3);
      expect(interval).toBeGreaterThanOrEqual(PAUSE_MS - EARLY_MS);
      expect(interval).toBeLessThan(PATIENT_MS - EARLY_MS);
    });
  });

  it('return their results before the pause, not after it', async () => {
    const work = (items: readonly number[]): Promise<readonly number[]> => Promise.resolve(items);
    const batches = new Batches(work, { maxItems: 100, pauseMs: 50 });
    let paused = false;
    const result = batches.add(1);
    const idle = batches.idle().then(() => (paused = true));
    await result;
    expect(paused).toBe(false);
    await idle;
    expect(paused).toBe(true);
  });

  it('lose nothing and mix nothing up, whatever the timing', async () => {
    const steps = fc.array(fc.record({ count: fc.integer({ min: 1, max: 5 }), turns: fc.nat({ max: 4 }) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (asked, maxItems) => {
        const seen: number[] = [];
        const batches = new Batches<number, number>(
          async (items) => {
            expect(items.length).toBeLessThanOrEqual(maxItems);
            await Promise.resolve();
            seen.push(...items);
            return items.map((item) => -item);
          },
          { maxItems },
        );
        const results: Promise<number>[] = [];
        for (const { count, turns } of asked) {
          for (let n = 0; n < count; n++) results.push(batches.add(results.length + 1));
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        }
        const order = results.map((_, place) => place + 1);
        expect(await Promise.all(results)).toEqual(order.map((item) => -item));
        await batches.idle();
        expect([seen, batches.size]).toEqual([order, 0]);
      }),
    );
  });
});
