import { setTimeout as sleep } from 'node:timers/promises';
import { onThisMachine } from '../../../test/support/machine';
import { AwaitedAnswers, MAX_BESIDE, MAX_WAITING, MAX_WAITING_OF_ALL, UNDER_WAY } from './awaited-answers';

describe('the answer of a request under way', () => {
  it('is read once for all that wait for it', async () => {
    const awaited = new AwaitedAnswers<string>();
    const read = jest.fn(() => Promise.resolve('answer'));
    const found = Array.from({ length: 50 }, () => awaited.of('one', 'key', read));
    const other = awaited.of('one', 'another key', () => Promise.resolve('other'));
    expect(new Set(await Promise.all(found))).toEqual(new Set(['answer']));
    expect(await other).toBe('other');
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('is read until it is there', async () => {
    const awaited = new AwaitedAnswers<string>();
    let known: string | typeof UNDER_WAY = UNDER_WAY;
    const read = jest.fn(() => Promise.resolve(known));
    const found = awaited.of('one', 'key', read);
    while (read.mock.calls.length < 3) await sleep(5);
    known = 'answer';
    expect(await found).toBe('answer');
  });

  it('is read more and more seldom while the request is under way', async () => {
    const awaited = new AwaitedAnswers<string>();
    const read = jest.fn(() => Promise.resolve<typeof UNDER_WAY>(UNDER_WAY));
    const began = performance.now();
    expect(await Promise.all([awaited.of('one', 'key', read), awaited.of('one', 'key', read)])).toEqual([
      undefined,
      undefined,
    ]);
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(performance.now() - began).toBeLessThan(onThisMachine(1_500));
    expect(read.mock.calls.length).toBeLessThanOrEqual(8);
    // Nobody waits any more: the pauses begin anew.
    const again = performance.now();
    expect(await awaited.of('one', 'key', () => Promise.resolve('answer'))).toBe('answer');
    expect(performance.now() - again).toBeLessThan(onThisMachine(300));
  });

  it('is awaited for a second at least, also if reads take a moment', async () => {
    const awaited = new AwaitedAnswers<string>();
    const began = performance.now();
    expect(await awaited.of('one', 'key', () => sleep(2, UNDER_WAY))).toBeUndefined();
    expect(performance.now() - began).toBeGreaterThan(1_000);
    expect(performance.now() - began).toBeLessThan(onThisMachine(1_500));
  });

  it('is awaited for as long by those that come late', async () => {
    const awaited = new AwaitedAnswers<string>();
    let known: string | typeof UNDER_WAY = UNDER_WAY;
    const read = () => Promise.resolve(known);
    const first = awaited.of('one', 'key', read);
    await sleep(800);
    const late = awaited.of('one', 'key', read);
    expect(await first).toBeUndefined();
    known = 'answer';
    expect(await late).toBe('answer');
  });

  it('is read anew by those that come while a read is under way', async () => {
    const awaited = new AwaitedAnswers<string>();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const reads = [() => promise, () => Promise.resolve('answer')];
    const read = jest.fn(() => (reads.shift() ?? (() => Promise.resolve('too many')))());
    const early = awaited.of('one', 'key', read);
    while (read.mock.calls.length < 1) await sleep(5);
    const late = awaited.of('one', 'key', read);
    resolve(undefined);
    expect([await early, await late]).toEqual([undefined, 'answer']);
  });

  it('is missing for all that wait for it if it cannot be read, and is read anew after that', async () => {
    const awaited = new AwaitedAnswers<string>();
    const fails = () => Promise.reject(new Error('the database is away'));
    const found = await Promise.allSettled([awaited.of('one', 'key', fails), awaited.of('one', 'key', fails)]);
    expect(found.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await awaited.of('one', 'key', () => Promise.resolve('answer'))).toBe('answer');
  });

  it('leaves room for so many of each owner', async () => {
    const awaited = new AwaitedAnswers<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const found: Promise<unknown>[] = [];
    for (let n = 0; n < MAX_WAITING; n++) {
      expect(awaited.hasRoom('one')).toBe(true);
      found.push(awaited.of('one', `key ${n}`, () => promise));
    }
    expect([awaited.hasRoom('one'), awaited.hasRoom('other')]).toEqual([false, true]);
    resolve('answer');
    await Promise.all(found);
    expect(awaited.hasRoom('one')).toBe(true);
  });

  it('leaves room for so many of all owners, and beside them for one of each owner of which none waits', async () => {
    const awaited = new AwaitedAnswers<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const found: Promise<unknown>[] = [];
    const wait = (owner: string): unknown => found.push(awaited.of(owner, `${owner} ${found.length}`, () => promise));
    const four = ['one', 'two', 'three', 'four'];
    for (let n = 0; awaited.hasRoom(four[n % 4] ?? ''); n++) wait(four[n % 4] ?? '');
    expect(found).toHaveLength(MAX_WAITING_OF_ALL);
    for (let n = 0; n < MAX_BESIDE; n++) {
      expect(awaited.hasRoom(`other ${n}`)).toBe(true);
      wait(`other ${n}`);
      expect(awaited.hasRoom(`other ${n}`)).toBe(false);
    }
    expect(awaited.hasRoom('the last one')).toBe(false);
    resolve('answer');
    await Promise.all(found);
    expect([awaited.hasRoom('one'), awaited.hasRoom('the last one')]).toEqual([true, true]);
  });

  it('leaves room again after reads that failed', async () => {
    const awaited = new AwaitedAnswers<string>();
    const failed = Array.from({ length: MAX_WAITING }, (_, n) =>
      awaited.of('one', `key ${n}`, () => Promise.reject(new Error('the database is away'))),
    );
    expect(awaited.hasRoom('one')).toBe(false);
    await Promise.allSettled(failed);
    expect(awaited.hasRoom('one')).toBe(true);
  });
});
