import { startSteps } from './start-steps';

const step = (kind: string, elapsed_ms: number | null) => ({ kind, elapsed_ms, occurred_at: '', payload: {} });

describe('the steps of a start', () => {
  it('last until the next one, and the last one has no end', () => {
    const steps = startSteps({
      steps: [step('phase.Pending', 0), step('worker.pulling', 70), step('phase.Ready', 900)],
    });
    expect(steps.map(({ words, at, lasts }) => [words, at, lasts])).toEqual([
      ['reported Pending', 0, 70],
      ['worker pulling', 70, 830],
      ['reported Ready', 900, undefined],
    ]);
  });

  it('leave out what belongs to no start', () => {
    expect(startSteps({ steps: [step('worker.stopped', null), step('phase.Pending', 0)] })).toHaveLength(1);
  });

  it('mark what failed', () => {
    const steps = [step('restore.failed', 5), step('phase.Failed', 6), step('restore.started', 7)];
    expect(startSteps({ steps }).map(({ isFailure }) => isFailure)).toEqual([true, true, false]);
  });
});
