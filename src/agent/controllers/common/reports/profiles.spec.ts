import type { Stage } from '../../../stages';
import { profileOf } from './profiles';

const part = (name: string, durationNs: number, bytes = 0) => ({ name, durationNs, bytes });
const DUMP: Stage = {
  ...part('dump', 100, 4_096),
  name: 'dump',
  parts: [part('frozen', 80), part('memdump', 50), part('memwrite', 30, 4_000)],
};

describe('A profile', () => {
  it('has stages and their parts one after the other, which together take as long as all of it', () => {
    const stages: Stage[] = [{ ...part('inspect', 10), name: 'inspect' }, DUMP, { ...part('hash', 40), name: 'hash' }];
    const { duration, io, components } = profileOf('checkpoint', stages, 4_096, part('wait', 50));
    expect(components.map(({ name, duration: ns, io: bytes }) => [name, ns, bytes])).toEqual([
      ['wait', 50, 0],
      ['inspect', 10, 0],
      ['dump', 20, 4_096],
      ['frozen', 30, 0],
      ['memdump', 20, 0],
      ['memwrite', 30, 4_000],
      ['hash', 40, 0],
    ]);
    expect([duration, io]).toEqual([200, 4_096]);
  });

  it('never has less than nothing, also if CRIU measured more than the agent', () => {
    const parts = [part('frozen', 120), part('memdump', 130)];
    const { components, duration } = profileOf('checkpoint', [{ ...DUMP, parts }], 0);
    expect(components.map((one) => one.duration)).toEqual([0, 0, 100]);
    expect(duration).toBe(100);
  });
});
