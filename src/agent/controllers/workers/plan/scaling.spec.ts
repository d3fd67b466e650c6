import { planOf, type PlannedWorker } from './scaling';

const worker = (uid: string, startedAt: number, ready = true): PlannedWorker => ({ uid, startedAt, ready });

describe('The plan from the present workers to the wanted number', () => {
  it('starts what is missing, and changes nothing when nothing is', () => {
    expect(planOf(3, [worker('a', 1)])).toEqual({ start: 2, stop: [] });
    expect(planOf(1, [worker('a', 1, false)])).toEqual({ start: 0, stop: [] });
    expect(planOf(0, [])).toEqual({ start: 0, stop: [] });
  });

  it('stops workers that are not ready first, then the youngest', () => {
    const workers = [worker('old', 1), worker('young', 3), worker('starts', 2, false), worker('middle', 2)];
    expect(planOf(3, workers).stop).toEqual(['starts']);
    expect(planOf(2, workers).stop).toEqual(['starts', 'young']);
    expect(planOf(1, workers).stop).toEqual(['starts', 'young', 'middle']);
    expect(planOf(0, workers).stop).toHaveLength(4);
  });
});
