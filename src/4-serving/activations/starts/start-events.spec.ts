import fc from 'fast-check';
import {
  addedTo,
  byOccurrence,
  differenceOf,
  foldStarts,
  START_KINDS,
  type KnownStart,
  type ReportedMoments,
  type Standing,
  type WorkerEvent,
} from './start-events';
import { inForm } from '../../../../test/support/form';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1) + second * 1_000);

const NOTHING: ReportedMoments = { beganAt: null, beginning: false, readyAt: null, failedAt: null, endedAt: null };

/** A start that a report began. */
const reported = (id: string, moments: Partial<ReportedMoments>): KnownStart => {
  const { beganAt, ...all } = { ...NOTHING, ...moments, beganAt: moments.beganAt ?? at(10) };
  return {
    id,
    begunBy: null,
    generation: 1,
    beganAt,
    beginningSeen: all.beginning,
    readyAt: all.readyAt,
    failedAt: all.failedAt,
    endedAt: all.endedAt,
    podUid: null,
    podTakenAt: null,
    clusterId: null,
    namedAt: null,
    restoreCheckpointPath: null,
    artifactId: null,
    restoreFailedAt: null,
    reported: { ...all, beganAt },
  };
};

let made = 0;
const event = (kind: string, second: number, overrides: Partial<WorkerEvent> = {}): WorkerEvent => ({
  id: `event-${String(made++).padStart(8, '0')}`,
  kind,
  occurredAt: at(second),
  podUid: null,
  clusterId: `of ${overrides.podUid ?? 'none'}`,
  generation: null,
  checkpoint: null,
  ...overrides,
});

const CHECKPOINT = { path: '/checkpoint', artifactId: 'artifact' };

/**
 * A profile as the service stores it: with the fast path for an event that is the last, and the fold for all
 * others.
 */
class Profile {
  starts: readonly KnownStart[] = [];
  folds = 0;
  private readonly events: WorkerEvent[] = [];
  private readonly newId = () => `start-${String(made++).padStart(8, '0')}`;

  constructor(starts: readonly KnownStart[] = []) {
    this.starts = starts;
  }

  take(one: WorkerEvent): void {
    this.events.push(one);
    this.events.sort(byOccurrence);
    const gone = null;
    const added = addedTo(this.starts, one, this.standingOf(one), gone, this.newId);
    if (!added) this.folds++;
    const since = this.events[0]?.occurredAt ?? at(0);
    const after = added ?? foldStarts({ starts: this.starts, events: this.events, since, gone }, this.newId);
    const { saved, removed } = differenceOf(this.starts, after);
    const written = new Map(this.starts.map((start) => [start.id, start]));
    for (const id of removed) written.delete(id);
    for (const start of saved) written.set(start.id, start);
    this.starts = [...written.values()].sort(
      (a, b) => b.beganAt.getTime() - a.beganAt.getTime() || (a.id < b.id ? 1 : -1),
    );
  }

  report(change: (starts: readonly KnownStart[]) => readonly KnownStart[]): void {
    this.starts = change(this.starts);
  }

  private standingOf(one: WorkerEvent): Standing {
    const isLater = (other: WorkerEvent) => other !== one && byOccurrence(one, other) < 0;
    const stops = this.events.filter(({ kind, podUid }) => kind === 'worker.stopped' && podUid === one.podUid);
    const own = ({ podUid }: WorkerEvent) => podUid === null || podUid === one.podUid;
    return {
      ownLater: this.events.some((other) => isLater(other) && own(other)),
      anyLater: this.events.some(isLater),
      stopped: one.podUid !== null && stops.length > 0,
      stoppedBefore: one.podUid !== null && stops.some((stop) => byOccurrence(stop, one) < 0),
    };
  }

  get times(): unknown {
    return this.starts
      .map(({ id: _id, generation: _generation, ...start }) => start)
      .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  }
}

const after = (events: readonly WorkerEvent[], starts: readonly KnownStart[] = []): Profile => {
  const profile = new Profile(starts);
  for (const one of events) profile.take(one);
  return profile;
};

