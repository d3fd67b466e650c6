import type { RoutedProfile, RoutedWorker } from '../routing-table';
import { recentlyUsed } from '../../../../1-platform/common/work/recently-used';

/** A worker that failed is passed over for this long, and retries avoid one that is doubted. */
const FAILED_STANDS_MS = 5_000;
/** The same for a worker that cannot be reached and whose controller is silent: it is probably gone. */
const LOST_STANDS_MS = 30_000;
const MAX_FAILED = 10_000;

/** Of a worker, or of the one address of all replicas of a profile; unique within an organisation. */
export const workerKey = ({ profileId }: RoutedProfile, { uid }: RoutedWorker): string => uid ?? `of ${profileId}`;

/** Uids are reported, so other organisations may have the same. */
const failedKey = (orgId: string, profile: RoutedProfile, worker: RoutedWorker): string =>
  `${orgId}\t${workerKey(profile, worker)}\t${profile.profileId}`;

/** The last answer of a worker was an error. It ends when the worker answers a request. */
export interface Doubt {
  readonly worker: string;
}

interface KnownDoubt extends Doubt {
  /** Of `performance.now`: retries avoid the worker until then. */
  standsUntil: number;
  /** Since the worker last failed as a broken one does, it has begun to rest for it. */
  isConfirmed: boolean;
}

/** Which workers rest because they failed, and which are doubted. */
export class WorkerRests {
  private readonly failed = recentlyUsed<'failed' | 'unreached'>({ most: MAX_FAILED, ttl: FAILED_STANDS_MS });
  /**
   * Workers whose last answer was an error for which the request itself may be the reason. They stay here
   * until they answer: another worker may take minutes for the answer that confirms the doubt.
   */
  private readonly doubted = recentlyUsed<KnownDoubt>({ most: MAX_FAILED });

  /** Requests go to others for a while. @param unreached it had no connection */
  drop(orgId: string, profile: RoutedProfile, worker: RoutedWorker, unreached: boolean): void {
    const ttl = unreached && profile.silent ? LOST_STANDS_MS : FAILED_STANDS_MS;
    this.failed.set(failedKey(orgId, profile, worker), unreached ? 'unreached' : 'failed', { ttl });
  }

  /** For how long requests go to others; 0 if they do not. */
  passedOverMs(orgId: string, profile: RoutedProfile, worker: RoutedWorker): number {
    if (this.failed.size === 0) return 0;
    // An entry that has expired is kept for a while, with a negative time.
    return Math.max(this.failed.getRemainingTTL(failedKey(orgId, profile, worker)), 0);
  }

  /** The same for one that had no connection; 0 for any other one. */
  unreachedMs(orgId: string, profile: RoutedProfile, worker: RoutedWorker): number {
    const isUnreached = this.failed.get(failedKey(orgId, profile, worker)) === 'unreached';
    return isUnreached ? this.passedOverMs(orgId, profile, worker) : 0;
  }

  /**
   * It answered an error for which the request may be the reason. For a while, retries go to others. First
   * attempts go on reaching it, so no caller takes it from the others.
   * @param isBroken no sound worker fails so: it may rest for this failure too
   * @returns the doubt, which is the same one until the worker answers a request
   */
  doubt(orgId: string, profile: RoutedProfile, worker: RoutedWorker, isBroken: boolean): Doubt {
    const key = failedKey(orgId, profile, worker);
    const doubt = this.doubted.get(key) ?? { worker: key, standsUntil: 0, isConfirmed: false };
    if (isBroken) doubt.isConfirmed = false;
    doubt.standsUntil = performance.now() + FAILED_STANDS_MS;
    this.doubted.set(key, doubt);
    return doubt;
  }

  /** The doubt about a worker that has failed just now. */
  doubtAbout(orgId: string, profile: RoutedProfile, worker: RoutedWorker): Doubt | undefined {
    if (this.doubted.size === 0) return undefined;
    const doubt = this.doubted.get(failedKey(orgId, profile, worker));
    return doubt && performance.now() < doubt.standsUntil ? doubt : undefined;
  }

  /**
   * The doubt was right: requests go to others for a while, unless the worker has answered one since. That is
   * so once for each failure: answers to earlier requests keep no worker away that may have recovered since.
   */
  confirm(orgId: string, profile: RoutedProfile, worker: RoutedWorker, doubt: Doubt): void {
    const known = this.doubted.get(failedKey(orgId, profile, worker));
    if (known !== doubt || known.isConfirmed) return;
    known.isConfirmed = true;
    this.drop(orgId, profile, worker, false);
  }

  /** It answers a request. */
  trust(orgId: string, profile: RoutedProfile, worker: RoutedWorker): void {
    if (this.doubted.size > 0) this.doubted.delete(failedKey(orgId, profile, worker));
  }
}
