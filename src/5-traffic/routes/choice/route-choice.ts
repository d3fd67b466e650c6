/** Why a target was chosen. */
export const DECISION_SOURCES = ['priority', 'classifier', 'preferred', 'fallback'] as const;
export type DecisionSource = (typeof DECISION_SOURCES)[number];

/** A target of a route as it is now. */
export interface Candidate {
  readonly profileId: string;
  readonly tier: string;
  /** A worker is there and takes requests: not while it is drained, or asked to be released. */
  readonly ready: boolean;
  /** Requests that all its replicas serve at a time. */
  readonly capacity: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** Requests that wait for it. */
  readonly queued: number;
  readonly maxQueueDepth: number;
  /** How long a request keeps a worker busy, as a rule. */
  readonly serviceMs: number;
  /**
   * How a target that is not ready comes up: a start of it is under way, or asked for (`coming`); it
   * could be asked for (`asleep`), or can be as soon as it is released (`leaving`); or not now
   * (`barred`: it has just failed, or nobody may ask for it).
   */
  readonly start: 'coming' | 'asleep' | 'leaving' | 'barred';
  /**
   * Until it is ready, as its starts were measured, or estimated;
   * until it is no longer barred. Null: nobody knows.
   */
  readonly readyInMs: number | null;
}

export interface RoutedRequest {
  /** Whom the caller would rather have. */
  readonly preferredProfileId?: string | null;
  /** What a classifier picked. */
  readonly tier?: string | null;
  /** How long it may wait; 0: not at all. */
  readonly timeLeftMs: number;
  /** Where it was tried in vain. */
  readonly tried?: ReadonlySet<string>;
}

export type Choice =
  | {
      readonly kind: 'serve';
      readonly profileId: string;
      readonly source: DecisionSource;
      /** The first of the order; whom the caller would rather have, where that one serves. */
      readonly meantFor: string;
      /** Another one than that serves. */
      readonly fallbackUsed: boolean;
      /** A better one that is asleep, to be asked for. */
      readonly wake: string | null;
    }
  | {
      readonly kind: 'wait';
      readonly profileId: string;
      readonly wake: string | null;
      /** When to look again, as far as that is known. */
      readonly retryAfterMs: number;
    }
  | {
      readonly kind: 'refuse';
      readonly reason: 'queue_full' | 'deadline' | 'no_target' | 'disabled';
      readonly wake: string | null;
      readonly retryAfterMs: number;
    };

/** Where nothing is known of how long it takes. */
const UNKNOWN_MS = 30_000;

/**
 * Decides where a request goes, for chat and for routers alike: to whom it prefers, else to the first
 * of the order that is ready and has room. Where a better one than that is asleep, it is asked for.
 * Where none is ready the request waits for the first that can be within its time, or is refused,
 * with the time after which it is worth another try.
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

/** The first that is asleep, unless one before it is on its way. */
function toWake(targets: readonly Candidate[]): string | null {
  for (const { ready, start, profileId } of targets) {
    if (!ready && start === 'coming') return null;
    if (!ready && start === 'asleep') return profileId;
  }
  return null;
}

function waitOrRefuse(left: readonly Candidate[], timeLeftMs: number): Choice {
  const mayServe = left.filter(
    (target) => timeLeftMs > 0 && !isBarred(target) && (target.ready || (target.readyInMs ?? 0) <= timeLeftMs),
  );
  // One that is being released is asked for when that is over: another one is there sooner.
  const hasRoomToWait = ({ queued, maxQueueDepth }: Candidate) => queued < maxQueueDepth;
  const waitsFor =
    mayServe.find((target) => hasRoomToWait(target) && !isLeaving(target)) ?? mayServe.find(hasRoomToWait);
  if (waitsFor) {
    const { ready, start, profileId } = waitsFor;
    const wake = !ready && start === 'asleep' ? profileId : null;
    return { kind: 'wait', profileId, wake, retryAfterMs: readyIn(waitsFor) ?? UNKNOWN_MS };
  }
  // Whoever tries again is to find one that is ready.
  const wake = left.some(({ ready }) => ready) ? null : toWake(left);
  const waits = left.map((target) => readyIn(target)).filter((ms) => ms !== null);
  const retryAfterMs = waits.length > 0 ? Math.min(...waits) : UNKNOWN_MS;
  const reason = left.every(isBarred) ? 'no_target' : mayServe.length > 0 ? 'queue_full' : 'deadline';
  return { kind: 'refuse', reason, wake, retryAfterMs };
}

const isLeaving = ({ ready, start }: Candidate): boolean => !ready && start === 'leaving';
const isBarred = ({ ready, start }: Candidate): boolean => !ready && start === 'barred';

/** Until a request that comes now is served: of one that is ready, when those before it are done. */
const readyIn = ({ ready, readyInMs, queued, inFlight, capacity, serviceMs }: Candidate): number | null =>
  ready ? Math.ceil((serviceMs * Math.max(queued + inFlight + 1 - capacity, 1)) / Math.max(capacity, 1)) : readyInMs;
