import { stat } from 'node:fs';
import { inTime, LATE } from './in-time';

const busyFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** Resolves by an event from outside of the process, as a database's answer does. */
const answer = (): Promise<string> => new Promise((resolve) => stat('.', () => resolve('answer')));

describe('work that has a deadline', () => {
  it('is in time if it ends before', async () => {
    expect(await inTime(answer(), 5_000)).toBe('answer');
    expect(await inTime(Promise.resolve(1), 0)).toBe(1);
  });

  it('is late if it does not', async () => {
    expect(await inTime(new Promise(() => undefined), 5)).toBe(LATE);
  });

  it('is in time if its answer arrived while the process was busy', async () => {
    const result = inTime(answer(), 5);
    busyFor(60);
    expect(await result).toBe('answer');
  });

  it('is in time if it needs several turns, for each of which the process was late', async () => {
    const work = (async () => {
      for (let turn = 0; turn < 3; turn++) await answer();
      return 'answer';
    })();
    const result = inTime(work, 500);
    let underWay = true;
    void result.finally(() => (underWay = false));
    for (let turn = 0; underWay && turn < 6; turn++) {
      busyFor(600);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await result).toBe('answer');
  });

  it('fails if the work fails', async () => {
    await expect(inTime(Promise.reject(new Error('no')), 5)).rejects.toThrow('no');
  });
});