describe('events of workers', () => {
  it('begin a start, and report its readiness and its end', () => {
    const events = [event('worker.scheduled', 1), event('model.ready', 9), event('worker.stopped', 20)];
    const expected = [{ beganAt: at(1), beginningSeen: true, readyAt: at(9), failedAt: null, endedAt: at(20) }];
    expect(after(events).starts).toMatchObject(expected);
    expect(after([...events].reverse()).starts).toMatchObject(expected);
  });

  it.each(['worker.stopped', 'worker.failed', 'restore.failed', 'model.ready'])(
    'begin no start if they are of the kind %s',
    (kind) => expect(after([event(kind, 5)]).starts).toEqual([]),
  );

  it('begin another start for a worker that comes up after one that served or failed', () => {
    for (const over of ['model.ready', 'worker.failed'])
      expect(after([event('worker.scheduled', 1), event(over, 5), event('worker.pulling', 6)]).starts).toHaveLength(2);
    const warms = [event('worker.scheduled', 1), event('model.ready', 5), event('worker.warming', 6)];
    expect(after(warms).starts).toHaveLength(1);
  });

  it('end a start when it failed, whenever it is reported to have stopped', () => {
    const failed = [event('worker.scheduled', 1), event('worker.failed', 5), event('worker.stopped', 9)];
    const stopped = [event('worker.scheduled', 1), event('worker.stopped', 5), event('worker.failed', 9)];
    for (const events of [failed, stopped])
      for (const order of [events, events.toReversed()])
        expect(after(order).starts).toMatchObject([{ beganAt: at(1), endedAt: at(5) }]);
  });

  it('begin another start, whose beginning was missed, for a failed worker that serves again in its pod', () => {
    const pod = { podUid: 'pod' };
    const events = [
      event('worker.scheduled', 1, pod),
      event('model.ready', 3, pod),
      event('worker.failed', 5, pod),
      event('model.ready', 7, pod),
    ];
    for (const order of [events, events.toReversed()])
      expect(after(order).starts).toMatchObject([
        { beganAt: at(7), beginningSeen: false, readyAt: at(7), failedAt: null, endedAt: null, podUid: 'pod' },
        { beganAt: at(1), beginningSeen: true, readyAt: at(3), failedAt: at(5), endedAt: at(5), podUid: 'pod' },
      ]);
  });

  it('name the checkpoint that it restores from; the last one counts', () => {
    const other = { path: '/other', artifactId: null };
    const events = [
      event('worker.restoring', 3, { checkpoint: CHECKPOINT }),
      event('restore.started', 4, { checkpoint: other }),
      event('worker.scheduled', 1),
    ];
    for (const order of [events, [...events].reverse()])
      expect(after(order).starts).toMatchObject([
        { beganAt: at(1), namedAt: at(4), restoreCheckpointPath: '/other', artifactId: null },
      ]);
  });

  it('begin a start that holds no node if its pod stopped before they occurred', () => {
    const events = [
      event('worker.stopped', 5, { podUid: 'pod' }),
      event('worker.scheduled', 6, { podUid: 'pod' }),
    ] as const;
    for (const order of [events, [...events].reverse()])
      expect(after(order).starts).toMatchObject([{ beganAt: at(6), endedAt: at(6) }]);
  });

  it('are added one by one if they arrive in order, and if those of other pods are later', () => {
    const life = (podUid: string, second: number) => [
      event('worker.scheduled', second, { podUid }),
      event('worker.loading', second + 1, { podUid }),
      event('model.ready', second + 2, { podUid }),
    ];
    expect(after([...life('a', 1), ...life('b', 2), ...life('c', 0)]).folds).toBe(0);
  });
});

