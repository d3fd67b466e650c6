/** Why a target was chosen. */
export const DECISION_SOURCES = ['priority', 'classifier', 'preferred', 'fallback'] as const;
export type DecisionSource = (typeof DECISION_SOURCES)[number];

/** A target of a route in its present state. */
export interface Candidate {
  readonly profileId: string;
  readonly tier: string;
  /** A worker is ready and takes requests: not while it is drained, or requested to be released. */
  readonly ready: boolean;
  /** Concurrent requests of all its replicas. */
  readonly capacity: number;
  /** Requests in flight. */
  readonly inFlight: number;
  /** Requests that wait for it. */
  readonly queued: number;
  readonly maxQueueDepth: number;
  /** How long a request usually keeps a worker busy. */
  readonly serviceMs: number;
  /**
   * How a target that is not ready can come up: it is starting or requested (`coming`); it can be requested
   * (`asleep`), or once it is released (`leaving`); or not now (`barred`: it has just failed, or may not be
   * requested).
   */
  readonly start: 'coming' | 'asleep' | 'leaving' | 'barred';
  /**
   * Time until it is ready, by measured starts or the estimate; until it is no longer barred. Null: unknown.
   */
  readonly readyInMs: number | null;
  /** Its start takes so long that it may never be ready: nobody should rely on it. */
  readonly overdue: boolean;
}

export interface RoutedRequest {
  /** The profile that the caller prefers. */
  readonly preferredProfileId?: string | null;
  /** The tier that a classifier picked. */
  readonly tier?: string | null;
  /** How long it may wait; 0: not at all. */
  readonly timeLeftMs: number;
  /** Targets all of whose workers were tried without success. */
  readonly tried?: ReadonlySet<string>;
}

export type Choice =
  | {
      readonly kind: 'serve';
      readonly profileId: string;
      readonly source: DecisionSource;
      /** The first of the order; the preferred one, if that serves. */
      readonly meantFor: string;
      /** Another one than that serves. */
      readonly fallbackUsed: boolean;
      /** A better target that is asleep, to be requested. */
      readonly wake: string | null;
    }
  | {
      readonly kind: 'wait';
      readonly profileId: string;
      readonly wake: string | null;
      /** When to look again, as far as it is known. */
      readonly retryAfterMs: number;
    }
  | {
      readonly kind: 'refuse';
      readonly reason: 'queue_full' | 'deadline' | 'no_target' | 'disabled';
      /** For `queue_full`: the target for which it would wait. */
      readonly full: string | null;
      readonly wake: string | null;
      readonly retryAfterMs: number;
    };

/** The default for an unknown time. */
const UNKNOWN_MS = 30_000;
/** A start that may end at any moment is asked for again after this time at the earliest. */
const COMING_MS = 1_000;

/**
 * Decides where a request goes, for chat and for routers alike: to the preferred target, else to the first of
 * the order that is ready and has room. A better one that is asleep is requested. If none is ready, the
 * request waits for the first that can be ready within its time, or is refused, with the time after which to
 * retry.
 *
 * @param targets in the order of their priorities
 */
export function choose(targets: readonly Candidate[], request: RoutedRequest): Choice {
  const { preferredProfileId, tier, timeLeftMs, tried } = request;
  const order = tier == null ? targets : [...targets.filter(of(tier)), ...targets.filter((one) => !of(tier)(one))];
  const left = order.filter(({ profileId }) => !tried?.has(profileId));

  const preferred = left.find(({ profileId }) => profileId === preferredProfileId);
  if (preferred && hasRoom(preferred)) {
    const { profileId } = preferred;
    return { kind: 'serve', profileId, source: 'preferred', meantFor: profileId, fallbackUsed: false, wake: null };
  }
  const serves = left.find(hasRoom);
  if (serves) {
    const first = order[0] ?? serves;
    const fallbackUsed = serves !== first;
    const source = fallbackUsed ? 'fallback' : tier != null && serves.tier === tier ? 'classifier' : 'priority';
    const better = left.slice(0, left.indexOf(serves));
    const meantFor = first.profileId;
    return { kind: 'serve', profileId: serves.profileId, source, meantFor, fallbackUsed, wake: toWake(better) };
  }
  return waitOrRefuse(left, timeLeftMs);
}

const of =
  (tier: string) =>
  (target: Candidate): boolean =>
    target.tier === tier;

const hasRoom = ({ ready, inFlight, capacity }: Candidate): boolean => ready && inFlight < capacity;

/** The first that is asleep, unless an earlier one is coming in time. */
function toWake(targets: readonly Candidate[]): string | null {
  for (const { ready, start, overdue, profileId } of targets) {
    if (!ready && start === 'coming' && !overdue) return null;
    if (!ready && start === 'asleep') return profileId;
  }
  return null;
}

function waitOrRefuse(left: readonly Candidate[], timeLeftMs: number): Choice {
  const mayServe = left.filter(
    (target) => timeLeftMs > 0 && !isBarred(target) && (target.ready || (target.readyInMs ?? 0) <= timeLeftMs),
  );
  const open = mayServe.filter(({ queued, maxQueueDepth }) => queued < maxQueueDepth);
  const waitsFor = bestOf(open);
  if (waitsFor) {
    const { ready, start, profileId } = waitsFor;
    const wake = isOverdue(waitsFor) ? toWake(left) : !ready && start === 'asleep' ? profileId : null;
    return { kind: 'wait', profileId, wake, retryAfterMs: readyIn(waitsFor) ?? UNKNOWN_MS };
  }
  // A retry must find one that is ready.
  const wake = left.some(({ ready }) => ready) ? null : toWake(left);
  const waits = left.map((target) => readyIn(target)).filter((ms) => ms !== null);
  const retryAfterMs = waits.length > 0 ? Math.min(...waits) : UNKNOWN_MS;
  const reason = left.every(isBarred) ? 'no_target' : mayServe.length > 0 ? 'queue_full' : 'deadline';
  return { kind: 'refuse', reason, full: bestOf(mayServe)?.profileId ?? null, wake, retryAfterMs };
}

/**
 * A target being released is requested when that is over: another one is ready sooner. One that is overdue
 * may never be ready.
 */
const bestOf = (targets: readonly Candidate[]): Candidate | undefined =>
  targets.find((target) => !isLeaving(target) && !isOverdue(target)) ??
  targets.find((target) => !isLeaving(target)) ??
  targets[0];

const isLeaving = ({ ready, start }: Candidate): boolean => !ready && start === 'leaving';
const isOverdue = ({ ready, start, overdue }: Candidate): boolean => !ready && start === 'coming' && overdue;
const isBarred = ({ ready, start }: Candidate): boolean => !ready && start === 'barred';

/** Time until a request that arrives now is served: at a ready one, when earlier requests have ended. */
function readyIn({ ready, start, readyInMs, queued, inFlight, capacity, serviceMs }: Candidate): number | null {
  if (ready) return Math.ceil((serviceMs * Math.max(queued + inFlight + 1 - capacity, 1)) / Math.max(capacity, 1));
  return start === 'coming' && readyInMs !== null ? Math.max(readyInMs, COMING_MS) : readyInMs;
}
