import { Injectable } from '@nestjs/common';
import { ProfileLoads } from './profile-loads';
import type { RoutedProfile, RoutedWorker } from './routing-table';
import { chooseWorker } from './worker-choice';
import { recentlyUsed } from '../../../1-platform/common/work/recently-used';

/** A worker that failed is passed over for this long, unless all others failed too. */
const FAILED_STANDS_MS = 5_000;
/** The same for a worker that cannot be reached and whose controller is silent: it is probably gone. */
const LOST_STANDS_MS = 30_000;
const MAX_FAILED = 10_000;

/** Of a worker, or of the one address of all replicas of a profile; unique within an organisation. */
export const workerKey = ({ profileId }: RoutedProfile, { uid }: RoutedWorker): string => uid ?? `of ${profileId}`;

/** Uids are reported, so other organisations may have the same. */
const failedKey = (orgId: string, { profileId }: RoutedProfile, key: string): string =>
  `${orgId}\t${key}\t${profileId}`;

/** A worker with its load. */
interface LoadedWorker {
  readonly key: string;
  readonly worker: RoutedWorker;
  readonly capacity: number;
  readonly inFlight: number;
}

/** What the workers of a profile that may serve can take. */
export interface Room {
  /** Each ready worker was tried. */
  readonly isTried: boolean;
  /** For how long the profile counts as lost; 0 if it does not: see `lostMs`. */
  readonly lostMs: number;
  readonly capacity: number;
  readonly inFlight: number;
}

/** A ready worker at this moment. */
export interface WorkerOutlook {
  readonly worker: RoutedWorker;
  readonly inFlight: number;
  /** For how long this replica passes it over, because it failed. */
  readonly passedOverMs: number;
}

/** A place at a worker. Others do not get it until it is left. */
export interface Place {
  readonly worker: RoutedWorker;
  /** Its request is admitted: from then on it uses the profile. */
  begin(): void;
  leave(): void;
}

/** The last answer of a worker was an error. It ends when the worker answers a request, or after a while. */
export interface Doubt {
  readonly worker: string;
}

/** Places at the workers of profiles. */
@Injectable()
export class WorkerSeats {
  private readonly failed = recentlyUsed<'failed' | 'unreached'>({ most: MAX_FAILED, ttl: FAILED_STANDS_MS });
  /** Workers whose last answer was an error for which the request itself may be the reason. */
  private readonly doubted = recentlyUsed<Doubt>({ most: MAX_FAILED, ttl: FAILED_STANDS_MS });
  private turn = 0;

  constructor(private readonly loads: ProfileLoads) {}

  room(orgId: string, profile: RoutedProfile, tried: ReadonlySet<string> | undefined): Room {
    let capacity = 0;
    let inFlight = 0;
    const lostMs = this.lostMs(orgId, profile);
    const workers = lostMs > 0 ? [] : this.usable(orgId, profile, tried);
    for (const worker of workers) {
      capacity += worker.capacity;
      // A worker that got more than its share leaves the places of the others free.
      inFlight += workers.length === 1 ? worker.inFlight : Math.min(worker.inFlight, worker.capacity);
    }
    return { isTried: profile.ready && lostMs === 0 && workers.length === 0, lostMs, capacity, inFlight };
  }

  /**
   * A place at the worker for the next request.
   * @param recent the worker that has the conversation in its cache, by `workerKey`
   * @returns undefined if no worker may serve
   */
  take(orgId: string, profile: RoutedProfile, tried?: ReadonlySet<string>, recent?: string): Place | undefined {
    const worker = this.next(orgId, profile, tried, recent);
    if (!worker) return undefined;
    const { profileId } = profile;
    const { uid } = worker;
    this.loads.holds(orgId, profileId, uid);
    let state: 'held' | 'begun' | 'left' = 'held';
    const begin = () => {
      if (state !== 'held') return;
      state = 'begun';
      this.loads.began(orgId, profileId, uid);
    };
    const leave = () => {
      if (state === 'held') this.loads.letsGo(orgId, profileId, uid);
      if (state === 'begun') this.loads.ended(orgId, profileId, uid);
      state = 'left';
    };
    return { worker, begin, leave };
  }

  /** The worker that `take` would choose, for a request that is not sent from here. It takes no place. */
  next(orgId: string, profile: RoutedProfile, tried?: ReadonlySet<string>, recent?: string): RoutedWorker | undefined {
    return chooseWorker(this.usable(orgId, profile, tried), recent, this.turn++)?.worker;
  }

