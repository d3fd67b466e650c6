import { project, type Load, type StartTimes } from './projection';

const MEASURED: StartTimes = { coldMs: 60_000, restoreMs: 2_000, coldMeasured: true, restoreMeasured: true };
const LOAD: Load = { coldShare: 0.1, restoreShare: 0.3, deadlineMs: 10_000, queueTimeoutMs: 30_000, hasFallback: true };
const of = (times: Partial<StartTimes>, load: Partial<Load> = {}) =>
  project({ ...MEASURED, ...times }, { ...LOAD, ...load });

describe('a projection', () => {
  it.each<[string, Partial<Load>, number]>([
    ['half of the requests find a worker', { coldShare: 0.2, restoreShare: 0.3 }, 0],
    ['fewer than half do', { coldShare: 0.2, restoreShare: 0.31 }, 2_000],
    ['half of them or fewer are cold', { coldShare: 0.5, restoreShare: 0.5 }, 2_000],
    ['more than half are cold', { coldShare: 0.51, restoreShare: 0.49 }, 60_000],
    ['all find a worker', { coldShare: 0, restoreShare: 0 }, 0],
    ['all are cold', { coldShare: 1, restoreShare: 0 }, 60_000],
    ['shares that doubles cannot add up', { coldShare: 0.4, restoreShare: 0.1 }, 0],
  ])('has the median if %s', (_what, load, p50Ms) => {
    expect(of({}, load).p50Ms).toBe(p50Ms);
  });

  it.each<[string, Partial<Load>, [number, number]]>([
    ['before the restore is ready', { deadlineMs: 1_999 }, [0.4, 0.4]],
    ['when it is ready', { deadlineMs: 2_000 }, [0.1, 0.1]],
    ['after everything is ready', { deadlineMs: 60_000 }, [0, 0.1]],
    ["after the route's maximal wait", { deadlineMs: 60_000, queueTimeoutMs: 1_000 }, [0, 0.4]],
    ["before the route's maximal wait, without another target", { deadlineMs: 1_000, hasFallback: false }, [0.4, 0]],
    ['at once', { deadlineMs: 0 }, [0.4, 0.4]],
  ])('a projection with a deadline %s has the right rates', (_what, load, [missed, fallback]) => {
    const { deadlineMissRate, fallbackRate } = of({}, load);
    expect(deadlineMissRate).toBeCloseTo(missed, 12);
    expect(fallbackRate).toBeCloseTo(fallback, 12);
  });

  it.each<[string, Partial<StartTimes>, Partial<Load>, string]>([
    ['both kinds were measured', {}, {}, 'measured'],
    ['the cold time is an estimate', { coldMeasured: false }, {}, 'estimated'],
    ['the cold time is an estimate that no request needs', { coldMeasured: false }, { coldShare: 0 }, 'measured'],
    ['no restore was measured', { restoreMs: null, restoreMeasured: false }, {}, 'estimated'],
    ['nothing is known', { coldMs: null, restoreMs: null, coldMeasured: false, restoreMeasured: false }, {}, 'none'],
    ['nothing is known of cold starts', { coldMs: null, coldMeasured: false }, {}, 'none'],
    ['nobody waits', {}, { coldShare: 0, restoreShare: 0 }, 'measured'],
    [
      'nobody waits, and there is only an estimate',
      { restoreMs: null, coldMeasured: false, restoreMeasured: false },
      { coldShare: 0, restoreShare: 0 },
      'estimated',
    ],
  ])('has, if %s, the evidence %s', (_what, times, load, evidence) => {
    expect(of(times, load).evidence).toBe(evidence);
  });

  it('treats an unmeasured restore as a cold start', () => {
    expect(of({ restoreMs: null, restoreMeasured: false }, { restoreShare: 0.6, coldShare: 0 })).toEqual({
      evidence: 'estimated',
      p50Ms: 60_000,
      deadlineMissRate: 0.6,
      fallbackRate: 0.6,
    });
  });

  const nothing = { coldMs: null, restoreMs: null, coldMeasured: false, restoreMeasured: false };

  it('counts every start without evidence as missed, whatever the deadline', () => {
    expect(of(nothing, { coldShare: 0.75, restoreShare: 0.25, deadlineMs: Number.MAX_SAFE_INTEGER })).toEqual({
      evidence: 'none',
      p50Ms: 0,
      deadlineMissRate: 1,
      fallbackRate: 1,
    });
    expect(of(nothing, { coldShare: 0.25, restoreShare: 0 })).toMatchObject({ deadlineMissRate: 0.25 });
    expect(of(nothing, { coldShare: 0.25, restoreShare: 0, hasFallback: false })).toMatchObject({ fallbackRate: 0 });
    expect(of(nothing, { coldShare: 0, restoreShare: 0 })).toMatchObject({ deadlineMissRate: 0, fallbackRate: 0 });
  });

  it('counts cold starts as missed if only restores were measured', () => {
    const times = { coldMs: null, coldMeasured: false };
    expect(of(times, { coldShare: 0.25, restoreShare: 0.5, deadlineMs: 60_000 })).toMatchObject({
      evidence: 'none',
      deadlineMissRate: 0.25,
      fallbackRate: 0.25,
    });
    expect(of(times, { coldShare: 0, restoreShare: 0.5, deadlineMs: 60_000 })).toMatchObject({ deadlineMissRate: 0 });
  });
});
