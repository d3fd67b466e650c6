import { chooseWorker, type WorkerNow } from './worker-choice';

const worker = (key: string, inFlight: number, capacity = 8): WorkerNow => ({ key, capacity, inFlight });

describe('the choice of a worker', () => {
  const chosen = (workers: readonly WorkerNow[], recent?: string, turn = 0) => chooseWorker(workers, recent, turn)?.key;

  it('is the least loaded one, by its share of the capacity', () => {
    expect(chosen([worker('a', 3), worker('b', 2), worker('c', 4)])).toBe('b');
    expect(chosen([worker('a', 3, 4), worker('b', 4, 8)])).toBe('b');
    expect(chosen([])).toBeUndefined();
  });

  it('goes around among equally loaded ones', () => {
    const workers = [worker('a', 1), worker('b', 1), worker('c', 2)];
    expect([0, 1, 2, 3].map((turn) => chosen(workers, undefined, turn))).toEqual(['a', 'b', 'a', 'a']);
    const equal = [worker('a', 0), worker('b', 0)];
    expect([0, 1, 2, 3].map((turn) => chosen(equal, undefined, turn))).toEqual(['a', 'b', 'a', 'b']);
  });

  it('is the one that served the conversation recently, if its load is similar', () => {
    expect(chosen([worker('a', 0), worker('b', 2)], 'b')).toBe('b');
    expect(chosen([worker('a', 0), worker('b', 3)], 'b')).toBe('a');
    // However many both have.
    expect(chosen([worker('a', 4, 16), worker('b', 8, 16)], 'b')).toBe('b');
    // With few requests at a time, one more is similar.
    expect(chosen([worker('a', 0, 2), worker('b', 1, 2)], 'b')).toBe('b');
  });

  it('is another one if that is full or gone', () => {
    expect(chosen([worker('a', 0, 1), worker('b', 1, 1)], 'b')).toBe('a');
    expect(chosen([worker('a', 5), worker('c', 6)], 'b')).toBe('a');
  });
});
