import { OVERVIEW } from './slurm-metrics.figures';
import { CURRENT_MS } from '../metrics/metric-window.queries';
import { MAX_POINTS, pointsOf, STEP_S, WINDOW_HOURS, type Moment } from './slurm-metrics.history';

const CURRENT_S = CURRENT_MS / 1_000;

/** The beginning of a step, in Unix seconds. */
const BEGIN = STEP_S * 40_000_000;

interface Report {
  at: number;
  value: number | null;
  teller?: number;
  metric?: string;
  cluster?: string;
  shown?: boolean;
}

const free = (reports: Report[]) =>
  pointsOf(
    reports.map(({ at, teller = 1, metric = 'slurm_mem_free', cluster = '', shown = true, value }): Moment => ({
      metric,
      cluster,
      teller,
      step: Math.floor((BEGIN + at) / STEP_S),
      sampled_at: new Date((BEGIN + at) * 1_000),
      value,
      shown,
    })),
    OVERVIEW.mem_free,
  ).map(({ timestamp, value }) => [timestamp - BEGIN, value]);

const OWN = 'slurm_node_memory_free_bytes';

describe('a figure over time', () => {
  it('has the reports at their times, in order', () => {
    expect(free([])).toEqual([]);
    expect(
      free([
        { at: 60, value: 2 },
        { at: 0, value: 1 },
        { at: 120, value: 0 },
      ]),
    ).toEqual([
      [0, 1],
      [60, 2],
      [120, 0],
    ]);
  });

  it('uses the metrics that report it', () => {
    expect(free([{ at: 0, value: 1, metric: 'slurm_mem_real' }])).toEqual([]);
    expect(free([{ at: 0, value: 3, metric: OWN }])).toEqual([[0, 3 * 2 ** 20]]);
  });

  it('has one point per step, the newest', () => {
    const reports = [0, 15, 30, 45, 60].map((at) => ({ at, value: at }));
    expect(free(reports)).toEqual([
      [30, 30],
      [60, 60],
    ]);
    // A window that begins within a step has a part at either end.
    expect((WINDOW_HOURS * 3_600) / STEP_S + 1).toBeLessThanOrEqual(MAX_POINTS);
  });

  it('has whole seconds, and no two points of one', () => {
    expect(Number.isInteger(STEP_S)).toBe(true);
    expect(
      free([
        { at: STEP_S - 0.001, value: 1 },
        { at: STEP_S, value: 2 },
      ]),
    ).toEqual([
      [STEP_S - 1, 1],
      [STEP_S, 2],
    ]);
  });

  it('adds up the last reports of several reporters, whenever each is scraped', () => {
    expect(
      free([
        { at: 0, value: 1, teller: 1 },
        { at: 50, value: 10, teller: 2 },
        { at: 100, value: 2, teller: 1 },
        { at: 150, value: 20, teller: 2 },
      ]),
    ).toEqual([
      [0, 1],
      [50, 1 + 10],
      [100, 2 + 10],
      [150, 2 + 20],
    ]);
  });

  it('drops a reporter that was silent for five minutes, or has ended', () => {
    expect(
      free([
        { at: 0, value: 1, teller: 1 },
        { at: CURRENT_S, value: 10, teller: 2 },
        { at: CURRENT_S + 50, value: 20, teller: 2 },
      ]),
    ).toEqual([
      [0, 1],
      [CURRENT_S, 1 + 10],
      [CURRENT_S + 50, 20],
    ]);
    expect(
      free([
        { at: 0, value: 1, teller: 1 },
        { at: 50, value: null, teller: 1 },
        { at: 100, value: 10, teller: 2 },
      ]),
    ).toEqual([
      [0, 1],
      [100, 10],
    ]);
  });

  it('counts a cluster once: by the exporter while that reports it, else by Slurm itself', () => {
    expect(
      free([
        { at: 0, value: 7e6, teller: 1 },
        { at: 50, value: 9, teller: 2, metric: OWN },
        { at: 100, value: null, teller: 1 },
        { at: 150, value: 8, teller: 2, metric: OWN },
        { at: 200, value: 1, teller: 3, metric: OWN, cluster: 'other' },
      ]),
    ).toEqual([
      [0, 7e6],
      [50, 7e6],
      [100, 9 * 2 ** 20],
      [150, 8 * 2 ** 20],
      [200, (8 + 1) * 2 ** 20],
    ]);
  });

  it('begins with the window, using reports from just before it', () => {
    expect(
      free([
        { at: 0, value: 1, teller: 1, shown: false },
        { at: 50, value: 10, teller: 2 },
      ]),
    ).toEqual([[50, 1 + 10]]);
  });
});
