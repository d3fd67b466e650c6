import { moveOf, PHASES, type ActivationReport, type CurrentStart, type KnownActivation } from './activation.moves';

const known = (overrides: Partial<KnownActivation> = {}): KnownActivation => ({
  version: 7,
  desiredState: 'Active',
  phase: 'Loading',
  ready: false,
  endpoint: null,
  observedGeneration: 3,
  start: { id: 'start', generation: 3, ready: false, failed: false },
  successor: null,
  ...overrides,
});

const told = (overrides: Partial<ActivationReport> = {}): ActivationReport => ({
  desiredState: 'Active',
  phase: 'Loading',
  ready: false,
  endpoint: null,
  observedGeneration: 3,
  ...overrides,
});

const start = (overrides: Partial<CurrentStart> = {}): CurrentStart => ({
  id: 'start',
  generation: 3,
  ready: false,
  failed: false,
  ...overrides,
});

const serving = known({ phase: 'Ready', ready: true, start: start({ ready: true }) });
const suspended = known({ phase: 'Suspended', start: null });

describe('a report of an activation', () => {
  it('of an older generation is ignored, whatever it says', () => {
    for (const phase of PHASES)
      expect(moveOf(known(), told({ phase, observedGeneration: 2 }))).toEqual({ kind: 'ignored' });
  });

  it('that says what is known is heard only', () => {
    expect(moveOf(known(), told())).toEqual({ kind: 'heard' });
    expect(moveOf(serving, told({ phase: 'Ready', ready: true }))).toEqual({ kind: 'heard' });
    expect(moveOf(suspended, told({ phase: 'Suspended' }))).toEqual({ kind: 'heard' });
  });

  it('without a generation speaks of the one that was reported last', () => {
    expect(moveOf(known(), told({ observedGeneration: undefined }))).toEqual({ kind: 'heard' });
    expect(moveOf(undefined, told({ observedGeneration: undefined }))).toMatchObject({ observedGeneration: 0 });
  });

  it.each([
    ['the endpoint', { endpoint: 'http://10.0.0.1:8000' }],
    ['the generation', { observedGeneration: 4 }],
    ['the desired state', { desiredState: 'Suspended' }],
  ])('that changes %s alone moves neither phase nor start', (_what, change) => {
    const move = moveOf(known(), told(change));
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
  const CASES: [string, KnownActivation | undefined, Partial<ActivationReport>, Effect[]][] = [
    ['the first phase begins a start', undefined, { phase: 'Pending' }, ['begins', 'beginningSeen']],
    ['the first phase may be any', undefined, { phase: 'Unheard' }, ['begins']],
    ['ready when first heard of', undefined, { phase: 'Ready', ready: true }, ['begins', 'becomesReady']],
    ['suspended when first heard of', undefined, { phase: 'Suspended' }, []],
    ['up after suspended', suspended, { phase: 'Scheduling' }, ['begins', 'beginningSeen']],
    ['ready straight after suspended', suspended, { phase: 'Ready', ready: true }, ['begins', 'becomesReady']],
    ['on its way', known(), { phase: 'Warming' }, []],
    ['back on its way', known(), { phase: 'Restoring' }, []],
    ['ready for the first time', known(), { phase: 'Ready', ready: true }, ['becomesReady']],
    ['ready while it warms', known(), { phase: 'Warming', ready: true }, ['becomesReady']],
    ['no longer ready', serving, { phase: 'Ready', ready: false }, []],
    ['draining', serving, { phase: 'Draining', ready: true }, []],
    ['warming again', serving, { phase: 'Warming' }, []],
    ['released', serving, { phase: 'Suspended' }, ['ends']],
    ['given up', known(), { phase: 'Suspended' }, ['ends']],
    ['failed', known(), { phase: 'Failed' }, ['fails']],
    ['failed after it served', serving, { phase: 'Failed' }, ['fails']],
    ['another worker after one that served', serving, { phase: 'Restoring' }, ['ends', 'begins', 'beginningSeen']],
    [
      'another worker after one that failed',
      known({ phase: 'Failed', start: start({ failed: true }) }),
      { phase: 'Pending' },
      ['ends', 'begins', 'beginningSeen'],
    ],
    ['ready again', known({ phase: 'Ready', start: start({ ready: true }) }), { phase: 'Ready', ready: true }, []],
    [
      'another worker, of which events told',
      { ...serving, successor: { id: 'next', generation: 3 } },
      { phase: 'Loading' },
      ['ends', 'succeeds'],
    ],
    [
      'serving on beside a worker that comes up',
      { ...serving, successor: { id: 'next', generation: 3 } },
      { phase: 'Ready', ready: true },
      [],
    ],
    [
      'behind an event that said it is ready',
      known({ phase: 'Restoring', start: start({ ready: true }) }),
      { phase: 'Loading' },
      [],
    ],
    [
      'behind an event that said it failed',
      known({ phase: 'Pulling', start: start({ failed: true }) }),
      { phase: 'Loading' },
      [],
    ],
    [
      'back to the beginning after an event said it failed',
      known({ phase: 'Loading', start: start({ failed: true }) }),
      { phase: 'Pulling' },
      ['ends', 'begins', 'beginningSeen'],
    ],
    [
      'up, where an event told of the worker before',
      { ...suspended, successor: { id: 'next', generation: 3 } },
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
    // An event began a start while the controller still reports the worker before it.
    [
      'still ready, of a worker that is gone',
      known({ phase: 'Ready', ready: true }),
      { phase: 'Ready', ready: true },
      [],
    ],
    [
      'ready anew after the worker before it',
      known({ phase: 'Ready', ready: false }),
      { phase: 'Ready', ready: true },
      ['becomesReady'],
    ],
    [
      'suspended, of a generation before the start that an event told',
      known({ phase: 'Scheduling', start: start({ generation: 4 }) }),
      { phase: 'Suspended' },
      [],
    ],
  ];
  it.each(CASES)('%s', (_name, before, report, effects) => {
    const move = moveOf(before, told(report));
    const expected = Object.fromEntries(
      (['begins', 'succeeds', 'ends', 'becomesReady', 'fails', 'beginningSeen'] as const).map((effect) => [
        effect,
        effects.includes(effect),
      ]),
    );
    if (move.kind === 'heard') expect(effects).toEqual([]);
    else expect(move).toMatchObject({ kind: 'moved', ...expected });
  });
});
