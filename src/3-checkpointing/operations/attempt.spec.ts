import {
  durationCounts,
  mergeAttempt,
  NOTHING_KNOWN,
  observe,
  sizeCounts,
  type Observations,
  type StoredAttempt,
} from './attempt';
import type { ReportedStage } from './reported-stages';

const T0 = Date.parse('2026-06-01T10:00:00Z');
const at = (seconds: number) => new Date(T0 + seconds * 1_000);
const stage = (name: string, durationNs = 1): ReportedStage => ({
  stage: name,
  durationNs,
  bytesIn: 0,
  bytesOut: 0,
  result: 'succeeded',
  reason: '',
});

const attempt = (report: Partial<StoredAttempt>): StoredAttempt => ({
  ...NOTHING_KNOWN,
  operationId: 'a',
  opType: 'restore',
  workloadType: 'kubernetes',
  startedAt: at(0),
  ...report,
});

/** Applies the reports in order. @returns the fact, and everything that was counted meanwhile */
function tellAll(reports: readonly StoredAttempt[]) {
  let fact: StoredAttempt | undefined;
  const counted: Observations[] = [];
  for (const report of reports) {
    const next = mergeAttempt(fact, report);
    counted.push(observe(fact, next));
    fact = next;
  }
  const of = <T>(pick: (one: Observations) => T | undefined) =>
    counted.map(pick).filter((value) => value !== undefined);
  return {
    fact: fact as StoredAttempt,
    results: of(({ result }) => result),
    durations: of(({ durationNs }) => durationNs),
    sizes: of(({ sizeBytes }) => sizeBytes),
    stages: counted.flatMap(({ stages }) => stages.map((one) => one.stage)),
  };
}

const permutations = <T>(list: readonly T[]): T[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one, i) => permutations(list.toSpliced(i, 1)).map((rest) => [one, ...rest]));

