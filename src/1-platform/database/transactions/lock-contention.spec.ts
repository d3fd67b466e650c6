import { stat } from 'node:fs';
import { LockContention } from './lock-contention';

const BUSY = new Error('the lock is held');

/** One connection for work of a kind that has just timed out on a lock. */
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
  it('is refused if its turn does not come in time', async () => {
    const contention = await contended();
    let end = (): void => undefined;
    const first = run(contention, 5_000, () => new Promise<void>((resolve) => (end = resolve)));
    await expect(run(contention, 10, () => Promise.resolve())).rejects.toMatchObject({ status: 503 });
    end();
    await first;
    expect(await run(contention, 10, () => Promise.resolve('turn'))).toBe('turn');
  });

  it('gets its turn if that came in time, even if the process was too busy to notice', async () => {
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
