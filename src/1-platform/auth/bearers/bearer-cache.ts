import { tokenDigest } from './token-secrets';
import { recentlyUsed } from '../../common/work/recently-used';

/**
 * A verified bearer is believed this long without another look-up. A revocation removes it from the cache of
 * every replica at once; this bound holds where that message is lost.
 */
const BELIEVED_MS = 1_000;
const MAX_BEARERS = 10_000;

/** Whom a look-up found, and how long the bearer itself is valid. */
export interface Found<Who> {
  readonly who: Who;
  readonly livesMs: number | null;
}

const keyOf = (digest: Buffer): string => digest.toString('base64');

/** Remembers callers for a moment by the digests of their bearers. It does not keep the bearers. */
export class BearerCache<Who extends object> {
  // An entry that is no longer believed still says that its bearer was valid.
  private readonly known = recentlyUsed<Who>({ most: MAX_BEARERS, noDeleteOnStaleGet: true });
  /** Counts revocations: a look-up that one of them overtook may have read the bearer before. */
  private revocations = 0;

  /** @param lookUp undefined for a bearer that is unknown, expired or revoked */
  constructor(private readonly lookUp: (digest: Buffer) => Promise<Found<Who> | undefined>) {}

  /**
   * Whom the last look-up found, if it found the bearer valid. Only a guess, for decisions that are not worth
   * a look-up.
   */
  lastKnown(digest: Buffer): Who | undefined {
    return this.known.peek(keyOf(digest), { allowStale: true });
  }

  async verify(bearer: string): Promise<Who | undefined> {
    const digest = tokenDigest(bearer);
    const key = keyOf(digest);
    const cached = this.known.get(key);
    if (cached) return cached;

    const start = performance.now();
    const { revocations } = this;
    const found = await this.lookUp(digest);
    this.known.delete(key);
    if (!found) return undefined;
    const { who, livesMs } = found;
    const ttl = Math.floor(Math.min(BELIEVED_MS, livesMs ?? BELIEVED_MS));
    // To the cache, a time of 0 is endless.
    if (revocations === this.revocations && ttl > 0) this.known.set(key, who, { ttl, start });
    return who;
  }

  /** Called when bearers were revoked, here or on another replica. */
  forget(revoked: (who: Who) => boolean): void {
    this.revocations++;
    // Unlike `entries`, it includes those that are no longer believed, which `lastKnown` looks at.
    for (const [key, { value }] of this.known.dump()) if (revoked(value)) this.known.delete(key);
  }
}
