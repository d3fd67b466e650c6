import { AwaitedAnswers, MAX_WAITING } from './awaited-answers';

describe('the answer of a request under way', () => {
  it('is read once for all that wait for it, and anew for those that come later', async () => {
    const awaited = new AwaitedAnswers<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const read = jest.fn(() => promise);
    const waiting = Array.from({ length: 50 }, () => awaited.of('key', read));
    const other = awaited.of('another key', () => Promise.resolve('other'));
    resolve('answer');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['answer']));
    expect(await other).toBe('other');
    expect(read).toHaveBeenCalledTimes(1);
    await awaited.of('key', read);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is missing for all that wait for it if it cannot be read, and read anew after that', async () => {
    const awaited = new AwaitedAnswers<string>();
    const fails = () => Promise.reject(new Error('the database is away'));
    const waiting = await Promise.allSettled([awaited.of('key', fails), awaited.of('key', fails)]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await awaited.of('key', () => Promise.resolve('answer'))).toBe('answer');
  });

  it('has room for so many that wait, of all keys together, until they have it', async () => {
    const awaited = new AwaitedAnswers<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const waiting: Promise<unknown>[] = [];
    for (let n = 0; n < MAX_WAITING; n++) {
      expect(awaited.hasRoom).toBe(true);
      waiting.push(awaited.of(`key ${n}`, () => promise));
    }
    expect(awaited.hasRoom).toBe(false);
    resolve('answer');
    await Promise.all(waiting);
    expect(awaited.hasRoom).toBe(true);
  });
});