describe('events and reports', () => {
  it('end a start when an event reported its failure, though a report ended it later', () => {
    const stored = reported('start', { endedAt: at(30) });
    const { starts } = after([event('worker.failed', 20)], [stored]);
    expect(starts).toMatchObject([{ id: 'start', failedAt: at(20), endedAt: at(20), reported: { endedAt: at(30) } }]);
  });

  it('take a failure back that a late event reports of a start that was ready afterwards', () => {
    const stored = reported('start', { readyAt: at(25), endedAt: at(30) });
    for (const events of [[event('worker.failed', 20)], [event('worker.failed', 20), event('worker.stopped', 40)]]) {
      const { starts } = after(events, [stored]);
      expect(starts).toMatchObject([{ id: 'start', readyAt: at(25), failedAt: null, endedAt: at(30) }]);
    }
    const open = after([event('worker.failed', 20)], [reported('start', { readyAt: at(25) })]);
    expect(open.starts).toMatchObject([{ readyAt: at(25), failedAt: null, endedAt: null }]);
  });

  it('keep no failure that a report gave of a start without a pod which an event reports ready later', () => {
    const begun = after([], [reported('start', { failedAt: at(20) })]);
    begun.take(event('model.ready', 25, { podUid: 'pod' }));
    expect(begun.starts).toMatchObject([
      { id: 'start', podUid: 'pod', readyAt: at(25), failedAt: null, endedAt: null, reported: { failedAt: null } },
    ]);
    begun.take(event('worker.failed', 27, { podUid: 'pod' }));
    begun.take(event('worker.stopped', 29, { podUid: 'pod' }));
    expect(begun.starts).toMatchObject([{ readyAt: at(25), failedAt: at(27), endedAt: at(27) }]);
  });

  it('begin one start if both report that a failed worker serves again', () => {
    const pod = { podUid: 'pod' };
    const events = [event('worker.scheduled', 1, pod), event('model.ready', 29, pod)];
    const begun = after(events.slice(0, 1));
    begun.report((starts) =>
      starts.map((start) => ({ ...start, failedAt: at(20), reported: { ...start.reported, failedAt: at(20) } })),
    );
    // The report that it is ready ends the failed one, and begins another.
    begun.report((starts) => [
      reported('again', { beganAt: at(30), readyAt: at(30) }),
      ...starts.map((start) => ({ ...start, endedAt: at(20), reported: { ...start.reported, endedAt: at(30) } })),
    ]);
    for (const one of events.slice(1)) begun.take(one);
    expect(begun.starts).toMatchObject([
      { id: 'again', beganAt: at(29), readyAt: at(29), podUid: 'pod', endedAt: null },
      { beganAt: at(1), failedAt: at(20), endedAt: at(20) },
    ]);
  });

  it('move the reported beginning back, however late they arrive', () => {
    const { starts } = after([event('worker.scheduled', 8)], [reported('start', { readyAt: at(20), endedAt: at(30) })]);
    expect(starts).toMatchObject([{ id: 'start', beganAt: at(8), beginningSeen: true, readyAt: at(20) }]);
  });

  it('belong to the start in progress, and not to one that had ended', () => {
    const starts = [
      reported('second', { beganAt: at(40) }),
      reported('first', { beganAt: at(10), readyAt: at(25), endedAt: at(30) }),
    ];
    for (const [second, id] of [
      [20, 'first'],
      [35, 'second'],
      [45, 'second'],
    ] as const)
      expect(after([event('worker.restoring', second, { checkpoint: CHECKPOINT })], starts).starts).toContainEqual(
        expect.objectContaining({ id, namedAt: at(second) }),
      );
  });

  it('keep the reported times of a start when earlier events arrive later', () => {
    const profile = after([event('worker.loading', 5, { podUid: 'pod' })]);
    profile.report((starts) =>
      starts.map((start) => ({ ...start, readyAt: at(12), reported: { ...start.reported, readyAt: at(12) } })),
    );
    const [before] = profile.starts;
    profile.take(event('worker.pulling', 4, { podUid: 'pod' }));
    profile.take(event('worker.scheduled', 3, { podUid: 'pod' }));
    expect(profile.starts).toMatchObject([{ id: before?.id, beganAt: at(3), readyAt: at(12) }]);
  });

  it('leave a start alone whose own events were deleted', () => {
    const forgotten = {
      ...reported('old', { beganAt: at(7) }),
      begunBy: 'forgotten',
      podUid: 'gone',
      reported: NOTHING,
    };
    const { starts } = after(
      [event('worker.failed', 9, { podUid: 'pod' }), event('worker.scheduled', 6, { podUid: 'pod' })],
      [forgotten],
    );
    expect(starts).toContainEqual(forgotten);
    expect(starts).toContainEqual(expect.objectContaining({ beganAt: at(6), failedAt: at(9), podUid: 'pod' }));
  });
});

