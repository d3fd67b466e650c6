import { isDeepStrictEqual } from 'node:util';

/** The effect of workers' lifecycle events on the starts of a profile. */

/** Events of a worker that is coming up. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'worker.scheduled',
  'worker.pulling',
  'worker.restoring',
  'worker.loading',
  'worker.warming',
  'restore.started',
]);

const KINDS: ReadonlySet<string> = new Set([
  ...BEGINNINGS,
  'restore.failed',
  'model.ready',
  'worker.failed',
  'worker.stopped',
]);

/** The kinds of events that can change a start. */
export const START_KINDS: readonly string[] = [...KINDS];

/** Whether an event of this kind can change a start. */
export const concernsStarts = (kind: string): boolean => KINDS.has(kind);

/** Whether an event of this kind can begin a start. */
export const isBeginning = (kind: string): boolean => BEGINNINGS.has(kind);

/** A worker that was ready may warm up again; an earlier phase belongs to another worker. */
const FIRST_STEPS: ReadonlySet<string> = new Set([...BEGINNINGS].filter((kind) => kind !== 'worker.warming'));

/** A worker that failed holds no node: whatever comes up in its pod later is another one. */
const AFTER_FAILURE: ReadonlySet<string> = new Set([...BEGINNINGS, 'model.ready']);

/**
 * Times of a start from controllers' reports, and from the end of a pod. They are kept apart from events,
 * because events are folded again.
 */
export interface ReportedMoments {
  readonly beganAt: Date | null;
  /** Whether it began with a phase of a worker that comes up. */
  readonly beginning: boolean;
  readonly readyAt: Date | null;
  readonly failedAt: Date | null;
  readonly endedAt: Date | null;
}

/** A start with all members that events can change. */
export interface KnownStart {
  readonly id: string;
  /** The event that began it; null if a report did. */
  readonly begunBy: string | null;
  readonly generation: number | null;
  readonly beganAt: Date;
  readonly beginningSeen: boolean;
  readonly readyAt: Date | null;
  readonly failedAt: Date | null;
  readonly endedAt: Date | null;
  readonly podUid: string | null;
  /** Of the event that began it, or that named its pod. */
  readonly clusterId: string | null;
  /** When an event named the pod of a start that had begun without one. */
  readonly podTakenAt: Date | null;
  readonly namedAt: Date | null;
  readonly restoreCheckpointPath: string | null;
  readonly artifactId: string | null;
  readonly restoreFailedAt: Date | null;
  readonly reported: ReportedMoments;
}

export interface WorkerEvent {
  readonly id: string;
  readonly kind: string;
  readonly occurredAt: Date;
  /** The pod of the worker, if the event names it. */
  readonly podUid: string | null;
  readonly clusterId: string;
  readonly generation: number | null;
  /** The checkpoint that the worker was started with, if the event names it. */
  readonly checkpoint: { readonly path: string | null; readonly artifactId: string | null } | null;
}

/** A pod that is gone. */
export interface GonePod {
  readonly podUid: string;
  readonly at: Date;
}

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one === null ? other : other === null || one <= other ? one : other;

const notBefore = (moment: Date, least: Date): Date => (moment < least ? least : moment);

/**
 * As the trigger `starts_ended_when_failed`: a worker that has failed holds no node any more, and one that
 * was ready later had not failed.
 */
function endedWhenFailed(start: KnownStart): KnownStart {
  const { readyAt, failedAt, endedAt, reported } = start;
  const outlived = (failure: Date | null) =>
    failure !== null && readyAt !== null && readyAt > failure ? null : failure;
  const failed = outlived(failedAt);
  return {
    ...start,
    failedAt: failed,
    endedAt: failed === null ? endedAt : endedAt && earliest(endedAt, failed),
    reported: { ...reported, failedAt: outlived(reported.failedAt) },
  };
}

/** In order of occurrence, and by id within a millisecond, so that every reader gets the same order. */
export const byOccurrence = (a: WorkerEvent, b: WorkerEvent): number =>
  a.occurredAt.getTime() - b.occurredAt.getTime() || (a.id < b.id ? -1 : 1);

