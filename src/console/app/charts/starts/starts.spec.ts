import type { Starts } from '../../api/serving';
import { drawnOf, sentenceOf, seriesOf } from './starts';

const start = (restored: boolean, ms: number): Starts['starts'][number] => ({
  checkpoint_path: null,
  pod_name: '',
  ready_at: null,
  start_time_ms: ms,
  restored,
});
const sample = (samples: number, p50_ms: number): NonNullable<Starts['cold']> => ({ samples, p50_ms, p95_ms: 9_000 });
const starts = (overrides: Partial<Starts>): Starts => ({
  profile_id: 'a',
  logical_model: 'a',
  cold: null,
  restored: null,
  saved_ms: null,
  speedup: null,
  starts: [],
  ...overrides,
});

describe('cold against restored', () => {
  it('says what restoring saves if each kind was measured five times', () => {
    const measured = starts({ cold: sample(5, 5_000), restored: sample(6, 1_000), saved_ms: 4_000, speedup: 5 });
    expect(sentenceOf(measured)).toBe(
      'Restoring saves 4.00 s at the median: 1.00 s instead of 5.00 s, 5.0 times as fast.',
    );
    expect(sentenceOf({ ...measured, saved_ms: -10 })).toContain('not faster');
  });

  it('names no median and no saving of fewer than five starts', () => {
    const few = starts({ cold: sample(2, 5_000), restored: sample(6, 1_000), saved_ms: 4_000, speedup: 5 });
    expect(sentenceOf(few)).toBe('6 restores, median 1.00 s; 2 cold starts, too few for a median.');
    expect(seriesOf({ ...few, starts: [start(false, 5_000)] })).toEqual([
      { name: 'cold', kind: 'dashed', values: [5_000], p50: undefined, p95: undefined },
    ]);
    expect(sentenceOf(starts({}))).toBe('no restore was measured; no cold start was measured.');
  });

  it('keeps the kinds apart, and says how many of all are drawn', () => {
    const measured = starts({
      cold: sample(1, 5_000),
      restored: sample(60, 1_000),
      starts: [start(true, 900), start(false, 5_000), start(true, 1_100)],
    });
    expect(seriesOf(measured).map(({ name, values, p50 }) => [name, values, p50])).toEqual([
      ['restored', [900, 1_100], 1_000],
      ['cold', [5_000], undefined],
    ]);
    expect(drawnOf(measured)).toBe('The newest 3 of 61 starts are drawn.');
  });
});
