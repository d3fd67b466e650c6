import { Places } from './places';

describe('places for work', () => {
  it('are given in order, and free again also after a failure', async () => {
    const places = new Places(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const runs = ends.map(({ promise }, index) =>
      places.run(async () => {
        begun.push(index);
        await promise;
        return index;
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    const failed = expect(runs[0]).rejects.toThrow('failed');
    ends[0]!.reject(new Error('failed'));
    await failed;
    expect(begun).toEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    expect(await Promise.all(runs.slice(1))).toEqual([1, 2, 3]);
    expect(await places.run(() => Promise.resolve('free'))).toBe('free');
  });
});
