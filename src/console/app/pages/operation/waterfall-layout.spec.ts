import { layOut, type Stage } from './waterfall-layout';

const stage = (seq: number, duration_ns: number): Stage => ({
  seq,
  stage: `stage-${seq}`,
  duration_ns,
  bytes_in: 0,
  bytes_out: 0,
  reason: '',
  result: '',
});

describe('the layout of a waterfall', () => {
  it('lays stages end to end in the order of their positions, and shows the rest as unaccounted', () => {
    const { isSequence, bars, whole, unaccounted } = layOut([stage(2, 30), stage(0, 10), stage(1, 20)], 100);
    expect(bars.map(({ name, start, length }) => [name, start, length])).toEqual([
      ['stage-0', 0, 10],
      ['stage-1', 10, 20],
      ['stage-2', 30, 30],
    ]);
    expect([isSequence, whole, unaccounted]).toEqual([true, 100, 40]);
  });

  it('draws all bars from zero if the stages together are longer than the whole', () => {
    const { isSequence, bars, whole, unaccounted } = layOut([stage(0, 80), stage(1, 90)], 100);
    expect(bars.map(({ start, length }) => [start, length])).toEqual([
      [0, 80],
      [0, 90],
    ]);
    expect([isSequence, whole, unaccounted]).toEqual([false, 100, 0]);
  });

  it('makes the axis as long as the longest stage if the whole is shorter', () => {
    expect(layOut([stage(0, 250)], 100)).toMatchObject({ isSequence: false, whole: 250, unaccounted: 0 });
  });

  it('leaves nothing unaccounted if the stages fill the whole', () => {
    expect(layOut([stage(0, 40), stage(1, 60)], 100)).toMatchObject({ isSequence: true, whole: 100, unaccounted: 0 });
  });

  it('shows stages without a duration where they happened', () => {
    const { bars } = layOut([stage(0, 10), stage(1, 0), stage(2, 5)], 20);
    expect(bars.map(({ start, length }) => [start, length])).toEqual([
      [0, 10],
      [10, 0],
      [10, 5],
    ]);
  });

  it('is all unaccounted while a running operation has reported no stage', () => {
    expect(layOut([], 100)).toEqual({ isSequence: true, bars: [], inner: [], whole: 100, unaccounted: 100 });
    expect(layOut([], 0)).toEqual({ isSequence: true, bars: [], inner: [], whole: 0, unaccounted: 0 });
  });

  it("takes CRIU's writing of memory as a part of the time for which the processes are frozen", () => {
    const named = (seq: number, name: string, ns: number) => ({ ...stage(seq, ns), stage: name });
    const stages = [named(0, 'freeze', 10), named(1, 'frozen', 90), named(2, 'memdump', 50), named(3, 'memwrite', 0)];
    const { isSequence, bars, inner, unaccounted } = layOut(stages, 100, 'criu');
    expect([isSequence, unaccounted]).toEqual([true, 0]);
    expect(bars.map(({ name, start }) => [name, start])).toEqual([
      ['freeze', 0],
      ['frozen', 10],
    ]);
    expect(inner.map(({ name, start, length }) => [name, start, length])).toEqual([['memdump', 10, 50]]);
    // An agent that reports stages of its own accounts for the same time itself.
    const both = layOut([named(0, 'dump', 70), named(1, 'frozen', 60), named(2, 'memdump', 50)], 100, 'profile+criu');
    expect([both.bars.length, both.inner.length, both.unaccounted]).toEqual([1, 2, 30]);
  });

  it("takes CRIU's stages between those of an agent as stages that follow one another", () => {
    const named = (seq: number, name: string, ns: number) => ({ ...stage(seq, ns), stage: name });
    const stages = [
      ...[named(0, 'dump', 10), named(1, 'frozen', 20), named(2, 'memdump', 30), named(3, 'memwrite', 40)],
      named(4, 'hash', 50),
    ];
    const { isSequence, bars, inner, unaccounted } = layOut(stages, 160, 'profile+criu');
    expect([isSequence, inner, unaccounted]).toEqual([true, [], 10]);
    expect(bars.map(({ name, start }) => [name, start])).toEqual([
      ['dump', 0],
      ['frozen', 10],
      ['memdump', 30],
      ['memwrite', 60],
      ['hash', 100],
    ]);
  });
});
