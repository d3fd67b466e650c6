import fc from 'fast-check';
import { effectOf, effectsOf, LATER_KINDS, type KnownStart, type StartChange, type WorkerEvent } from './start-events';

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
    // Told of later, but it occurred first.
    expect(effectOf([start({ endedAt: at(20) })], event('worker.stopped', 15))).toMatchObject({
      change: { endedAt: at(15) },
    });
    expect(effectOf([start({ endedAt: at(20) })], event('worker.stopped', 25, { podUid: 'pod' }))).toEqual(NONE);
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

describe('model.ready without a pod', () => {
  const ready = event('model.ready', 20);

  it('counts for the only start in progress', () => {
    const changes = { kind: 'changes', id: 'start', change: { readyAt: at(20) } };
    expect(effectOf([start()], ready)).toEqual(changes);
    expect(effectOf([start({ podUid: 'pod' })], ready)).toEqual(changes);
    const served = start({ id: 'served', beganAt: at(1), readyAt: at(5) });
    expect(effectOf([start(), served], ready)).toEqual(changes);
    for (const over of [{ failedAt: at(5) }, { endedAt: at(5) }])
      expect(effectOf([start(), start({ id: 'over', beganAt: at(1), ...over })], ready)).toEqual(changes);
  });

  it('counts for none where several are in progress, or none is', () => {
    expect(effectOf([start({ podUid: 'one' }), start({ id: 'second', podUid: 'two' })], ready)).toEqual(NONE);
    expect(effectOf([], ready)).toEqual(NONE);
    for (const over of [{ readyAt: at(15) }, { failedAt: at(15) }, { endedAt: at(15) }, { beganAt: at(25) }])
      expect(effectOf([start(over)], ready)).toEqual(NONE);
  });
});

/** A profile as events in one order of arrival leave it. */
class Arrivals {
  starts: KnownStart[] = [];
  private readonly arrived: WorkerEvent[] = [];
  private made = 0;

  async take(one: WorkerEvent): Promise<void> {
    this.arrived.push(one);
    const before = (since: Date) => Promise.resolve(this.laterThan(since, one.podUid));
    const effects = await effectsOf(this.starts, one, before, () => `start-${this.made++}`);
    for (const { kind, id, change } of effects) this.write(kind, id, change);
  }

  /** As the statement does. */
  private laterThan(since: Date, podUid: string | null): WorkerEvent[] {
    const concerns = (one: WorkerEvent) =>
      one.podUid === podUid || (one.kind === 'model.ready' && (one.podUid === null || podUid === null));
    return this.arrived
      .filter((one) => one.occurredAt >= since && LATER_KINDS.includes(one.kind) && concerns(one))
      .sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  }

  private write(kind: 'begins' | 'changes', id: string, change: StartChange): void {
    const known = this.starts.find((one) => one.id === id) ?? start({ id, podUid: null });
    const { beganAt = known.beganAt, toldAt = known.toldAt, podUid = known.podUid } = change;
    const first = (told: Date | undefined, before: Date | null) =>
      told === undefined ? before : told < beganAt ? beganAt : told;
    const readyAt = first(change.readyAt, known.readyAt);
    const failedAt = first(change.failedAt, known.failedAt);
    const endedAt = first(change.endedAt, known.endedAt);
    expect(kind === 'begins').toBe(!this.starts.includes(known));
    this.starts = [
      ...this.starts.filter((one) => one !== known),
      { id, beganAt, toldAt, podUid, readyAt, failedAt, endedAt },
    ];
    this.starts.sort((a, b) => b.beganAt.getTime() - a.beganAt.getTime() || (a.id < b.id ? 1 : -1));
  }

  get times(): unknown {
    return this.starts
      .map(({ beganAt, readyAt, failedAt, endedAt, podUid }) => ({ beganAt, readyAt, failedAt, endedAt, podUid }))
      .sort((a, b) => (a.podUid ?? '').localeCompare(b.podUid ?? ''));
  }
}

describe('events in any order of arrival', () => {
  const COMING_UP = ['worker.scheduled', 'worker.pulling', 'worker.restoring', 'worker.loading', 'worker.warming'];
  /** What one worker goes through: some of the steps in their order, each a while after the one before. */
  const life = (podUid: string | null) =>
    fc
      .tuple(
        fc.subarray(COMING_UP, { minLength: 1 }),
        fc.constantFrom(['model.ready'], ['model.ready', 'worker.stopped'], ['worker.failed'], ['worker.stopped'], []),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 8, maxLength: 8 }),
        fc.boolean(),
      )
      .map(([steps, end, pauses, readyWithoutPod]) => {
        let second = 0;
        return [...steps, ...end].map((kind, place) =>
          event(kind, (second += pauses[place] ?? 1), {
            podUid: kind === 'model.ready' && readyWithoutPod ? null : podUid,
          }),
        );
      });
  const shuffled = (events: WorkerEvent[]) =>
    fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }));
  const timesAfter = async (events: readonly WorkerEvent[]): Promise<unknown> => {
    const arrivals = new Arrivals();
    for (const one of events) await arrivals.take(one);
    return arrivals.times;
  };
  const inAnyOrder = async (lives: fc.Arbitrary<WorkerEvent[]>): Promise<void> =>
    fc.assert(
      fc.asyncProperty(lives.chain(shuffled), async ([events, arrived]) => {
        const occurred = [...events].sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
        expect(await timesAfter(arrived)).toEqual(await timesAfter(occurred));
      }),
      { numRuns: 2_000 },
    );

  it('leave the same times of a worker whose pod is told', () => inAnyOrder(life('pod')));

  it('leave the same times of a worker whose pod nobody tells', () => inAnyOrder(life(null)));

  it('leave the same times of workers in pods of their own', () => {
    const named = (events: WorkerEvent[], podUid: string) => events.map((one) => ({ ...one, podUid }));
    return inAnyOrder(
      fc
        .tuple(life('a'), life('b'), life('c'))
        .map(([a, b, c]) => [...named(a, 'a'), ...named(b, 'b'), ...named(c, 'c')]),
    );
  });

  it('leave the times that the worker went through', async () => {
    const events = [
      event('worker.scheduled', 1),
      event('worker.loading', 4),
      event('model.ready', 9),
      event('worker.stopped', 20),
    ];
    const expected = [{ beganAt: at(1), readyAt: at(9), failedAt: null, endedAt: at(20), podUid: null }];
    expect(await timesAfter(events)).toEqual(expected);
    expect(await timesAfter([...events].reverse())).toEqual(expected);
  });
});
