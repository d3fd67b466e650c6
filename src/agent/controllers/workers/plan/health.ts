/** How a ready worker is looked at. Times are in milliseconds. */
export interface HealthLimits {
  readonly askedEveryMs: number;
  /** So many questions in a row without a good answer: it gets no more requests. */
  readonly unreadyAfter: number;
  /** It is replaced if it has not given one for so long. */
  readonly replacedAfterMs: number;
}

/** An engine may be slow to answer while it computes, so it takes long until it is ended. */
export const HEALTH: HealthLimits = { askedEveryMs: 5_000, unreadyAfter: 3, replacedAfterMs: 90_000 };

/** `unready`: it should get no requests. `lost`: it should be replaced. */
export type Verdict = 'good' | 'unready' | 'lost';

/** Whether a worker that was ready still answers. Times are those of one monotonic clock. */
export class Health {
  private goodAtMs: number;
  private askedAtMs: number;
  private failures = 0;

  constructor(
    private readonly limits: HealthLimits,
    nowMs: number,
  ) {
    this.goodAtMs = nowMs;
    this.askedAtMs = nowMs;
  }

  isDue(nowMs: number): boolean {
    return nowMs - this.askedAtMs >= this.limits.askedEveryMs;
  }

  /** @param isGood how it answered. @param nowMs when that was known */
  answered(isGood: boolean, nowMs: number): Verdict {
    this.askedAtMs = nowMs;
    this.failures = isGood ? 0 : this.failures + 1;
    if (isGood) this.goodAtMs = nowMs;
    if (this.failures < this.limits.unreadyAfter) return 'good';
    return nowMs - this.goodAtMs >= this.limits.replacedAfterMs ? 'lost' : 'unready';
  }
}
