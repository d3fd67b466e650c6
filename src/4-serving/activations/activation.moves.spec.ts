import { moveOf, PHASES, type ActivationReport, type CurrentStart, type KnownActivation } from './activation.moves';

const known = (overrides: Partial<KnownActivation> = {}): KnownActivation => ({
  version: 7,
  desiredState: 'Active',
  phase: 'Loading',
  ready: false,
  endpoint: null,
  observedGeneration: 3,
  clusterId: null,
  workersDigest: null,
  message: null,
  start: { id: 'start', generation: 3, ready: false, failed: false, podUid: null },
  successor: null,
  ...overrides,
});

const report = (overrides: Partial<ActivationReport> = {}): ActivationReport => ({
  desiredState: 'Active',
  phase: 'Loading',
  ready: false,
  endpoint: null,
  observedGeneration: 3,
  clusterId: null,
  workers: null,
  message: null,
  ...overrides,
});

const start = (overrides: Partial<CurrentStart> = {}): CurrentStart => ({
  id: 'start',
  generation: 3,
  ready: false,
  failed: false,
  podUid: null,
  ...overrides,
});

const serving = known({ phase: 'Ready', ready: true, start: start({ ready: true }) });
const suspended = known({ phase: 'Suspended', start: null });

describe('a report of an activation', () => {
  it('ignores a report of an older generation, whatever it says', () => {
    for (const phase of PHASES)
      expect(moveOf(known(), report({ phase, observedGeneration: 2 }))).toEqual({ kind: 'ignored' });
  });

  it('only notes a report that repeats the known state', () => {
    expect(moveOf(known(), report())).toEqual({ kind: 'repeated' });
    expect(moveOf(serving, report({ phase: 'Ready', ready: true }))).toEqual({ kind: 'repeated' });
    expect(moveOf(suspended, report({ phase: 'Suspended' }))).toEqual({ kind: 'repeated' });
  });

  it('applies a report without a generation to the last reported one', () => {
    expect(moveOf(known(), report({ observedGeneration: undefined }))).toEqual({ kind: 'repeated' });
    expect(moveOf(undefined, report({ observedGeneration: undefined }))).toMatchObject({ observedGeneration: 0 });
  });

  it.each([
    ['the endpoint', { endpoint: 'http://10.0.0.1:8000' }],
    ['the generation', { observedGeneration: 4 }],
    ['the desired state', { desiredState: 'Suspended' }],
    ['the cluster', { clusterId: 'cluster' }],
    ['the workers', { workers: '[]' }],
    ['the message', { message: 'worker 1 ended' }],
  ])('changes neither phase nor start by a report that changes only %s', (_what, change) => {
    const move = moveOf(known(), report(change));
    const still = {
      ends: false,
      begins: false,
      succeeds: false,
      becomesReady: false,
      fails: false,
      changesPhase: false,
    };
    expect(move).toMatchObject({ kind: 'moved', ...still });
  });

  type Effect = 'begins' | 'succeeds' | 'ends' | 'becomesReady' | 'fails' | 'beginningSeen';
  const ANOTHER: Effect[] = ['ends', 'begins', 'beginningSeen'];
  const servingInPod = { ...serving, start: start({ ready: true, podUid: 'a' }) };
  const startingInPod = known({ start: start({ podUid: 'a' }) });
  const failedInPod = known({ phase: 'Failed', start: start({ failed: true, podUid: 'a' }) });
  /** Ready in these pods, and in no others. */
  const listed = (...pods: string[]): Partial<ActivationReport> => {
    const workers = ['a', 'b', 'c'].map((uid) => ({ workload_uid: uid, ready: pods.includes(uid) }));
    return { phase: 'Ready', ready: true, workers: JSON.stringify(workers) };
  };
  const CASES: [string, KnownActivation | undefined, Partial<ActivationReport>, Effect[]][] = [
    ['the first phase begins a start', undefined, { phase: 'Pending' }, ['begins', 'beginningSeen']],
    ['the first phase may be any', undefined, { phase: 'Unknown' }, ['begins']],
    ['ready in the first report', undefined, { phase: 'Ready', ready: true }, ['begins', 'becomesReady']],
    ['suspended in the first report', undefined, { phase: 'Suspended' }, []],
    ['up after suspended', suspended, { phase: 'Scheduling' }, ['begins', 'beginningSeen']],
    ['ready straight after suspended', suspended, { phase: 'Ready', ready: true }, ['begins', 'becomesReady']],
    ['a later phase', known(), { phase: 'Warming' }, []],
    ['an earlier phase', known(), { phase: 'Restoring' }, []],
    ['ready for the first time', known(), { phase: 'Ready', ready: true }, ['becomesReady']],
    ['ready while it is warming', known(), { phase: 'Warming', ready: true }, ['becomesReady']],
    ['no longer ready', serving, { phase: 'Ready', ready: false }, []],
    ['draining', serving, { phase: 'Draining', ready: true }, []],
    ['warming again', serving, { phase: 'Warming' }, []],
    ['released', serving, { phase: 'Suspended' }, ['ends']],
    ['suspended while it comes up', known(), { phase: 'Suspended' }, ['ends']],
    ['failed', known(), { phase: 'Failed' }, ['fails']],
    ['failed after it served', serving, { phase: 'Failed' }, ['fails']],
    ['another worker after one that served', serving, { phase: 'Restoring' }, ['ends', 'begins', 'beginningSeen']],
    [
      'another worker after one that failed',
      known({ phase: 'Failed', start: start({ failed: true }) }),
      { phase: 'Pending' },
      ['ends', 'begins', 'beginningSeen'],
    ],
    [
      'ready after a failure',
      known({ phase: 'Failed', start: start({ ready: true, failed: true }) }),
      { phase: 'Ready', ready: true },
      ['ends', 'begins', 'becomesReady'],
    ],
    [
      'ready after a failure that was reported as ready',
      known({ phase: 'Failed', ready: true, start: start({ ready: true, failed: true }) }),
      { phase: 'Ready', ready: true },
      ['ends', 'begins', 'becomesReady'],
    ],
    [
      'warming up after a failure',
      known({ phase: 'Failed', start: start({ failed: true }) }),
      { phase: 'Warming' },
      ['ends', 'begins'],
    ],
    [
      'ready after an event that reported its failure',
      known({ phase: 'Loading', start: start({ failed: true }) }),
      { phase: 'Ready', ready: true },
      ['ends', 'begins', 'becomesReady'],
    ],
    [
      'ready after a failure, of a worker that events announced',
      {
        ...known({ phase: 'Failed', start: start({ failed: true }) }),
        successor: { id: 'next', generation: 3, podUid: 'b' },
      },
      { phase: 'Ready', ready: true },
      ['ends', 'succeeds', 'becomesReady'],
    ],
    [
      'failed, and ready by mistake',
      known({ phase: 'Failed', start: start({ ready: true, failed: true }) }),
      { phase: 'Failed', ready: true },
      [],
    ],
    ['draining after a failure', known({ phase: 'Failed', start: start({ failed: true }) }), { phase: 'Draining' }, []],
    ['ready again', known({ phase: 'Ready', start: start({ ready: true }) }), { phase: 'Ready', ready: true }, []],
    [
      'another worker, which events announced',
      { ...serving, successor: { id: 'next', generation: 3, podUid: 'b' } },
      { phase: 'Loading' },
      ['ends', 'succeeds'],
    ],
    [
      'a serving worker beside one that comes up',
      { ...serving, successor: { id: 'next', generation: 3, podUid: 'b' } },
      { phase: 'Ready', ready: true },
      [],
    ],
    [
      'after an event that reported it ready',
      known({ phase: 'Restoring', start: start({ ready: true }) }),
      { phase: 'Loading' },
      [],
    ],
    [
      'after an event that reported its failure',
      known({ phase: 'Pulling', start: start({ failed: true }) }),
      { phase: 'Loading' },
      [],
    ],
    [
      'the first phase after an event that reported its failure',
      known({ phase: 'Loading', start: start({ failed: true }) }),
      { phase: 'Pulling' },
      ['ends', 'begins', 'beginningSeen'],
    ],
    [
      'ready, while an event announced the worker before',
      { ...suspended, successor: { id: 'next', generation: 3, podUid: 'b' } },
      { phase: 'Scheduling' },
      ['succeeds'],
    ],
    ['draining after its worker stopped', known({ phase: 'Ready', start: null }), { phase: 'Draining' }, []],
    [
      'up again after its worker stopped',
      known({ phase: 'Ready', start: null }),
      { phase: 'Pulling' },
      ['begins', 'beginningSeen'],
    ],
    // Of controllers that list their workers.
    ['coming up, though its worker serves in a pod', servingInPod, { phase: 'Loading', workers: '[]' }, []],
    [
      'coming up, though its worker serves beside one that events announced',
      { ...servingInPod, successor: { id: 'next', generation: 3, podUid: 'b' } },
      { phase: 'Loading', workers: '[]' },
      [],
    ],
    [
      'coming up in another cluster, though its worker serves in a pod',
      { ...servingInPod, clusterId: 'one' },
      { phase: 'Loading', workers: '[]', clusterId: 'other' },
      ANOTHER,
    ],
    [
      'coming up in another cluster, beside a worker there that events announced',
      { ...servingInPod, clusterId: 'one', successor: { id: 'next', generation: 3, podUid: 'b' } },
      { phase: 'Loading', workers: '[]', clusterId: 'other' },
      ['ends', 'succeeds'],
    ],
    [
      'coming up in the same cluster, though its worker serves in a pod',
      { ...servingInPod, clusterId: 'one' },
      { phase: 'Loading', workers: '[]', clusterId: 'one' },
      [],
    ],
    [
      'coming up in a cluster that it does not name, though its worker serves in a pod',
      { ...servingInPod, clusterId: 'one' },
      { phase: 'Loading', workers: '[]' },
      [],
    ],
    [
      'coming up in the first cluster that is named, though its worker serves in a pod',
      servingInPod,
      { phase: 'Loading', workers: '[]', clusterId: 'one' },
      [],
    ],
    ['coming up in place of a pod, without a list', servingInPod, { phase: 'Loading' }, ANOTHER],
    ['coming up in place of what reports alone describe', serving, { phase: 'Loading', workers: '[]' }, ANOTHER],
    ['coming up after a failure in a pod', failedInPod, { phase: 'Loading', workers: '[]' }, ANOTHER],
    ['failed, while the next worker comes up in a pod', startingInPod, { phase: 'Failed', workers: '[]' }, []],
    ['failed, while the next worker comes up in a pod, without a list', startingInPod, { phase: 'Failed' }, ['fails']],
    ['failed, of what reports alone describe', known(), { phase: 'Failed', workers: '[]' }, ['fails']],
    ['ready in a pod', startingInPod, listed('b', 'a'), ['becomesReady']],
    ['ready in another pod only', startingInPod, listed('b'), []],
    ['ready in a pod, without a list', startingInPod, { phase: 'Ready', ready: true }, ['becomesReady']],
    ['ready in a pod, of what reports alone describe', known(), listed('b'), ['becomesReady']],
    [
      'ready after a failure, in the pod that events announced',
      { ...failedInPod, successor: { id: 'next', generation: 3, podUid: 'b' } },
      listed('b'),
      ['ends', 'succeeds', 'becomesReady'],
    ],
    [
      'ready after a failure, in another pod than events announced',
      { ...failedInPod, successor: { id: 'next', generation: 3, podUid: 'b' } },
      listed('c'),
      ['ends', 'succeeds'],
    ],
    // An event began a start while the controller still reports the previous worker.
    [
      'still ready, of a worker that is gone',
      known({ phase: 'Ready', ready: true }),
      { phase: 'Ready', ready: true },
      [],
    ],
    [
      'ready again after the previous worker',
      known({ phase: 'Ready', ready: false }),
      { phase: 'Ready', ready: true },
      ['becomesReady'],
    ],
    [
      'suspended, of a generation before the start that an event announced',
      known({ phase: 'Scheduling', start: start({ generation: 4 }) }),
      { phase: 'Suspended' },
      [],
    ],
  ];
  it.each(CASES)('a report of an activation %s', (_name, before, change, effects) => {
    const move = moveOf(before, report(change));
    const expected = Object.fromEntries(
      (['begins', 'succeeds', 'ends', 'becomesReady', 'fails', 'beginningSeen'] as const).map((effect) => [
        effect,
        effects.includes(effect),
      ]),
    );
    if (move.kind === 'repeated') expect(effects).toEqual([]);
    else expect(move).toMatchObject({ kind: 'moved', ...expected });
  });
});
