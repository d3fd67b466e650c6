import { AsyncLocalStorage } from 'node:async_hooks';
import { Place } from '../../../1-platform/http/admission/place';
import { Lane } from '../../../1-platform/http/admission/work-limits';
import { ReportLanes } from './report-lanes';

interface Write {
  readonly report: string;
  done(): void;
  fail(error: Error): void;
}

/** Writes that end on command of the test. */
function lanes(): { lanes: ReportLanes<string>; writes: Write[] } {
  const writes: Write[] = [];
  const write = (report: string): Promise<void> =>
    new Promise((resolve, reject) => writes.push({ report, done: resolve, fail: reject }));
  const same = (one: string, other: string): boolean => one === other;
  return { lanes: new ReportLanes(write, same, () => new Error('too many')), writes };
}

/** Lets settled promises run their continuations. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('reports on one activation', () => {
  it('are written one after the other, in order of arrival', async () => {
    const { lanes: all, writes } = lanes();
    const answers = ['a', 'b', 'a'].map((report) => all.add('x', report));
    expect(writes.map(({ report }) => report)).toEqual(['a']);
    for (let n = 0; n < 3; n++) {
      writes[n]?.done();
      await turn();
    }
    await Promise.all(answers);
    expect(writes.map(({ report }) => report)).toEqual(['a', 'b', 'a']);
  });

  it('reports on one activation that wait and are equal share one write, which begins after all of them arrived', async () => {
    const { lanes: all, writes } = lanes();
    const first = all.add('x', 'a');
    const others = Array.from({ length: 500 }, () => all.add('x', 'a'));
    writes[0]?.done();
    await first;
    await turn();
    expect(writes).toHaveLength(2);
    const answered = jest.fn();
    void Promise.all(others).then(answered);
    await turn();
    expect(answered).not.toHaveBeenCalled();
    writes[1]?.done();
    await turn();
    expect(answered).toHaveBeenCalledTimes(1);
  });

  it('fail with the write that they share, and later ones are written all the same', async () => {
    const { lanes: all, writes } = lanes();
    const first = all.add('x', 'a');
    const shared = Promise.allSettled([all.add('x', 'b'), all.add('x', 'b')]);
    const last = all.add('x', 'c');
    writes[0]?.fail(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await turn();
    writes[1]?.fail(new Error('wrong'));
    expect((await shared).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    writes[2]?.done();
    await last;
  });

  it('reports on one activation of different activations do not wait for each other', () => {
    const { lanes: all, writes } = lanes();
    void all.add('x', 'a');
    void all.add('y', 'a');
    expect(writes).toHaveLength(2);
  });

  it('are refused when too many different ones wait', async () => {
    const { lanes: all } = lanes();
    for (let n = 0; n <= 64; n++) void all.add('x', String(n));
    await expect(all.add('x', 'one more')).rejects.toThrow('too many');
    // A report equal to the last one costs nothing more.
    void all.add('x', '64');
  });

  it('leave nothing behind', async () => {
    const { lanes: all, writes } = lanes();
    for (let n = 0; n < 3; n++) {
      const answer = all.add('x', 'a');
      writes.at(-1)?.done();
      await answer;
      await turn();
    }
    expect(writes).toHaveLength(3);
  });

  it('reports on one activation that waited are not written in the context of the previous one', async () => {
    const transaction = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    const all = new ReportLanes<string>(
      async () => {
        contexts.push(transaction.getStore());
        await turn();
      },
      () => false,
      () => new Error('too many'),
    );
    await Promise.all(['first', 'second', 'third'].map((name) => transaction.run(name, () => all.add('x', name))));
    expect(contexts).toEqual(['first', undefined, undefined]);
  });
});

describe('reports on one activation in a full class of work', () => {
  const LIMIT = 4;
  const REMOTE = new Lane({ most: 1, least: 1, room: 0 });
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  /** A slow write, and a report beside the limit that waits for it: it has lost its place. */
  async function waiting(report = 'beside', ...before: string[]) {
    const lane = new Lane({ most: LIMIT, least: LIMIT });
    const { lanes: all, writes } = lanes();
    const places = Array.from({ length: LIMIT }, () => (lane.enter() ? new Place(lane, REMOTE) : undefined));
    const first = all.add('x', 'slow', places[0]);
    for (const other of before) void all.add('x', other);
    const sender = { bearer: 'modest', orgId: 'modest' };
    expect(lane.enterBeside(sender)).toBe(true);
    const beside = new Place(lane, REMOTE, { beside: sender });
    const answer = all.add('x', report, beside);
    await sleep(300);
    return { lane, all, writes, places, first, beside, answer };
  }

  it.each(['other', 'beside'])('do not hold the places for which the one before waits (%s)', async (report) => {
    const { lane, all, writes, places, first, answer } = await waiting();
    const behind: Promise<void>[] = [];
    const refuse = (): never => {
      throw new Error('refused');
    };
    // They wait for places before the report that has lost its own does.
    for (let n = 0; n < LIMIT; n++) {
      const begin = (): void => void behind.push(all.add('x', report, new Place(lane, REMOTE)));
      lane.wait({ sender: String(n), begin, refuse }, 0);
    }
    writes[0]?.done();
    await first;
    for (const place of places) place?.end();
    await turn();
    expect([behind.length, lane.held, lane.waiting, writes.length]).toEqual([LIMIT, LIMIT, 1, 1]);
    await sleep(300);
    for (let n = 1; n <= 1 + LIMIT; n++) {
      writes[n]?.done();
      await turn();
    }
    await Promise.all([answer, ...behind]);
  });

  it('do not hold the places for which the first of them waits', async () => {
    const { lane, all, writes, places, first, answer } = await waiting('beside', 'between');
    writes[0]?.done();
    await first;
    await turn();
    // While the one between is written, which is not slow, equal ones take all places.
    for (const place of places) place?.end();
    const equal = Array.from({ length: LIMIT }, () => {
      expect(lane.enter()).toBe(true);
      return all.add('x', 'beside', new Place(lane, REMOTE));
    });
    writes[1]?.done();
    await turn();
    expect([lane.held, lane.waiting, writes.length]).toEqual([LIMIT, 1, 2]);
    await sleep(300);
    writes[2]?.done();
    await Promise.all([answer, ...equal]);
    expect(writes).toHaveLength(3);
  });

  it('are written although the first of equal ones is refused its place', async () => {
    const { lane, all, writes, beside, first, answer } = await waiting();
    const refused = expect(answer).rejects.toMatchObject({ status: 503 });
    const equal = all.add('x', 'beside');
    writes[0]?.done();
    await first;
    await turn();
    expect([writes.length, lane.waiting]).toEqual([1, 1]);
    // Its client disconnects.
    beside.stopWaiting();
    await refused;
    await turn();
    writes[1]?.done();
    await equal;
  });
});
