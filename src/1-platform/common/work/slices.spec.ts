import { goFirst, inSlices, mapInSlices } from './slices';

/** Keeps the process busy, as a step of long work does. */
function burn(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Number of turns of the event loop until the work has ended. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  void work.then(() => (ended = true));
  while (!ended) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  return turns;
}

describe('work in slices', () => {
  it('does every step once, in order', async () => {
    const seen: number[] = [];
    await inSlices([3, 1, 2], (item, index) => seen.push(item, index));
    expect(seen).toEqual([3, 0, 1, 1, 2, 2]);
    expect(await mapInSlices(new Set(['a', 'b']), (item, index) => `${item}${index}`)).toEqual(['a0', 'b1']);
    expect(await mapInSlices([], () => 1)).toEqual([]);
  });

  it('yields to the event loop', async () => {
    expect(await turnsDuring(inSlices(Array(20).fill(3), burn))).toBeGreaterThanOrEqual(8);
  });

  it('gets one slice per turn, however many tasks run at the same time', async () => {
    let turn = 0;
    const workersOfTurn = new Map<number, Set<number>>();
    const work = Promise.all(
      Array.from({ length: 10 }, (_, worker) =>
        inSlices(Array(4).fill(3), (ms: number) => {
          burn(ms);
          workersOfTurn.set(turn, (workersOfTurn.get(turn) ?? new Set()).add(worker));
        }),
      ),
    );
    let ended = false;
    void work.then(() => (ended = true));
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      turn += 1;
    }
    expect(Math.max(...[...workersOfTurn.values()].map((workers) => workers.size))).toBe(1);
    expect(workersOfTurn.size).toBeGreaterThanOrEqual(10);
  });

  it('takes turns: a task that began first does not end last', async () => {
    const ended: string[] = [];
    const run = (name: string, steps: number) =>
      inSlices(Array(steps).fill(6), burn).then(() => {
        ended.push(name);
      });
    await Promise.all([run('long', 12), run('short', 2)]);
    expect(ended).toEqual(['short', 'long']);
  });

  it('has priority inside goFirst, even after an await', async () => {
    const ended: string[] = [];
    const run = (name: string, steps: number) =>
      inSlices(Array(steps).fill(6), burn).then(() => {
        ended.push(name);
      });
    const others = Array.from({ length: 5 }, () => run('other', 2));
    const urgent = goFirst(async () => {
      await Promise.resolve();
      await run('urgent', 6);
    });
    await Promise.all([...others, urgent]);
    expect(ended).toEqual(['urgent', ...others.map(() => 'other')]);
  });

  it('ends with the error of a step', async () => {
    const failing = inSlices([1, 2], (item) => {
      if (item === 2) throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  });
});
