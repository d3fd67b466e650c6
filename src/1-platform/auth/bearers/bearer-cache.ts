import type { Clock } from '../../common/clock';
import { tokenDigest } from './token-secrets';

/**
 * A verified bearer is believed this long without asking again. Revocation empties the cache of every replica
 * at once; this bound holds where that message is lost.
 */
const BELIEVED_MS = 1_000;
const MAX_BEARERS = 10_000;

/** Whom a look-up found, and how long the bearer itself is valid. */
export interface Found<Who> {
  readonly who: Who;
  readonly livesMs: number | null;
}

const keyOf = (digest: Buffer): string => digest.toString('base64');

/**
 * Who bearers stand for, remembered for a moment under their
 * full digest. The bearers themselves are kept nowhere.
 */
export class BearerCache<Who> {
  private readonly known = new Map<string, { who: Who; until: number }>();
  /**
   * Counts revocations: a look-up that one of them overtook may
   * have read the bearer before, and is not remembered.
   */
  private revocations = 0;

  /** @param lookUp undefined for a bearer that is unknown, expired or revoked */
  constructor(
    private readonly clock: Clock,
    private readonly lookUp: (digest: Buffer) => Promise<Found<Who> | undefined>,
  ) {}

  /** Whether it was valid when it was last looked up. A guess, for what is not worth a look-up. */
  wasValid(digest: Buffer): boolean {
    return this.known.has(keyOf(digest));
  }

  async verify(bearer: string): Promise<Who | undefined> {
    const digest = tokenDigest(bearer);
    const key = keyOf(digest);
    const now = this.clock.now().getTime();
    const cached = this.known.get(key);
    if (cached && cached.until > now && cached.until <= now + BELIEVED_MS) return cached.who;

    const { revocations } = this;
    const found = await this.lookUp(digest);
    this.known.delete(key);
    if (!found) return undefined;
    const { who, livesMs } = found;
    if (revocations !== this.revocations) return who;
    if (this.known.size >= MAX_BEARERS) this.known.delete(this.known.keys().next().value ?? '');
    this.known.set(key, { who, until: now + Math.min(BELIEVED_MS, livesMs ?? BELIEVED_MS) });
    return who;
  }

  /** Called when bearers were revoked, here or on another replica. */
  forget(revoked: (who: Who) => boolean): void {
    this.revocations++;
    for (const [key, { who }] of this.known) if (revoked(who)) this.known.delete(key);
  }
}