/** Newest first. Ids of starts have no order: within a millisecond the events that began them decide. */
const byBeginning = (a: KnownStart, b: KnownStart): number =>
  b.beganAt.getTime() - a.beganAt.getTime() ||
  ((a.begunBy ?? '') === (b.begunBy ?? '') ? (a.id < b.id ? 1 : -1) : (a.begunBy ?? '') < (b.begunBy ?? '') ? 1 : -1);

export interface AfterEvent {
  readonly starts: readonly KnownStart[];
  /** The start that the event belongs to. */
  readonly of: string | null;
}

/**
 * The starts after an event that occurred after everything they were built from. An event belongs to the
 * start of its pod, else to the one in progress. A worker of another pod, or one that comes up after the
 * known one served or failed, is another start.
 * @param starts of the profile, in the order of `byBeginning`
 * @param goneAt when the pod of the event went, or its worker stopped: a start that begins later holds no
 * node
 */
export function afterEvent(
  starts: readonly KnownStart[],
  event: WorkerEvent,
  goneAt: Date | null,
  newId: () => string,
): AfterEvent {
  const mine = startOf(starts, event);
  if (mine) {
    const after = changed(mine, event);
    return { of: mine.id, starts: after === mine ? starts : starts.map((start) => (start === mine ? after : start)) };
  }
  if (!isBeginning(event.kind) && !isAfterFailure(newestOf(starts, event.podUid), event)) return { of: null, starts };
  const begun = begunBy(event, goneAt, newId());
  return { of: begun.id, starts: [begun, ...starts.map((start) => replacedBy(begun, start))].sort(byBeginning) };
}

function begunBy(event: WorkerEvent, goneAt: Date | null, id: string): KnownStart {
  const { occurredAt: beganAt, podUid, clusterId, generation } = event;
  // Of a pod that was not seen while it lived: it counts, and holds no node.
  const endedAt = goneAt && notBefore(goneAt, beganAt);
  const start: KnownStart = {
    id,
    begunBy: event.id,
    generation,
    beganAt,
    beginningSeen: event.kind === 'worker.scheduled',
    readyAt: event.kind === 'model.ready' ? beganAt : null,
    failedAt: null,
    endedAt,
    podUid,
    clusterId,
    podTakenAt: null,
    namedAt: null,
    restoreCheckpointPath: null,
    artifactId: null,
    restoreFailedAt: null,
    reported: { beganAt: null, beginning: false, readyAt: null, failedAt: null, endedAt: null },
  };
  return { ...start, ...checkpointOf(start, event) };
}

/** A worker that has failed, or that was in the same pod, holds no node any more when another one begins. */
function replacedBy(next: KnownStart, start: KnownStart): KnownStart {
  const samePod = next.podUid !== null && start.podUid === next.podUid;
  const failed = start.failedAt !== null && start.failedAt <= next.beganAt;
  if (start.endedAt !== null || (!failed && !samePod)) return start;
  return { ...start, endedAt: notBefore(start.failedAt ?? next.beganAt, start.beganAt) };
}

/** The start in progress at a time; undefined if there were none or several. */
function onlyInProgress(starts: readonly KnownStart[], at: Date): KnownStart | undefined {
  const isAfter = (moment: Date | null): boolean => moment === null || at <= moment;
  const [only, ...others] = starts.filter(
    ({ beganAt, readyAt, failedAt, endedAt }) =>
      beganAt <= at && isAfter(readyAt) && isAfter(failedAt) && isAfter(endedAt),
  );
  return others.length === 0 ? only : undefined;
}

const newestOf = (starts: readonly KnownStart[], podUid: string | null): KnownStart | undefined =>
  podUid === null ? undefined : starts.find((start) => start.podUid === podUid);

