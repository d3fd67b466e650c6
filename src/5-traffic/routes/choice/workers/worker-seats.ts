import { Injectable } from '@nestjs/common';
import { ProfileLoads } from '../profile-loads';
import type { RoutedProfile, RoutedWorker } from '../routing-table';
import { chooseWorker } from './worker-choice';
import { workerKey, WorkerRests } from './worker-rests';

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

/** Places at the workers of profiles. */
@Injectable()
export class WorkerSeats {
  /** Of requests in general. A worker that rests gets some only if all others failed too. */
  readonly rests = new WorkerRests();
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
      passedOverMs: this.rests.passedOverMs(orgId, profile, worker),
    }));
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
    if (!silent || workers.length === 0) return 0;
    return Math.min(...workers.map((worker) => this.rests.unreachedMs(orgId, profile, worker)));
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
      if (this.rests.passedOverMs(orgId, profile, worker) === 0) good.push(one);
    }
    if (good.length === 0) return left;
    if (!tried?.size) return good;
    const trusted = good.filter(({ worker }) => !this.rests.doubtAbout(orgId, profile, worker));
    return trusted.some(({ inFlight, capacity }) => inFlight < capacity) ? trusted : good;
  }
}
