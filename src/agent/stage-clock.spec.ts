import { StageClock } from './stage-clock';
import type { Progress } from './stages';

describe('The clock of stages', () => {
  let now = 0;
  const clock = (seen: Progress[] = []) =>
    new StageClock(
      (progress) => seen.push(progress),
      () => now,
    );
  beforeEach(() => (now = 1000));

  it('gives every moment to exactly one stage, so that the stages add up', () => {
    const stages = clock();
    stages.enter('inspect');
    now += 5;
    stages.enter('dump');
    now += 70;
    stages.enter('hash');
    now += 22;
    stages.detail('hash', { bytes: 20 });
    stages.enter('resume');
    now += 3;
    expect(stages.finish()).toEqual([
      { name: 'inspect', durationNs: 5, bytes: 0 },
      { name: 'dump', durationNs: 70, bytes: 0 },
      { name: 'hash', durationNs: 22, bytes: 20 },
      { name: 'resume', durationNs: 3, bytes: 0 },
    ]);
  });

  it('knows how long a stage has taken so far, one that goes on and one that was left', () => {
    const stages = clock();
    expect(stages.lastedNs('hash')).toBe(0);
    stages.enter('hash');
    now += 5;
    expect(stages.lastedNs('hash')).toBe(5);
    stages.enter('resume');
    now += 3;
    stages.enter('hash');
    now += 4;
    expect([stages.lastedNs('hash'), stages.lastedNs('resume')]).toEqual([9, 3]);
  });

  it('continues a stage that is entered again', () => {
    const stages = clock();
    for (const name of ['compress', 'upload', 'compress', 'upload'] as const) {
      stages.enter(name);
      now += 4;
    }
    expect(stages.finish().map(({ name, durationNs }) => [name, durationNs])).toEqual([
      ['compress', 8],
      ['upload', 8],
    ]);
  });

  it('moves time from one stage to another one, and never more than there is', () => {
    const stages = clock();
    stages.enter('freeze');
    stages.enter('dump');
    now += 10;
    stages.enter('hash');
    stages.split('dump', 'freeze', 4);
    stages.split('dump', 'freeze', 50);
    expect(stages.finish().map(({ durationNs }) => durationNs)).toEqual([10, 0, 0]);
  });

  it('has the stages that another part measured, and adds what they do not cover to the last one', () => {
    const stages = clock();
    stages.enter('dump');
    now += 7;
    stages.enter('hash');
    now += 30;
    stages.replace([
      { name: 'compress', durationNs: 10, bytes: 5 },
      { name: 'upload', durationNs: 12, bytes: 4 },
    ]);
    expect(stages.finish()).toEqual([
      { name: 'dump', durationNs: 7, bytes: 0 },
      { name: 'compress', durationNs: 10, bytes: 5 },
      { name: 'upload', durationNs: 20, bytes: 4 },
    ]);
  });

  it('reports each stage as it begins', () => {
    const seen: Progress[] = [];
    const stages = clock(seen);
    stages.enter('inspect');
    stages.enter('inspect');
    stages.enter('dump');
    expect(seen.map(({ stage }) => stage)).toEqual(['inspect', 'dump']);
  });
});
