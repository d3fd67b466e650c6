import { tokenDigest } from './token-secrets';
import { recentlyUsed } from '../../common/work/recently-used';

/**
 * A verified bearer is believed this long without another look-up. A revocation removes it from the cache of
 * every replica at once; this bound holds where that message is lost.
 */
const BELIEVED_MS = 1_000;
/** From this share of that time on, a bearer that is used is looked up again, while it is still believed. */
const RENEWED_FROM = 3 / 4;
const MAX_BEARERS = 10_000;

/** Whom a look-up found, and how long the bearer itself is valid. */
export interface Found<Who> {
  readonly who: Who;
  readonly livesMs: number | null;
}

interface Believed<Who> {
  readonly who: Who;
  /** Of `performance.now`. */
  readonly renewedFrom: number;
}

const keyOf = (digest: Buffer): string => digest.toString('base64');

/** Remembers callers for a moment by the digests of their bearers. It does not keep the bearers. */
export class BearerCache<Who extends { readonly actorId: string }> {
  // An entry that is no longer believed still says that its bearer was valid.
  private readonly known = recentlyUsed<Believed<Who>>({
    most: MAX_BEARERS,
    noDeleteOnStaleGet: true,
    dispose: ({ who }, key) => this.drop(who.actorId, key),
  });
  /** The entries of each actor: a revocation must not look through all of them. */
  private readonly keysOf = new Map<string, Set<string>>();
  /** Look-ups under way that no revocation has overtaken. */
  private readonly underWay = new Map<string, Promise<Who | undefined>>();
  /** Counts revocations: a look-up that one of them overtook may have read the bearer before. */
  private revocations = 0;

  /** @param lookUp undefined for a bearer that is unknown, expired or revoked */
  constructor(private readonly lookUp: (digest: Buffer) => Promise<Found<Who> | undefined>) {}

  /**
   * Whom the last look-up found, if it found the bearer valid. Only a guess, for decisions that are not worth
   * a look-up.
   */
  lastKnown(digest: Buffer): Who | undefined {
    return this.known.peek(keyOf(digest), { allowStale: true })?.who;
  }

  async verify(bearer: string): Promise<Who | undefined> {
    const digest = tokenDigest(bearer);
    const key = keyOf(digest);
    const cached = this.known.get(key);
    if (!cached) return this.lookedUp(key, digest);
    // A bearer that many use at once would otherwise keep all of them waiting whenever its time is over.
    if (performance.now() >= cached.renewedFrom && !this.underWay.has(key))
      this.lookedUp(key, digest).catch(() => undefined);
    return cached.who;
  }

  /** All who ask meanwhile share one look-up. */
  private async lookedUp(key: string, digest: Buffer): Promise<Who | undefined> {
    const shared = this.underWay.get(key);
    const found = shared && (await shared);
    // A bearer may have been issued during a look-up that did not find it.
    if (found) return found;
    const own = this.find(key, digest);
    this.underWay.set(key, own);
    try {
      return await own;
    } finally {
      if (this.underWay.get(key) === own) this.underWay.delete(key);
    }
  }

  private async find(key: string, digest: Buffer): Promise<Who | undefined> {
    const start = performance.now();
    const { revocations } = this;
    const found = await this.lookUp(digest);
    if (found && revocations !== this.revocations) return found.who;
    this.known.delete(key);
    if (!found) return undefined;
    const { who, livesMs } = found;
    const ttl = Math.floor(Math.min(BELIEVED_MS, livesMs ?? BELIEVED_MS));
    // To the cache, a time of 0 is endless.
    if (ttl <= 0) return who;
    this.known.set(key, { who, renewedFrom: start + ttl * RENEWED_FROM }, { ttl, start });
    const keys = this.keysOf.get(who.actorId);
    if (keys) keys.add(key);
    else this.keysOf.set(who.actorId, new Set([key]));
    return who;
  }

  private drop(actorId: string, key: string): void {
    const keys = this.keysOf.get(actorId);
    if (keys?.delete(key) && keys.size === 0) this.keysOf.delete(actorId);
  }

  /** Called when the bearers of an actor were revoked or changed, here or on another replica. */
  forget(actorId: string): void {
    this.revocations++;
    this.underWay.clear();
    // Also those that are no longer believed, which `lastKnown` looks at.
    for (const key of this.keysOf.get(actorId) ?? []) this.known.delete(key);
  }
}
