import { effectOf, type KnownStart, type WorkerEvent } from './start-events';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

const start = (overrides: Partial<KnownStart> = {}): KnownStart => ({
  id: 'start',
  beganAt: at(10),
  readyAt: null,
  failedAt: null,
  endedAt: null,
  toldAt: null,
  podUid: null,
  ...overrides,
});

const event = (kind: string, second: number, overrides: Partial<WorkerEvent> = {}): WorkerEvent => ({
  kind,
  occurredAt: at(second),
  podUid: null,
  goneAt: null,
  told: null,
  ...overrides,
});

const TOLD = { path: '/checkpoint', artifactId: 'artifact' };
const NONE = { kind: 'none' };

describe('an event of a worker', () => {
  it('begins a start where there is none', () => {
    expect(effectOf([], event('worker.scheduled', 5, { podUid: 'pod' }))).toEqual({
      kind: 'begins',
      change: { beganAt: at(5), beginningSeen: true, podUid: 'pod' },
    });
    expect(effectOf([], event('worker.restoring', 5, { told: TOLD }))).toEqual({
      kind: 'begins',
      change: { beganAt: at(5), toldAt: at(5), restoreCheckpointPath: '/checkpoint', artifactId: 'artifact' },
    });
  });

  it.each(['worker.stopped', 'worker.failed', 'worker.draining', 'model.ready', 'checkpoint.completed'])(
    '%s begins none',
    (kind) => expect(effectOf([], event(kind, 5))).toEqual(NONE),
  );

  it('that was scheduled before the first report moves the beginning back, however late it is told', () => {
    const late = effectOf([start({ readyAt: at(20), endedAt: at(30) })], event('worker.scheduled', 8));
    expect(late).toEqual({ kind: 'changes', id: 'start', change: { beganAt: at(8), beginningSeen: true } });
  });

  it('that was scheduled after the first report leaves the beginning', () => {
    expect(effectOf([start()], event('worker.scheduled', 12))).toMatchObject({ change: { beginningSeen: true } });
    expect(effectOf([start()], event('worker.scheduled', 12))).not.toMatchObject({ change: { beganAt: at(12) } });
  });

  it('is no earlier start that is over', () => {
    const starts = [start({ id: 'second', beganAt: at(40) }), start({ id: 'first', endedAt: at(30) })];
    // In between: of the second, told a little before its report.
    expect(effectOf(starts, event('worker.restoring', 35, { told: TOLD }))).toMatchObject({ id: 'second' });
    expect(effectOf(starts, event('worker.restoring', 20, { told: TOLD }))).toMatchObject({ id: 'first' });
    expect(effectOf(starts, event('worker.restoring', 45, { told: TOLD }))).toMatchObject({ id: 'second' });
  });

  it('tells the checkpoint; the one that was told last stands, whatever the order of arrival', () => {
    const change = { toldAt: at(15), restoreCheckpointPath: '/checkpoint', artifactId: 'artifact' };
    const restoring = event('worker.restoring', 15, { told: TOLD });
    expect(effectOf([start()], restoring)).toEqual({ kind: 'changes', id: 'start', change });
    expect(effectOf([start({ toldAt: at(14) })], restoring)).toMatchObject({ change });
    expect(effectOf([start({ toldAt: at(16) })], restoring)).toEqual(NONE);
  });

  it('of a worker that comes up after one that served or failed begins a start of its own', () => {
    for (const over of [{ readyAt: at(20) }, { failedAt: at(20) }])
      expect(effectOf([start(over)], event('worker.scheduled', 25))).toMatchObject({ kind: 'begins' });
    // It may warm up while it serves.
    expect(effectOf([start({ readyAt: at(20) })], event('worker.warming', 25))).toEqual(NONE);
  });

  it('of a further pod is a start of its own, and belongs to its pod from then on', () => {
    const first = start({ podUid: 'one', readyAt: at(20) });
    expect(effectOf([first], event('worker.scheduled', 25, { podUid: 'two' }))).toMatchObject({ kind: 'begins' });
    const second = start({ id: 'second', beganAt: at(25), podUid: 'two' });
    expect(effectOf([second, first], event('worker.stopped', 40, { podUid: 'one' }))).toEqual({
      kind: 'changes',
      id: 'start',
      change: { endedAt: at(40) },
    });
    expect(effectOf([second, first], event('model.ready', 40, { podUid: 'two' }))).toEqual({
      kind: 'changes',
      id: 'second',
      change: { readyAt: at(40) },
    });
  });

  it('gives a start its pod once', () => {
    expect(effectOf([start()], event('worker.loading', 12, { podUid: 'pod' }))).toEqual({
      kind: 'changes',
      id: 'start',
      change: { podUid: 'pod' },
    });
  });

  it('ends a start once, and not before it began', () => {
    expect(effectOf([start()], event('worker.stopped', 20))).toMatchObject({ change: { endedAt: at(20) } });
    expect(effectOf([start({ endedAt: at(20) })], event('worker.stopped', 15))).toEqual(NONE);
    expect(effectOf([start()], event('worker.stopped', 5))).toEqual(NONE);
    expect(effectOf([start()], event('worker.failed', 20))).toMatchObject({ change: { failedAt: at(20) } });
    expect(effectOf([start({ failedAt: at(18) })], event('worker.failed', 20))).toEqual(NONE);
  });

  it('that arrives when its worker is long gone begins nothing', () => {
    const starts = [start({ id: 'second', beganAt: at(40) }), start({ readyAt: at(20), endedAt: at(30) })];
    expect(effectOf(starts, event('worker.pulling', 25))).toEqual(NONE);
  });

  it('of a pod that nobody had heard of begins a start however late, which is over where the pod is', () => {
    const starts = [start({ id: 'second', beganAt: at(40), podUid: 'two' }), start({ endedAt: at(30), podUid: 'one' })];
    const late = event('worker.scheduled', 20, { podUid: 'zero' });
    expect(effectOf(starts, late)).toEqual({
      kind: 'begins',
      change: { beganAt: at(20), beginningSeen: true, podUid: 'zero' },
    });
    expect(effectOf(starts, { ...late, goneAt: at(25) })).toMatchObject({
      change: { beganAt: at(20), endedAt: at(25) },
    });
  });
});