/** All orders of a few events. */
function* permutations<T>(all: readonly T[]): Generator<T[]> {
  if (all.length === 0) yield [];
  for (const [place, one] of all.entries())
    for (const rest of permutations([...all.slice(0, place), ...all.slice(place + 1)])) yield [one, ...rest];
}

describe('events in any order of arrival', () => {
  const pod = (podUid: string) => ({ podUid });
  it.each<[string, WorkerEvent[]]>([
    [
      'one pod, whose worker fails and comes up again',
      [
        event('worker.scheduled', 1, pod('a')),
        event('worker.failed', 3, pod('a')),
        event('worker.scheduled', 4, pod('a')),
        event('model.ready', 6, pod('a')),
      ],
    ],
    [
      'one pod, whose worker fails, is ready again, and stops',
      [
        event('worker.scheduled', 1, pod('a')),
        event('worker.failed', 3, pod('a')),
        event('model.ready', 5, pod('a')),
        event('worker.warming', 6, pod('a')),
        event('worker.failed', 7, pod('a')),
        event('worker.stopped', 9, pod('a')),
      ],
    ],
    [
      'a worker without a pod that fails and comes up again',
      [event('worker.scheduled', 1), event('worker.failed', 3), event('worker.scheduled', 4), event('model.ready', 6)],
    ],
    [
      'model.ready without a pod while two come up',
      [event('model.ready', 2), event('worker.scheduled', 1, pod('a')), event('worker.scheduled', 1.5, pod('b'))],
    ],
    [
      'a pod that takes over a start without one',
      [
        event('worker.scheduled', 1),
        event('worker.loading', 2, pod('a')),
        event('worker.loading', 3, pod('b')),
        event('model.ready', 4),
        event('worker.stopped', 5, pod('a')),
      ],
    ],
    [
      'one that fails before another one begins',
      [
        event('worker.scheduled', 1, pod('a')),
        event('worker.failed', 2, pod('a')),
        event('worker.scheduled', 3, pod('b')),
        event('model.ready', 4),
        event('worker.stopped', 9, pod('b')),
      ],
    ],
    [
      'events of the same millisecond',
      [
        event('worker.scheduled', 1, pod('a')),
        event('model.ready', 1, pod('a')),
        event('worker.scheduled', 1),
        event('worker.failed', 1),
        event('worker.stopped', 1, pod('a')),
      ],
    ],
  ])('result in the same starts: %s', (_name, events) => {
    const expected = after([...events].sort(byOccurrence)).times;
    for (const order of permutations(events)) expect(after(order).times).toEqual(expected);
  });

  it('result in the same starts, whatever the events are', () => {
    const some = fc.array(
      fc.record({
        kind: fc.constantFrom(...START_KINDS),
        second: fc.integer({ min: 1, max: 12 }),
        podUid: fc.constantFrom(null, 'a', 'b', 'c'),
        checkpoint: fc.constantFrom(null, null, CHECKPOINT, { path: '/other', artifactId: null }),
      }),
      { minLength: 2, maxLength: 12 },
    );
    const orders = some.chain((all) => {
      const events = all.map(({ kind, second, ...rest }) => event(kind, second, rest));
      return fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }));
    });
    fc.assert(
      fc.property(orders, ([events, arrived]) => {
        expect(after(arrived).times).toEqual(after([...events].sort(byOccurrence)).times);
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });

  it('result in the same starts with reports between them that arrive with the last', () => {
    const starts = [reported('start', { beganAt: at(6), beginning: true, readyAt: at(8), endedAt: at(11) })];
    const some = fc.array(
      fc.record({
        kind: fc.constantFrom(...START_KINDS),
        second: fc.integer({ min: 1, max: 12 }),
        podUid: fc.constantFrom(null, 'a', 'b'),
      }),
      { minLength: 2, maxLength: 8 },
    );
    const orders = some.chain((all) => {
      const events = all.map(({ kind, second, ...rest }) => event(kind, second, rest));
      return fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }));
    });
    fc.assert(
      fc.property(orders, ([events, arrived]) => {
        expect(after(arrived, starts).times).toEqual(after([...events].sort(byOccurrence), starts).times);
      }),
      { numRuns: inForm(375, 3_000) },
    );
  });
});