describe('an attempt', () => {
  const started = attempt({ startedAt: at(-5), nodeName: 'node-1' });
  const measured = attempt({
    durationNs: 7,
    physicalBytes: 100,
    logicalBytes: 150,
    source: 'profile',
    stages: [stage('x'), stage('y')],
  });
  const done = attempt({ result: 'succeeded', completedAt: at(9), name: 'pod' });

  it('is the same and counted once, whatever the order and the number of its reports', () => {
    for (const order of permutations([started, measured, done])) {
      for (const reports of [order, [...order, ...order], order.flatMap((report) => [report, report])]) {
        expect(tellAll(reports)).toEqual({
          fact: {
            ...measured,
            result: 'succeeded',
            completedAt: at(9),
            name: 'pod',
            nodeName: 'node-1',
            startedAt: at(-5),
          },
          results: ['succeeded'],
          durations: [7],
          sizes: [100],
          stages: ['x', 'y'],
        });
      }
    }
  });

  it('is counted with the figures known at its end', () => {
    const first = attempt({ result: 'succeeded', durationNs: 5, physicalBytes: 10, stages: [stage('a')] });
    const other = attempt({
      result: 'succeeded',
      durationNs: 50,
      physicalBytes: 1_000,
      stages: [stage('b'), stage('c')],
    });
    expect(tellAll([first, other])).toEqual({
      fact: first,
      results: ['succeeded'],
      durations: [5],
      sizes: [10],
      stages: ['a'],
    });
    expect(tellAll([other, first])).toEqual({
      fact: other,
      results: ['succeeded'],
      durations: [50],
      sizes: [1_000],
      stages: ['b', 'c'],
    });
  });

  it('takes newer values while it runs', () => {
    const early = attempt({ durationNs: 5, gpuModel: 'A', stages: [stage('a')] });
    const later = attempt({ durationNs: 6, gpuModel: 'B', stages: [stage('b')] });
    expect(tellAll([early, later])).toMatchObject({ fact: later, results: [], durations: [], sizes: [], stages: [] });
  });

  it('loses nothing to a report with fewer members', () => {
    expect(mergeAttempt(measured, attempt({}))).toEqual(measured);
    expect(mergeAttempt(done, attempt({}))).toEqual(done);
  });

  it('keeps its end and its reason', () => {
    const failed = attempt({ result: 'failed', failureReason: '', failureStage: '', completedAt: at(3) });
    const contradicting = attempt({
      result: 'succeeded',
      completedAt: at(4),
      durationNs: 9,
      physicalBytes: 5,
      stages: [stage('z')],
    });
    const { fact, results, durations, sizes, stages } = tellAll([
      failed,
      contradicting,
      attempt({ result: 'failed', failureReason: 'late' }),
    ]);
    expect(fact).toMatchObject({
      result: 'failed',
      completedAt: at(3),
      failureReason: '',
      failureStage: '',
      durationNs: 9,
    });
    // Durations and sizes of a failure are stored but not counted.
    expect({ results, durations, sizes, stages }).toEqual({
      results: ['failed'],
      durations: [],
      sizes: [],
      stages: [],
    });
    expect(tellAll([done, failed]).results).toEqual(['succeeded']);
  });

  describe('whose end was assumed', () => {
    const assumed = {
      ...attempt({ startedAt: at(-5), durationNs: 3, gpuModel: 'A', stages: [stage('a')] }),
      result: 'failed' as const,
      failureReason: 'no report arrived',
      completedAt: at(600),
    };
    const ends = (report: StoredAttempt) => {
      const fact = mergeAttempt(assumed, report, true);
      return { fact, counted: observe(assumed, fact) };
    };

    it('takes the first reported end in its place, and counts all that was not counted', () => {
      const success = attempt({
        result: 'succeeded',
        completedAt: at(900),
        durationNs: 7,
        physicalBytes: 100,
        source: 'profile',
        stages: [stage('b')],
      });
      const { fact, counted } = ends(success);
      expect(fact).toEqual({ ...success, startedAt: at(-5), gpuModel: 'A' });
      expect(counted).toEqual({ result: 'succeeded', durationNs: 7, sizeBytes: 100, stages: [stage('b')] });
      // It is an end like any other from then on.
      const contradicting = attempt({ result: 'failed', failureReason: 'late', completedAt: at(901), durationNs: 9 });
      expect(mergeAttempt(fact, contradicting)).toEqual(fact);
    });

    it('takes the reported reason of a failure, and is not counted once more', () => {
      const failure = attempt({
        result: 'failed',
        failureReason: 'no space',
        failureStage: 'map',
        completedAt: at(900),
      });
      const { fact, counted } = ends(failure);
      expect(fact).toMatchObject({ failureReason: 'no space', failureStage: 'map', completedAt: at(900) });
      expect(counted).toEqual({ result: undefined, durationNs: undefined, sizeBytes: undefined, stages: [] });
    });

    it('keeps that end for a report without one', () => {
      const { fact, counted } = ends(attempt({ podUid: 'p' }));
      expect(fact).toEqual({ ...assumed, podUid: 'p' });
      expect(counted.result).toBeUndefined();
    });
  });

  it('starts at the earliest reported time', () => {
    expect(tellAll([done, started]).fact.startedAt).toEqual(at(-5));
    expect(tellAll([started, done]).fact.startedAt).toEqual(at(-5));
  });

  it('keeps the first Ready time of its pod', () => {
    const first = attempt({ podUid: 'p', podScheduledAt: at(1), podReadyAt: at(2) });
    const flapped = attempt({ podUid: 'p', podScheduledAt: at(1), podReadyAt: at(60) });
    for (const reports of [
      [first, flapped],
      [first, attempt({}), flapped],
      [attempt({}), first, flapped],
      [first, { ...flapped, result: 'succeeded' as const }],
    ])
      expect(tellAll(reports).fact).toMatchObject({ podUid: 'p', podScheduledAt: at(1), podReadyAt: at(2) });
    const unready = attempt({ podUid: 'p', podScheduledAt: at(1) });
    expect(tellAll([unready, flapped]).fact.podReadyAt).toEqual(at(60));
  });

  it('ignores times of other pods', () => {
    const guessed = attempt({ podUid: 'guess', podScheduledAt: at(1), podReadyAt: at(2) });
    const named = attempt({ podUid: 'named' });
    expect(tellAll([guessed, named]).fact).toMatchObject({ podUid: 'named', podScheduledAt: null, podReadyAt: null });
    const over = attempt({ result: 'succeeded', podUid: 'named' });
    expect(tellAll([over, guessed]).fact).toMatchObject({ podUid: 'named', podScheduledAt: null, podReadyAt: null });
  });
});

describe('a row of totals', () => {
  it('holds one observation, or none', () => {
    expect(durationCounts(100_000_000)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(durationCounts(600_000_000_001).at(-1)).toBe(1);
    expect(durationCounts(undefined)).toEqual(Array(13).fill(0));
    expect(sizeCounts(2 ** 20 + 1)).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(sizeCounts(undefined)).toEqual(Array(10).fill(0));
  });
});

describe('an attempt whose stages are too old to be kept', () => {
  it('does not count them once more when they are reported again', () => {
    const report = attempt({ result: 'succeeded', source: 'profile', stages: [stage('dump')] });
    expect(observe(undefined, report).stages).toHaveLength(1);
    expect(observe({ ...report, stages: [] }, report).stages).toEqual([]);
  });
});