  /** Each ready worker, also one that is passed over. */
  all(orgId: string, profile: RoutedProfile): WorkerOutlook[] {
    const { profileId, workers } = profile;
    return workers.map((worker) => ({
      worker,
      inFlight: this.loads.inFlight(orgId, profileId, worker.uid),
      passedOverMs: this.passedOverMs(orgId, profile, worker),
    }));
  }

  /** Requests go to others for a while. @param unreached it had no connection */
  drop(orgId: string, profile: RoutedProfile, worker: RoutedWorker, unreached: boolean): void {
    const key = failedKey(orgId, profile, workerKey(profile, worker));
    const ttl = unreached && profile.silent ? LOST_STANDS_MS : FAILED_STANDS_MS;
    this.failed.set(key, unreached ? 'unreached' : 'failed', { ttl });
  }

  /**
   * It answered an error for which the request may be the reason. For a while, retries go to others. First
   * attempts go on reaching it, so no caller takes it from the others.
   * @returns the doubt, which is the same one until the worker answers a request
   */
  doubt(orgId: string, profile: RoutedProfile, worker: RoutedWorker): Doubt {
    const key = failedKey(orgId, profile, workerKey(profile, worker));
    const doubt = this.doubted.get(key) ?? { worker: key };
    this.doubted.set(key, doubt);
    return doubt;
  }

  /** The present doubt about a worker. */
  doubtAbout(orgId: string, profile: RoutedProfile, worker: RoutedWorker): Doubt | undefined {
    if (this.doubted.size === 0) return undefined;
    return this.doubted.get(failedKey(orgId, profile, workerKey(profile, worker)));
  }

  /** The doubt was right: requests go to others for a while, unless the worker has answered one since. */
  confirm(orgId: string, profile: RoutedProfile, worker: RoutedWorker, doubt: Doubt): void {
    if (this.doubtAbout(orgId, profile, worker) === doubt) this.drop(orgId, profile, worker, false);
  }

  /** It answers a request. */
  trust(orgId: string, profile: RoutedProfile, worker: RoutedWorker): void {
    if (this.doubted.size > 0) this.doubted.delete(failedKey(orgId, profile, workerKey(profile, worker)));
  }

  /** Those of the profiles that count as lost. */
  lost(orgId: string, profiles: Iterable<RoutedProfile>): string[] {
    const lost: string[] = [];
    for (const profile of profiles) if (this.lostMs(orgId, profile) > 0) lost.push(profile.profileId);
    return lost;
  }

  /**
   * Nobody reports the end of workers whose controller has stopped. If none of them can be reached from here,
   * the profile is lost for a while, and another one is needed.
   * @returns for how long; 0 if it is not lost
   */
  private lostMs(orgId: string, profile: RoutedProfile): number {
    const { silent, workers } = profile;
    if (!silent || workers.length === 0 || this.failed.size === 0) return 0;
    let least = Infinity;
    for (const worker of workers) {
      const isUnreached = this.failed.get(failedKey(orgId, profile, workerKey(profile, worker))) === 'unreached';
      least = Math.min(least, isUnreached ? this.passedOverMs(orgId, profile, worker) : 0);
    }
    return least;
  }

  private passedOverMs(orgId: string, profile: RoutedProfile, worker: RoutedWorker): number {
    // An entry that has expired is kept for a while, with a negative time.
    return Math.max(this.failed.getRemainingTTL(failedKey(orgId, profile, workerKey(profile, worker))), 0);
  }

  /**
   * Those that were not tried and have not failed; if all others have failed, those that were not tried. A
   * retry gets no doubted one while another one has room: two broken workers are the least busy ones, and
   * would otherwise get both attempts of each request. It does not wait for a full one while a doubted one
   * has room.
   */
  private usable(orgId: string, profile: RoutedProfile, tried: ReadonlySet<string> | undefined): LoadedWorker[] {
    const { profileId, workers } = profile;
    const left: LoadedWorker[] = [];
    const good: LoadedWorker[] = [];
    for (const worker of workers) {
      const key = workerKey(profile, worker);
      if (tried?.has(key)) continue;
      const { capacity, uid } = worker;
      const one = { key, worker, capacity, inFlight: this.loads.inFlight(orgId, profileId, uid) };
      left.push(one);
      if (this.failed.size === 0 || !this.failed.has(failedKey(orgId, profile, key))) good.push(one);
    }
    if (good.length === 0) return left;
    if (!tried?.size || this.doubted.size === 0) return good;
    const trusted = good.filter(({ key }) => !this.doubted.has(failedKey(orgId, profile, key)));
    return trusted.some(({ inFlight, capacity }) => inFlight < capacity) ? trusted : good;
  }
}