/** Of the pod of a start: it is about another worker in that pod. */
const isAfterFailure = (start: KnownStart | undefined, { kind, occurredAt }: WorkerEvent): boolean =>
  start !== undefined && start.failedAt !== null && occurredAt > start.failedAt && AFTER_FAILURE.has(kind);

function startOf(starts: readonly KnownStart[], event: WorkerEvent): KnownStart | undefined {
  const { kind, occurredAt: at, podUid } = event;
  if (kind === 'model.ready' && podUid === null) return onlyInProgress(starts, at);
  const ofPod = newestOf(starts, podUid);
  // A worker that ended may come up again in its pod.
  const comesUpAgain = ofPod && ofPod.endedAt !== null && at > ofPod.endedAt && FIRST_STEPS.has(kind);
  if (ofPod && !comesUpAgain && !isAfterFailure(ofPod, event)) return ofPod;
  // A worker that comes up in an unknown pod may be the one that a report began. A worker that ends may be an
  // earlier one.
  if (podUid !== null && !isBeginning(kind) && kind !== 'model.ready') return undefined;
  const underWay = starts.find(
    (start) =>
      (podUid === null || start.podUid === null) &&
      start.beganAt <= at &&
      (start.endedAt === null || at < start.endedAt),
  );
  const served = underWay && [underWay.readyAt, underWay.failedAt].some((moment) => moment !== null && at > moment);
  return served && FIRST_STEPS.has(kind) ? undefined : underWay;
}

/** @returns the same start if the event does not change it */
function changed(start: KnownStart, event: WorkerEvent): KnownStart {
  const { kind, occurredAt: at, podUid, clusterId } = event;
  const change: Partial<{ -readonly [K in keyof KnownStart]: KnownStart[K] }> = {};
  if (start.podUid === null && podUid !== null) Object.assign(change, { podUid, podTakenAt: at, clusterId });
  if (kind === 'worker.scheduled' && !start.beginningSeen) change.beginningSeen = true;
  if (start.namedAt === null || at >= start.namedAt) Object.assign(change, checkpointOf(start, event));
  // The first time of each kind counts: a report may have been earlier.
  const isFirst = (known: Date | null): boolean => known === null || at < known;
  if (kind === 'model.ready' && at >= start.beganAt && isFirst(start.readyAt)) change.readyAt = at;
  if (kind === 'worker.failed' && isFirst(start.failedAt)) change.failedAt = notBefore(at, start.beganAt);
  if (kind === 'worker.stopped' && at >= start.beganAt && isFirst(start.endedAt)) change.endedAt = at;
  if (kind === 'restore.failed' && (start.restoreFailedAt === null || at > start.restoreFailedAt))
    change.restoreFailedAt = at;
  return Object.keys(change).length === 0 ? start : endedWhenFailed({ ...start, ...change });
}

/** An event may name the path or the artifact alone: the other stays if it is the same checkpoint. */
function checkpointOf(
  { restoreCheckpointPath: path, artifactId }: Pick<KnownStart, 'restoreCheckpointPath' | 'artifactId'>,
  { checkpoint, occurredAt }: WorkerEvent,
): Partial<KnownStart> {
  if (checkpoint === null) return {};
  return {
    namedAt: occurredAt,
    restoreCheckpointPath:
      checkpoint.path ?? (artifactId === null || artifactId === checkpoint.artifactId ? path : null),
    artifactId: checkpoint.artifactId ?? (path === null || path === checkpoint.path ? artifactId : null),
  };
}

/** The input of a fold. */
export interface StartHistory {
  /** Starts as they are stored. */
  readonly starts: readonly KnownStart[];
  /** Every stored event since `since`, of the profile or of one pod, that concerns starts. */
  readonly events: readonly WorkerEvent[];
  readonly since: Date;
  readonly gone: GonePod | null;
}

/**
 * The starts that the events since a time result in, folded in order of occurrence, so that the order of
 * arrival makes no difference. Reports are merged by their times. Starts whose beginning is not among the
 * events stay. A stored start keeps its id if the event that began it is in it, or if a report began it.
 */
