import { stat } from 'node:fs';
import { LockContention } from './lock-contention';

const BUSY = new Error('the lock is held');

/** One connection for work of a kind that has just waited for a lock in vain. */
async function contended(): Promise<LockContention> {
  const contention = new LockContention(1);
  let tries = 0;
  await contention.run(
    'kind',
    5_000,
    (error) => error === BUSY,
    () => (tries++ === 0 ? Promise.reject(BUSY) : Promise.resolve()),
  );
  return contention;
}

const run = <T>(contention: LockContention, patienceMs: number, work: () => Promise<T>): Promise<T> =>
  contention.run('kind', patienceMs, () => false, work);

describe('contended work', () => {
  it('is refused when it has no turn in time', async () => {
    const contention = await contended();
    let end = (): void => undefined;
    const first = run(contention, 5_000, () => new Promise<void>((resolve) => (end = resolve)));
    await expect(run(contention, 10, () => Promise.resolve())).rejects.toMatchObject({ status: 503 });
    end();
    await first;
    expect(await run(contention, 10, () => Promise.resolve('turn'))).toBe('turn');
  });

  it('has its turn when that arrived in time, though the process was too busy to see it', async () => {
    const contention = await contended();
    let end = (): void => undefined;
    const first = run(contention, 5_000, () => new Promise<void>((resolve) => (end = resolve)));
    const second = run(contention, 20, () => Promise.resolve('turn'));
    await new Promise((resolve) => setImmediate(resolve));
    stat('.', () => end());
    const until = performance.now() + 80;
    while (performance.now() < until);
    expect(await second).toBe('turn');
    await first;
  });
});
