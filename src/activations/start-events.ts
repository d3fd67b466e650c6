/** What the lifecycle events of workers mean to the starts of a profile. */

/** Events of a worker that is coming up. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'worker.scheduled',
  'worker.pulling',
  'worker.restoring',
  'worker.loading',
  'worker.warming',
  'restore.started',
]);

/** Other events that mean something to a start. */
const OTHERS: ReadonlySet<string> = new Set(['restore.failed', 'model.ready', 'worker.failed', 'worker.stopped']);

/** Events that begin no start. One that arrives before the start it belongs to is looked at again when that one begins. */
export const LATER_KINDS: readonly string[] = [...OTHERS];

/** Whether an event of the kind can mean anything to a start. */
export const concernsStarts = (kind: string): boolean => BEGINNINGS.has(kind) || OTHERS.has(kind);

/** A worker that was ready may warm up again; anything earlier is another worker's. */
const FIRST_STEPS: ReadonlySet<string> = new Set([...BEGINNINGS].filter((kind) => kind !== 'worker.warming'));

export interface KnownStart {
  readonly id: string;
  readonly beganAt: Date;
  readonly readyAt: Date | null;
  readonly failedAt: Date | null;
  readonly endedAt: Date | null;
  readonly toldAt: Date | null;
  readonly podUid: string | null;
}

export interface WorkerEvent {
  readonly kind: string;
  readonly occurredAt: Date;
  /** Of the pod that the worker is, where it is told. */
  readonly podUid: string | null;
  /** When its pod is known to have gone, or to have stopped. */
  readonly goneAt: Date | null;
  /** The checkpoint that the worker was told to restore from, where the event says so. */
  readonly told: { readonly path: string | null; readonly artifactId: string | null } | null;
}

/** Columns of a start that an event sets. */
export interface StartChange {
  beganAt?: Date;
  beginningSeen?: true;
  readyAt?: Date;
  failedAt?: Date;
  endedAt?: Date;
  podUid?: string;
  toldAt?: Date;
  restoreCheckpointPath?: string;
  artifactId?: string;
  restoreFailedAt?: Date;
}

/** Columns of a start that an event begins. */
type Beginning = StartChange & { readonly beganAt: Date };

export type StartEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'begins'; readonly change: Beginning }
  | { readonly kind: 'changes'; readonly id: string; readonly change: StartChange };

/** An effect on a start that has an id: one that begins gets it here. */
export type IdentifiedEffect = Exclude<StartEffect, { kind: 'none' }> & { readonly id: string };

/**
 * All that an event does, so that events in any order of arrival leave the same. One that begins a start, or moves its beginning
 * back, makes those count that came before it and were of no start then.
 * @param starts as `effectOf` takes them
 * @param before gives the events of `LATER_KINDS` that arrived before, of the same pod or without one, from a moment on
 */
export async function effectsOf(
  starts: readonly KnownStart[],
  event: WorkerEvent,
  before: (since: Date) => Promise<readonly WorkerEvent[]>,
  newId: () => string,
): Promise<IdentifiedEffect[]> {
  const effects: IdentifiedEffect[] = [];
  let known = starts;
  const take = (one: WorkerEvent): StartChange | undefined => {
    const effect = effectOf(known, one);
    if (effect.kind === 'none') return undefined;
    const identified = effect.kind === 'begins' ? { ...effect, id: newId() } : effect;
    effects.push(identified);
    known = startsAfter(known, identified);
    return effect.change;
  };
  const beganAt = take(event)?.beganAt;
  if (beganAt !== undefined) for (const one of await before(beganAt)) take(one);
  return effects;
}

const EMPTY = { readyAt: null, failedAt: null, endedAt: null, toldAt: null, podUid: null };

/** The starts once an effect is written: as the statements do it. */
function startsAfter(starts: readonly KnownStart[], { kind, id, change }: IdentifiedEffect): readonly KnownStart[] {
  const before = starts.find((start) => start.id === id) ?? { id, beganAt: change.beganAt ?? new Date(NaN), ...EMPTY };
  const { beganAt = before.beganAt, toldAt = before.toldAt, podUid = before.podUid } = change;
  const notBefore = (moment: Date | undefined, known: Date | null): Date | null =>
    moment === undefined ? known : moment < beganAt ? beganAt : moment;
  const after: KnownStart = {
    id,
    beganAt,
    toldAt,
    podUid,
    readyAt: notBefore(change.readyAt, before.readyAt),
    failedAt: notBefore(change.failedAt, before.failedAt),
    endedAt: notBefore(change.endedAt, before.endedAt),
  };
  // Whoever begins in a pod, or after one that failed, takes the place of those before.
  const others = starts
    .filter((start) => start.id !== id)
    .map((start) => (kind === 'begins' ? replacedBy(after, start) : start));
  return [...others, after].sort((a, b) => b.beganAt.getTime() - a.beganAt.getTime() || (a.id < b.id ? 1 : -1));
}

function replacedBy(next: KnownStart, start: KnownStart): KnownStart {
  const samePod = next.podUid !== null && start.podUid === next.podUid;
  if (start.endedAt !== null || (start.failedAt === null && !samePod)) return start;
  const endedAt = start.failedAt ?? next.beganAt;
  return { ...start, endedAt: endedAt < start.beganAt ? start.beganAt : endedAt };
}