export function foldStarts({ starts, events, since, gone }: StartHistory, newId: () => string): readonly KnownStart[] {
  const fold = new Fold(newId);
  const stored = { ids: new Set(events.map(({ id }) => id)), pods: new Set(events.map(({ podUid }) => podUid)) };
  for (const start of starts) fold.add(start, since, stored);
  for (const event of events) fold.addEvent(event, gone);
  return fold.run();
}

/** Comes first within a millisecond. */
const ORDER = ['stands', 'event', 'ended', 'begins', 'ready', 'failed', 'ended at once'] as const;

interface Entry {
  readonly at: Date;
  readonly order: number;
  readonly event: WorkerEvent | null;
  readonly run: () => void;
}

class Fold {
  private states: readonly KnownStart[] = [];
  private readonly entries: Entry[] = [];
  /**
   * Ids of the starts in the fold, by the event that is in them, and by the stored start that they continue.
   */
  private readonly ofEvent = new Map<string, string>();
  private readonly ofStart = new Map<string, string>();
  /**
   * The stored start that each start of the fold continues, and stored starts that a report began or that
   * stay.
   */
  private readonly bound = new Set<string>();
  private readonly stored: KnownStart[] = [];
  private readonly stopped = new Set<string>();

  constructor(private readonly newId: () => string) {}

  add(
    start: KnownStart,
    since: Date,
    events: { readonly ids: ReadonlySet<string>; readonly pods: ReadonlySet<string | null> },
  ): void {
    this.stored.push(start);
    const { begunBy, reported, podUid } = start;
    const isLost =
      (begunBy === null ? reported.beganAt === null : !events.ids.has(begunBy)) ||
      (podUid !== null && !events.pods.has(podUid));
    const isOlder = start.beganAt < since;
    if (!isLost && !isOlder) {
      if (reported.beganAt) this.entry('begins', reported.beganAt, () => this.begin(start));
      this.moments(start, reported);
      return;
    }
    const isKnown = (moment: Date | null): moment is Date => moment !== null && (isLost || moment < since);
    const ifKnown = (moment: Date | null) => (isKnown(moment) ? moment : null);
    this.entry('stands', start.beganAt, () => {
      const keepsCheckpoint = isKnown(start.namedAt) || start.namedAt === null;
      this.ofStart.set(start.id, start.id);
      this.bound.add(start.id);
      this.put({
        ...start,
        readyAt: null,
        failedAt: null,
        endedAt: null,
        ...(start.podTakenAt === null || isKnown(start.podTakenAt)
          ? {}
          : { podUid: null, podTakenAt: null, clusterId: null }),
        namedAt: ifKnown(start.namedAt),
        restoreCheckpointPath: keepsCheckpoint ? start.restoreCheckpointPath : null,
        artifactId: keepsCheckpoint ? start.artifactId : null,
        restoreFailedAt: ifKnown(start.restoreFailedAt),
      });
    });
    this.moments(start, {
      ...reported,
      readyAt: earliest(ifKnown(start.readyAt), reported.readyAt),
      failedAt: earliest(ifKnown(start.failedAt), reported.failedAt),
      endedAt: earliest(ifKnown(start.endedAt), reported.endedAt),
    });
  }

  addEvent(event: WorkerEvent, gone: GonePod | null): void {
    const { podUid } = event;
    const run = () => {
      const pod = gone !== null && gone.podUid === podUid ? gone.at : null;
      const goneAt = podUid !== null && this.stopped.has(podUid) ? event.occurredAt : pod;
      const { starts, of } = afterEvent(this.states, event, goneAt, this.newId);
      this.states = starts;
      if (of !== null) this.ofEvent.set(event.id, of);
      const begun = pod && starts.find((start) => start.begunBy === event.id);
      if (begun) this.put({ ...begun, reported: { ...begun.reported, endedAt: notBefore(pod, begun.beganAt) } });
      if (event.kind === 'worker.stopped' && podUid !== null) this.stopped.add(podUid);
    };
    this.entries.push({ at: event.occurredAt, order: ORDER.indexOf('event'), event, run });
  }

