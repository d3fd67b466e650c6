import { setImmediate as turnIsOver } from 'node:timers/promises';
import { FewAtOnce } from './few-at-once';

describe('work of which a few pieces run at a time', () => {
  const began: string[] = [];
  let work: FewAtOnce;
  beforeEach(() => {
    began.length = 0;
    work = new FewAtOnce(2);
  });

  /** Begins a piece. @returns how it ends, and its result */
  const piece = (name: string, isUrgent = false) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const result = work.run(isUrgent, () => {
      began.push(name);
      return promise;
    });
    return { end: resolve, fail: reject, result };
  };

  it('begins at once as long as few enough run', async () => {
    const pieces = ['one', 'two', 'three', 'four'].map((name) => piece(name));
    await turnIsOver();
    expect(began).toEqual(['one', 'two']);
    pieces[1]!.end('done');
    expect(await pieces[1]!.result).toBe('done');
    await turnIsOver();
    expect(began).toEqual(['one', 'two', 'three']);
  });

  it('lets what is urgent go first', async () => {
    const pieces = ['one', 'two'].map((name) => piece(name));
    for (const name of ['three', 'four']) piece(name);
    for (const name of ['urgent', 'urgent too']) piece(name, true);
    for (const { end } of pieces) end('done');
    await turnIsOver();
    expect(began).toEqual(['one', 'two', 'urgent', 'urgent too']);
  });

  it('leaves its place after a failure too', async () => {
    const failing = [piece('one'), piece('two')];
    for (const { fail } of failing) fail(new Error('as it happens'));
    for (const { result } of failing) await expect(result).rejects.toThrow('as it happens');
    for (const name of ['three', 'four', 'five']) piece(name);
    await turnIsOver();
    expect(began).toEqual(['one', 'two', 'three', 'four']);
  });
});