/**
 * What an event does, whenever it arrives: it belongs to the start of its pod, else to the one that was under way when it
 * occurred. A worker of another pod, or one that comes up after the known one served or failed, is a start of its own.
 * @param starts of the profile, the newest first
 */
export function effectOf(starts: readonly KnownStart[], event: WorkerEvent): StartEffect {
  const mine = startOf(starts, event);
  if (mine) return changed(mine, event);
  if (isReadyOfAnyPod(event)) return { kind: 'none' };
  if (!BEGINNINGS.has(event.kind) || isPast(starts, event)) return { kind: 'none' };
  const change: Beginning = { beganAt: event.occurredAt, ...toldBy(event), ...podOf(event) };
  // Of a pod that was never heard of while it lived: it counts, and holds nothing.
  if (event.goneAt !== null) change.endedAt = event.goneAt;
  return { kind: 'begins', change: event.kind === 'worker.scheduled' ? { ...change, beginningSeen: true } : change };
}

const isReadyOfAnyPod = ({ kind, podUid }: WorkerEvent): boolean => kind === 'model.ready' && podUid === null;

/** The start that was in progress at a moment; undefined where there were none or several. */
function onlyInProgress(starts: readonly KnownStart[], at: Date): KnownStart | undefined {
  const isAfter = (moment: Date | null): boolean => moment === null || at <= moment;
  const [only, ...others] = starts.filter(
    ({ beganAt, readyAt, failedAt, endedAt }) =>
      beganAt <= at && isAfter(readyAt) && isAfter(failedAt) && isAfter(endedAt),
  );
  return others.length === 0 ? only : undefined;
}

function startOf(starts: readonly KnownStart[], event: WorkerEvent): KnownStart | undefined {
  const { kind, occurredAt: at, podUid } = event;
  if (isReadyOfAnyPod(event)) return onlyInProgress(starts, at);
  const ofPod = podUid === null ? undefined : starts.find((start) => start.podUid === podUid);
  // A worker that failed may come up again in its pod.
  const isOver = ofPod && [ofPod.failedAt, ofPod.endedAt].some((moment) => moment !== null && at > moment);
  if (ofPod && !(isOver && FIRST_STEPS.has(kind))) return ofPod;
  // A worker that nobody has heard of may be the one that reports speak of, when it comes up; when it ends it may be one before.
  if (podUid !== null && !BEGINNINGS.has(kind) && kind !== 'model.ready') return undefined;
  const possible = starts.filter((start) => podUid === null || start.podUid === null);
  const underWay = possible.find(({ beganAt, endedAt }) => beganAt <= at && (endedAt === null || at < endedAt));
  if (underWay) {
    const over = [underWay.readyAt, underWay.failedAt].some((moment) => moment !== null && at > moment);
    return over && FIRST_STEPS.has(kind) ? undefined : underWay;
  }
  // Told of after the report that it is the cause of; not so early that it is of the start before.
  const next = possible.findLast(({ beganAt }) => beganAt > at);
  const before = starts.find(({ beganAt }) => beganAt <= at);
  const free = before === undefined || (before.endedAt !== null && before.endedAt <= at);
  return BEGINNINGS.has(kind) && free ? next : undefined;
}

/** Of a worker that is gone: what is told of it so late begins nothing. Of a pod it is known whether it is gone. */
const isPast = (starts: readonly KnownStart[], { occurredAt, podUid }: WorkerEvent): boolean =>
  podUid === null &&
  starts.some(({ beganAt, endedAt }) => occurredAt < beganAt || (endedAt !== null && occurredAt < endedAt));

function changed(start: KnownStart, event: WorkerEvent): StartEffect {
  const { kind, occurredAt: at } = event;
  const change: StartChange = start.podUid === null ? podOf(event) : {};
  if (kind === 'worker.scheduled') change.beginningSeen = true;
  if (BEGINNINGS.has(kind) && at < start.beganAt) change.beganAt = at;
  if (start.toldAt === null || at >= start.toldAt) Object.assign(change, toldBy(event));
  // The first moment of each kind counts, whichever arrived first.
  const isFirst = (known: Date | null): boolean => known === null || at < known;
  if (kind === 'model.ready' && at >= start.beganAt && isFirst(start.readyAt)) change.readyAt = at;
  if (kind === 'restore.failed') change.restoreFailedAt = at;
  if (kind === 'worker.failed' && isFirst(start.failedAt)) change.failedAt = at;
  if (kind === 'worker.stopped' && at >= start.beganAt && isFirst(start.endedAt)) change.endedAt = at;
  return Object.keys(change).length === 0 ? { kind: 'none' } : { kind: 'changes', id: start.id, change };
}

const podOf = ({ podUid }: WorkerEvent): StartChange => (podUid === null ? {} : { podUid });

/** What an event does not name, another one may have. */
const toldBy = ({ told, occurredAt }: WorkerEvent): StartChange =>
  told === null
    ? {}
    : {
        toldAt: occurredAt,
        ...(told.path === null ? {} : { restoreCheckpointPath: told.path }),
        ...(told.artifactId === null ? {} : { artifactId: told.artifactId }),
      };

/** Whether a change is one of what reports are decided on: whether the start is there, was ready, has failed. */
export const changesCourse = ({ readyAt, failedAt, endedAt }: StartChange): boolean =>
  readyAt !== undefined || failedAt !== undefined || endedAt !== undefined;