  run(): readonly KnownStart[] {
    const inOrder = this.entries.sort(
      (a, b) =>
        a.at.getTime() - b.at.getTime() ||
        a.order - b.order ||
        (a.event && b.event ? (a.event.id < b.event.id ? -1 : 1) : 0),
    );
    for (const { run } of inOrder) run();
    return this.identified();
  }

  private entry(order: (typeof ORDER)[number], at: Date, run: () => void): void {
    this.entries.push({ at, order: ORDER.indexOf(order), event: null, run });
  }

  /** What a stored start contains besides the folded events. */
  private moments(start: KnownStart, { readyAt, failedAt, endedAt, beganAt }: ReportedMoments): void {
    const mark = (kind: 'readyAt' | 'failedAt' | 'endedAt', at: Date) => () => {
      const state = this.stateOf(start);
      if (state) this.put(endedWhenFailed({ ...state, [kind]: earliest(state[kind], notBefore(at, state.beganAt)) }));
    };
    if (readyAt) this.entry('ready', readyAt, mark('readyAt', readyAt));
    if (failedAt) this.entry('failed', failedAt, mark('failedAt', failedAt));
    if (!endedAt) return;
    const atOnce = endedAt <= (beganAt ?? start.beganAt);
    this.entry(atOnce ? 'ended at once' : 'ended', endedAt, mark('endedAt', endedAt));
  }

  /** A report that begins a start belongs to the worker that events announced, if there was one. */
  private begin(start: KnownStart): void {
    const { reported } = start;
    const beganAt = reported.beganAt ?? start.beganAt;
    const open = this.states.filter(
      ({ id, failedAt, endedAt }) => !this.bound.has(id) && failedAt === null && endedAt === null,
    );
    // Only a start stored before the folded events has a pod that they do not name.
    const pod = start.begunBy === null && start.podTakenAt === null ? start.podUid : null;
    const state =
      open.find(({ podUid }) => podUid !== null && podUid === pod) ??
      open.find(({ readyAt }) => readyAt !== null) ??
      open.at(-1);
    const id = state?.id ?? this.newId();
    this.ofStart.set(start.id, id);
    this.bound.add(id);
    const checkpoint = start.namedAt === null ? start : { restoreCheckpointPath: null, artifactId: null };
    const { beginning: beginningSeen } = reported;
    this.put(
      state
        ? { ...state, beginningSeen: state.beginningSeen || beginningSeen }
        : {
            ...start,
            id,
            begunBy: null,
            beganAt,
            beginningSeen,
            readyAt: null,
            failedAt: null,
            endedAt: null,
            podUid: null,
            podTakenAt: null,
            clusterId: null,
            namedAt: null,
            restoreCheckpointPath: checkpoint.restoreCheckpointPath,
            artifactId: checkpoint.artifactId,
            restoreFailedAt: null,
          },
    );
  }

  private stateOf({ id, begunBy }: KnownStart): KnownStart | undefined {
    const known = this.ofStart.get(id) ?? (begunBy === null ? undefined : this.ofEvent.get(begunBy));
    return known === undefined ? undefined : this.states.find((state) => state.id === known);
  }

  private put(state: KnownStart): void {
    const place = this.states.findIndex(({ id }) => id === state.id);
    // The beginning never changes within a fold.
    this.states = place < 0 ? [state, ...this.states].sort(byBeginning) : this.states.with(place, state);
  }

  /** With the ids of the stored starts, and with their reported times. */
  private identified(): readonly KnownStart[] {
    const of = new Map<string, KnownStart[]>();
    for (const start of this.stored) {
      const state = this.stateOf(start);
      if (state) of.set(state.id, [...(of.get(state.id) ?? []), start]);
    }
    return this.states.map((state) => {
      const known = of.get(state.id) ?? [];
      // A start that a report began may be current, and may have been credited.
      const first = known.find(({ reported }) => reported.beganAt !== null) ?? known.at(-1);
      if (!first) return state;
      const reported = known.map((one) => one.reported).reduce(together, state.reported);
      // The checkpoint named by its pod counts if no event names one.
      const unnamed = state.namedAt === null && first.namedAt === null;
      const { restoreCheckpointPath, artifactId } = unnamed ? first : state;
      const { id, generation } = first;
      return endedWhenFailed({ ...state, id, generation, restoreCheckpointPath, artifactId, reported });
    });
  }
}

