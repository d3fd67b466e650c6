import { Places, SharedPlaces } from './places';

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

  it('go to the next one when work leaves them before its end, once however often it leaves', async () => {
    const places = new Places(1);
    const begun: number[] = [];
    const leaves: (() => void)[] = [];
    const end = Promise.withResolvers<void>();
    const runs = [0, 1, 2].map((index) =>
      places.run((leave) => {
        begun.push(index);
        leaves.push(leave);
        return end.promise;
      }),
    );
    leaves[0]!();
    leaves[0]!();
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    leaves[1]!();
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2]);
    end.resolve();
    await Promise.all(runs);
    const last = Promise.withResolvers<void>();
    const after = [3, 4].map((index) => places.run(() => (begun.push(index), last.promise)));
    await Promise.resolve();
    expect(begun).toEqual([0, 1, 2, 3]);
    last.resolve();
    await Promise.all(after);
  });
});

describe('places for work that is patient', () => {
  it('go first to what is not, in the order of each', async () => {
    const places = new Places(1);
    const begun: string[] = [];
    const run = (name: string, isPatient: boolean) =>
      places.run(() => Promise.resolve(void begun.push(name)), isPatient);
    const first = Promise.withResolvers<void>();
    const all = [
      places.run(() => first.promise),
      ...[run('beat 1', true), run('person 1', false), run('beat 2', true), run('person 2', false)],
    ];
    first.resolve();
    await Promise.all(all);
    expect(begun).toEqual(['person 1', 'person 2', 'beat 1', 'beat 2']);
  });
});

describe('places that several share', () => {
  it('are free for the owner and for others when work leaves them before its end', async () => {
    const places = new SharedPlaces(1, 1);
    const begun: string[] = [];
    const end = Promise.withResolvers<void>();
    const runs = ['a', 'a', 'b'].map((owner) =>
      places.run(owner, (leave) => {
        begun.push(owner);
        leave();
        return end.promise;
      }),
    );
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
    expect(begun.sort()).toEqual(['a', 'a', 'b']);
    end.resolve();
    await Promise.all(runs);
  });

  it('go first to what is not patient, also of one owner', async () => {
    const places = new SharedPlaces(2, 1);
    const begun: string[] = [];
    const first = Promise.withResolvers<void>();
    const run = (name: string, isPatient: boolean) =>
      places.run('a', () => Promise.resolve(void begun.push(name)), isPatient);
    const all = [places.run('a', () => first.promise), run('beat', true), run('person', false)];
    first.resolve();
    await Promise.all(all);
    expect(begun).toEqual(['person', 'beat']);
  });

  it('are never all of one owner', async () => {
    const places = new SharedPlaces(3, 2);
    const begun: string[] = [];
    const end = Promise.withResolvers<void>();
    const run = (owner: string) => places.run(owner, () => (begun.push(owner), end.promise));
    const runs = ['a', 'a', 'a', 'b', 'b'].map(run);
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toEqual(['a', 'a', 'b']);
    end.resolve();
    await Promise.all(runs);
    expect(begun.sort()).toEqual(['a', 'a', 'a', 'b', 'b']);
  });
});
