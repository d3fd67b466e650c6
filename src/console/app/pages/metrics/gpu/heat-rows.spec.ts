import {
  beginOf,
  binAt,
  cellWords,
  exactness,
  heldOf,
  levelOf,
  LEVELS,
  moved,
  spansOf,
  summaryOf,
  type HeatMap,
  type HeatRow,
} from './heat-rows';

const row = (more: Partial<HeatRow> = {}): HeatRow => ({
  node_name: 'node-1',
  gpu_uuid: null,
  gpu_index: null,
  model_name: 'H100',
  gpus: 8,
  reported: [8, 8, 0],
  utilization: [40, 80, null],
  memory_used: [50, null, null],
  pods: [0, 0, 0],
  holder: [null, null, null],
  ...more,
});
const gpu = (more: Partial<HeatRow>): HeatRow => row({ gpu_uuid: 'GPU-a', gpu_index: '0', gpus: 1, ...more });
const map = (rows: HeatRow[], more: Partial<HeatMap> = {}): HeatMap => ({
  from: '2026-03-04T10:00:00.000Z',
  until: '2026-03-04T10:15:00.000Z',
  bins: 3,
  bin_seconds: 300,
  measure: 'mean',
  samples_per_bin: null,
  total_rows: rows.length,
  rows,
  holders: [
    { namespace: 'ml', pod_name: 'train-0', pod_uid: null },
    { namespace: null, pod_name: 'eval-0', pod_uid: 'u' },
  ],
  ...more,
});

describe('a heat map', () => {
  it('has a level for each percentage, and none for a missing one: missing is not zero', () => {
    expect([0, 0.9, 1, 24.9, 25, 74.9, 75, 100, 140].map(levelOf)).toEqual([0, 0, 1, 1, 2, 3, 4, 4, 4]);
    expect([null, undefined].map(levelOf)).toEqual([undefined, undefined]);
    expect(LEVELS).toHaveLength(5);
  });

  it('finds the bin of a time, and none outside the window', () => {
    const of = (time: string) => binAt(map([row()]), Date.parse(`2026-03-04T${time}Z`));
    expect(['09:59:59.999', '10:00:00', '10:04:59.999', '10:05:00', '10:15:00'].map(of)).toEqual([
      undefined,
      0,
      0,
      1,
      undefined,
    ]);
    expect(new Date(beginOf(map([row()]), 2)).toISOString()).toBe('2026-03-04T10:10:00.000Z');
  });

  it('says the time of each bin once, with the day in a long window, and with seconds where they matter', () => {
    const format = jest.spyOn(Date.prototype, 'toLocaleString');
    const spans = (bin_seconds: number) =>
      spansOf(map([row()], { from: '2026-03-04T10:00:00.000Z', bin_seconds })).map((span) =>
        span.replaceAll(/\b\d\d:(?=\d\d)/g, ''),
      );
    expect(spans(300)).toEqual(['00 to 05', '05 to 10', '10 to 15']);
    expect(spans(90)[0]).toBe('00 to 30');
    expect(spans(86_400)[0]).toMatch(/^4 Mar(,| at) 00 to 5 Mar(,| at) 00$/);
    expect(format).not.toHaveBeenCalled();
  });

  it('says all that a cell stands for', () => {
    const of = (one: HeatRow, bin: number) => cellWords(map([one]), one, bin, 'then');
    expect(of(row(), 0)).toBe('node-1, then: utilisation 40 %, memory 50 %');
    expect(of(row(), 2)).toBe('node-1, then: not reported');
    expect(of(row({ reported: [3, 8, 0] }), 0)).toContain('3 of 8 GPUs reported');
    expect(of(gpu({ reported: [1, 1, 0], holder: [0, 1, null] }), 0)).toBe(
      'GPU 0, then: utilisation 40 %, memory 50 %, ml/train-0',
    );
    expect(of(gpu({ reported: [1, 1, 0], holder: [0, 1, null] }), 1)).toContain('memory not reported, eval-0');
  });

  it('says the mean over the GPUs that reported, how much is missing, and how many rows are drawn', () => {
    const uneven = row({ node_name: 'node-2', gpus: 2, reported: [2, 0, 0], utilization: [0, null, null] });
    expect(summaryOf(map([row({ utilization: [40, 40, null] }), uneven]), 'utilization', undefined, 0)).toBe(
      // 16 cells of GPUs with 40 %, 2 with 0 %.
      '2 nodes with 10 GPUs: mean utilisation 36 %; 50 % of the cells were not reported',
    );
    expect(summaryOf(map([row()], { measure: 'max' }), 'utilization', undefined, 0)).toContain(
      'highest utilisation 80 %',
    );
    expect(summaryOf(map([row()], { total_rows: 45 }), 'utilization', undefined, 20)).toContain(
      'nodes 21 to 21 of 45 are drawn',
    );
    expect(summaryOf(map([row({ memory_used: [null, null, null] })]), 'memory_used', undefined, 0)).toContain(
      'used memory was not reported',
    );
  });

  it('says how exact its cells are', () => {
    expect(exactness(map([]))).toBe('Each cell is the mean of all its samples.');
    expect(exactness(map([], { samples_per_bin: 4, measure: 'max' }))).toContain('largest of up to 4 samples');
    expect(exactness(map([], { samples_per_bin: 1 }))).toContain('mean of one sample');
  });

  it('moves by keys from cell to cell, and stays inside', () => {
    const from = { row: 1, bin: 1 };
    const to = (key: string, place = from) => moved(place, key, 3, 4);
    expect(to('ArrowLeft')).toEqual({ row: 1, bin: 0 });
    expect(to('ArrowDown')).toEqual({ row: 2, bin: 1 });
    expect(to('End')).toEqual({ row: 1, bin: 3 });
    expect(to('PageUp')).toEqual({ row: 0, bin: 1 });
    expect(to('ArrowUp', { row: 0, bin: 0 })).toEqual({ row: 0, bin: 0 });
    expect(to('ArrowRight', { row: 0, bin: 3 })).toEqual({ row: 0, bin: 3 });
    expect(to('x')).toBeUndefined();
  });

  it('joins the bins in which one pod held a GPU', () => {
    const spans = (holder: (number | null)[]) =>
      heldOf(map([gpu({ holder, utilization: [10, 30, null] })])).map(({ holder: pod, from, until, utilization }) => [
        pod.pod_name,
        (from - Date.parse('2026-03-04T10:00:00Z')) / 60_000,
        (until - Date.parse('2026-03-04T10:00:00Z')) / 60_000,
        utilization,
      ]);
    expect(spans([0, 0, 1])).toEqual([
      ['train-0', 0, 10, 20],
      ['eval-0', 10, 15, null],
    ]);
    expect(spans([null, 0, null])).toEqual([['train-0', 5, 10, 30]]);
    expect(spans([0, null, 0])).toHaveLength(2);
    expect(spans([null, null, null])).toEqual([]);
  });
});