const together = (one: ReportedMoments, other: ReportedMoments): ReportedMoments => ({
  beganAt: earliest(one.beganAt, other.beganAt),
  beginning: one.beginning || other.beginning,
  readyAt: earliest(one.readyAt, other.readyAt),
  failedAt: earliest(one.failedAt, other.failedAt),
  endedAt: earliest(one.endedAt, other.endedAt),
});

/** The writes that turn the stored starts into others. */
export interface StartDifference {
  readonly saved: readonly KnownStart[];
  readonly removed: readonly string[];
  /** Whether what decides on reports changes: whether a start exists, was ready, has failed, and its pod. */
  readonly changesCourse: boolean;
}

export function differenceOf(before: readonly KnownStart[], after: readonly KnownStart[]): StartDifference {
  const known = new Map(before.map((start) => [start.id, start]));
  const kept = new Set(after.map(({ id }) => id));
  const saved = after.filter((start) => {
    const one = known.get(start.id);
    return one === undefined || !isDeepStrictEqual(one, start);
  });
  const removed = before.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  const course = (start: KnownStart | undefined) =>
    start && [
      start.podUid,
      ...[start.readyAt, start.failedAt, start.endedAt, start.beganAt].map((moment) => moment?.getTime()),
    ];
  const moves = saved.some((start) => String(course(known.get(start.id))) !== String(course(start)));
  return { saved, removed, changesCourse: moves || removed.length > 0 };
}

/** The other stored events, seen from one event. */
export interface Standing {
  /** A later event of its pod, or without a pod, is stored. */
  readonly ownLater: boolean;
  /** A later event of its profile is stored. */
  readonly anyLater: boolean;
  /** Its pod was reported to have stopped: before the event, or at any time. */
  readonly stoppedBefore: boolean;
  readonly stopped: boolean;
}

/**
 * The starts after an event, if it can simply be added: if no stored event would have had another effect
 * after it. @returns undefined if all must be folded again
 */
export function addedTo(
  starts: readonly KnownStart[],
  event: WorkerEvent,
  { ownLater, anyLater, stoppedBefore }: Standing,
  gone: GonePod | null,
  newId: () => string,
): readonly KnownStart[] | undefined {
  const { occurredAt: at, podUid, kind } = event;
  if (ownLater || (podUid === null && anyLater)) return undefined;
  const isLater = ({ beganAt, readyAt, failedAt, endedAt }: ReportedMoments) =>
    [beganAt, readyAt, failedAt, endedAt].some((moment) => moment !== null && moment >= at);
  if (starts.some(({ reported }) => isLater(reported))) return undefined;
  if (anyLater) {
    // Later events of other pods do not depend on this one if it concerns only a start of its own pod.
    const isShared = (start: KnownStart) =>
      start.podUid === null || start.podTakenAt !== null || start.begunBy === null || start.reported.beganAt !== null;
    // A failed start ends when another one begins.
    const isFailed = ({ failedAt, endedAt, podUid: pod }: KnownStart) =>
      failedAt !== null && (endedAt === null || endedAt >= at || pod === podUid);
    if (kind === 'worker.failed' || starts.some((start) => isShared(start) || isFailed(start))) return undefined;
  }
  const known = [...starts].sort(byBeginning);
  const { starts: after } = afterEvent(known, event, stoppedBefore ? at : (gone?.at ?? null), newId);
  if (gone === null) return after;
  return after.map((start) =>
    start.begunBy === event.id ? { ...start, reported: { ...start.reported, endedAt: start.endedAt } } : start,
  );
}
