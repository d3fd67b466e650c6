import { Health } from './health';

describe('the health of a ready worker', () => {
  const limits = { askedEveryMs: 5, unreadyAfter: 3, replacedAfterMs: 40 };
  const verdicts = (...answers: readonly (readonly [atMs: number, isGood: boolean])[]) => {
    const health = new Health(limits, 0);
    return answers.map(([atMs, isGood]) => health.answered(isGood, atMs));
  };

  it('is asked for at its interval', () => {
    const health = new Health(limits, 0);
    expect([health.isDue(4), health.isDue(5)]).toEqual([false, true]);
    health.answered(true, 9);
    expect([health.isDue(13), health.isDue(14)]).toEqual([false, true]);
  });

  it('is good until several questions in a row have no good answer, and after the next good one', () => {
    expect(verdicts([5, false], [10, false], [15, true], [20, false], [25, false], [30, false], [35, true])).toEqual([
      ...['good', 'good', 'good', 'good', 'good', 'unready', 'good'],
    ]);
  });

  it('is lost after a long time without a good answer', () => {
    expect(verdicts([10, true], [20, false], [30, false], [49, false], [50, false])).toEqual([
      ...['good', 'good', 'good', 'unready', 'lost'],
    ]);
  });
});
